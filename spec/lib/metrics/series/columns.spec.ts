// The table of series: names are those of the metrics, and the document lists all of them.
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { sharePath } from '../../../../lib/base/package-root.js'
import { families, STATUS_PREFIX } from '../../../../lib/metrics/families.js'
import { familyName } from '../../../../lib/metrics/names.js'
import { clusterColumns, type SeriesColumn, serverColumns } from '../../../../lib/metrics/series/index.js'

const thinWords = { mean: 'the mean', max: 'the highest', min: 'the lowest' } as const

const row = ({ name, unit, thin }: SeriesColumn): string => `| \`${name}\` | ${unit} | ${thinWords[thin]} |`

describe('series', () => {
  it('have the names that the metrics have', () => {
    for (const { name, status } of [...clusterColumns, ...serverColumns])
      if (status === undefined) expect(families).to.have.property(name)
      else expect(familyName(STATUS_PREFIX, status)).to.equal(name)
  })

  it('have different names', () => {
    const names = [...clusterColumns, ...serverColumns].map(({ name }) => name)
    expect(new Set(names).size).to.equal(names.length)
  })

  it('are listed in share/doc/series.md', () => {
    const document = readFileSync(sharePath('doc', 'series.md'), 'utf8')
    const listed = document.split('\n').filter((line) => line.startsWith('| `'))
    expect(listed).to.deep.equal([...clusterColumns, ...serverColumns].map(row))
  })
})
