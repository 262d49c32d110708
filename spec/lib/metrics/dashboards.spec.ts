// The dashboards that come along ask only for what is exported, and together show all of it.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { sharePath } from '../../../lib/base/package-root.js'
import { families } from '../../../lib/metrics/families.js'
import { isExported, namesIn, processFamilies } from '../../support/configuration/exported.js'

interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly panels: readonly {
    readonly id: number
    readonly title: string
    readonly gridPos: { readonly x: number; readonly w: number }
    readonly targets: readonly { readonly expr: string }[]
  }[]
}

const files = readdirSync(sharePath('grafana'))
const read = (file: string) => JSON.parse(readFileSync(path.join(sharePath('grafana'), file), 'utf8')) as Dashboard
const namesOf = ({ panels }: Dashboard) =>
  namesIn(panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n'))

/** Given by another family as well, in the words of older scrapers. */
const elsewhere = new Set(['mysql_slave_status_seconds_behind_master', 'mysql_slave_status_last_errno'])

describe('dashboards', () => {
  for (const file of files)
    describe(file, () => {
      const dashboard = read(file)

      it('asks for families that are exported', () => {
        expect(namesOf(dashboard).length).to.be.above(5)
        expect(namesOf(dashboard).filter((name) => !isExported(name))).to.deep.equal([])
      })

      it('has panels with a separate name and place', () => {
        const { panels } = dashboard
        expect(new Set(panels.map(({ id }) => id)).size).to.equal(panels.length)
        expect(new Set(panels.map(({ title }) => title)).size).to.equal(panels.length)
        for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).to.be.at.most(24)
      })
    })

  it('have an address and a name each', () => {
    const all = files.map(read)
    expect(new Set(all.map(({ uid }) => uid)).size).to.equal(files.length)
    expect(new Set(all.map(({ title }) => title)).size).to.equal(files.length)
  })

  it('show every family of the manager between them', () => {
    const shown = new Set(
      files.flatMap((file) => namesOf(read(file))).map((name) => name.replace(/_(bucket|sum|count)$/, '')),
    )
    const missing = [...Object.keys(families), ...processFamilies].filter((name) => !shown.has(name))
    expect(missing.filter((name) => !elsewhere.has(name))).to.deep.equal([])
  })
})
