// How far away a server is, by how long its probes took.
import { expect } from 'chai'
import { Way } from '../../../../actors/cluster/watch/way.js'

/** Probes one after the other; those that open a session take six round trips or more. */
const wayOf = (...probes: readonly Parameters<Way['answered']>[0][]): number => {
  const way = new Way()
  for (const each of probes) way.answered(each)
  return way.tripMs
}
const kept = (waitedMs: number) => ({ waitedMs, isKept: true })
const opened = (waitedMs: number, readMs: number) => ({ waitedMs, readMs, isKept: false })

describe('Way', () => {
  it('is the fastest of the latest eight probes: one that was held up does not count', () => {
    expect(wayOf()).to.equal(0)
    expect(wayOf(kept(40), kept(900), kept(60))).to.equal(40)
    expect(wayOf(kept(40), ...Array.from({ length: 8 }, () => kept(600)))).to.equal(600)
  })

  it('is that of the first reading over a new session at once', () => {
    expect(wayOf(opened(3_600, 600))).to.equal(600)
  })

  it('is another one after a silence: what was measured before it does not count any more', () => {
    expect(wayOf(kept(1), kept(1), opened(10_800, 1_800))).to.equal(1_800)
    expect(wayOf(kept(1_800), opened(6, 1), kept(2))).to.equal(1)
  })

  it('is not longer because the server itself is slow: its login was not', () => {
    expect(wayOf(opened(4_010, 4_000))).to.equal(2)
  })
})
