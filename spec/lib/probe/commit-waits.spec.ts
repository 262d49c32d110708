// Commits that take seconds, by readings of sessions as MariaDB 10.11 lists them with an fsync of 6 s, and under load.
import { expect } from 'chai'
import { ok } from '../../../lib/base/result.js'
import type { Rows } from '../../../lib/dialect/index.js'
import { dialectFor } from '../../../lib/dialect/index.js'
import { readCommitWaits } from '../../../lib/probe/commit-waits.js'
import { stateOf } from '../../support/simulator/situation.js'

type Commit = readonly [id: number, statement: number, seconds?: number, other?: number]

const commit = (...[id, statement, seconds = 0, other = 0]: Commit) => ({ id, statement, seconds, other })

/** What is found in these readings, and how many were made. */
async function judge(readings: readonly Rows[]) {
  let reads = 0
  const found = await readCommitWaits(
    dialectFor(stateOf(1).identity),
    async () => ok([readings[reads++] ?? []]),
    async () => undefined,
  )
  return { found, reads }
}

describe('readCommitWaits', () => {
  it('reports sessions that are in the same commit in every reading, with the oldest', async () => {
    const stuck = [4, 5, 5, 7].map((seconds) => [commit(8, 1534, seconds), commit(7, 1535, seconds - 1)])
    expect(await judge(stuck)).to.deep.equal({ found: { sessions: 2, seconds: 7 }, reads: 4 })
  })

  it('reads twice on a busy server, whose sessions are in another commit each time', async () => {
    expect(
      await judge([
        [commit(8, 1523), commit(7, 1524)],
        [commit(8, 1530), commit(7, 1531)],
      ]),
    ).to.deep.equal({
      found: undefined,
      reads: 2,
    })
    expect(await judge([[]])).to.deep.equal({ found: undefined, reads: 1 })
  })

  it('leaves out commits that took long and ended before the last reading', async () => {
    const same = [commit(8, 1534, 1)]
    expect((await judge([same, same, same, []])).found).to.equal(undefined)
  })

  it('reports nothing while a commit waits for a replica or for space', async () => {
    const stuck = [commit(8, 1534, 5), commit(7, 1535, 5, 1)]
    expect((await judge([stuck, stuck, stuck, stuck])).found).to.equal(undefined)
  })
})
