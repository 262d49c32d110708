// Series on disk: blocks written by one life of the manager are read by the next; what is torn or foreign is a gap.
import { readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { DAY } from '../../../../lib/base/time.js'
import { BLOCK_MS, type Block, serverColumns } from '../../../../lib/metrics/series/index.js'
import { removeOldSeries, SeriesFile } from '../../../../lib/store/index.js'
import { newDirectory } from '../../../support/machine/directories.js'

const NUMBER = 14_960_390
const never = () => false

const blockOf = (number: number, value: number): Block => ({
  number,
  rows: new Float32Array(12 * serverColumns.length).fill(value),
})

const spanOf = (number: number, ring: 'fine' | 'coarse' = 'fine') =>
  ({ from: number * BLOCK_MS, to: (number + 1) * BLOCK_MS, step: 10_000, ring }) as const

const firstValues = (blocks: readonly Block[]) =>
  blocks.map(({ number, rows }) => [number, rows[0], rows[11 * serverColumns.length]])

describe('SeriesFile', () => {
  it('gives back what another one wrote, in both rings', async () => {
    const directory = newDirectory('series')
    unwrap(await new SeriesFile(directory, 'db1', serverColumns).write([blockOf(NUMBER, 3)], never))
    const file = new SeriesFile(directory, 'db1', serverColumns)
    expect(firstValues(unwrap(await file.read(spanOf(NUMBER))))).to.deep.equal([[NUMBER, 3, 3]])
    const [coarse] = unwrap(await file.read(spanOf(NUMBER, 'coarse')))
    expect(coarse?.rows).to.deep.equal(new Float32Array(2 * serverColumns.length).fill(3))
  })

  it('has nothing where nothing was written', async () => {
    const file = new SeriesFile(newDirectory('series'), 'db1', serverColumns)
    expect(unwrap(await file.read(spanOf(NUMBER)))).to.deep.equal([])
  })

  it('joins the part of a block before a restart to the part after it', async () => {
    const directory = newDirectory('series')
    const before = blockOf(NUMBER, 3)
    before.rows.fill(Number.NaN, 6 * serverColumns.length)
    const after = blockOf(NUMBER, 7)
    after.rows.fill(Number.NaN, 0, 6 * serverColumns.length)
    unwrap(await new SeriesFile(directory, 'db1', serverColumns).write([before], never))
    const file = new SeriesFile(directory, 'db1', serverColumns)
    unwrap(await file.write([after], () => true))
    expect(firstValues(unwrap(await file.read(spanOf(NUMBER))))).to.deep.equal([[NUMBER, 3, 7]])
  })

  it('does not grow', async () => {
    const directory = newDirectory('series')
    const file = new SeriesFile(directory, 'db1', serverColumns)
    const last = NUMBER + 2_000
    for (let number = NUMBER; number <= last; number += 1) unwrap(await file.write([blockOf(number, 1)], never))
    expect((await stat(path.join(directory, 'series', 'db1'))).size).to.be.below(450_000)
    expect(unwrap(await file.read({ ...spanOf(NUMBER, 'coarse'), to: (last + 1) * BLOCK_MS }))).to.have.length(1_442)
  })

  it('begins again where the file is of other columns, or no such file at all', async () => {
    const directory = newDirectory('series')
    unwrap(await new SeriesFile(directory, 'db1', serverColumns.slice(1)).write([blockOf(NUMBER, 3)], never))
    const file = new SeriesFile(directory, 'db1', serverColumns)
    expect(unwrap(await file.read(spanOf(NUMBER)))).to.deep.equal([])
    unwrap(await file.write([blockOf(NUMBER, 4)], () => true))
    expect(firstValues(unwrap(await file.read(spanOf(NUMBER))))).to.deep.equal([[NUMBER, 4, 4]])
  })

  it('has a gap for a torn block', async () => {
    const directory = newDirectory('series')
    const file = new SeriesFile(directory, 'db1', serverColumns)
    unwrap(await file.write([blockOf(NUMBER, 3)], never))
    const name = path.join(directory, 'series', 'db1')
    const bytes = await readFile(name)
    await writeFile(name, bytes.fill(0, bytes.indexOf(Buffer.from(Float32Array.of(3).buffer)) + 8, undefined))
    expect(unwrap(await file.read(spanOf(NUMBER)))).to.deep.equal([])
    await truncate(name, 10)
    expect(unwrap(await file.read(spanOf(NUMBER)))).to.deep.equal([])
  })

  it('says why nothing is stored', async () => {
    const directory = newDirectory('series')
    await writeFile(path.join(directory, 'series'), '')
    const file = new SeriesFile(directory, 'db1', serverColumns)
    const failed = await file.write([blockOf(NUMBER, 3)], never)
    expect(failed.ok).to.equal(false)
  })

  it('is removed when nothing in it is kept any more', async () => {
    const directory = newDirectory('series')
    for (const name of ['old', 'new'])
      unwrap(await new SeriesFile(directory, name, serverColumns).write([blockOf(NUMBER, 3)], never))
    const at = Date.now()
    const old = (at - 3 * DAY) / 1_000
    await utimes(path.join(directory, 'series', 'old'), old, old)
    await removeOldSeries(directory, at)
    const found = await Promise.all(
      ['old', 'new'].map((name) =>
        stat(path.join(directory, 'series', name)).then(
          () => true,
          () => false,
        ),
      ),
    )
    expect(found).to.deep.equal([false, true])
  })
})
