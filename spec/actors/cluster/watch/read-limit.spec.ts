// The time of a read follows what was measured.
import { expect } from 'chai'
import { readLimit } from '../../../../actors/cluster/watch/read-limit.js'
import { SECOND } from '../../../../lib/base/time.js'

describe('readLimit', () => {
  for (const [where, tripMs, lostMs, limitMs] of [
    ['nearby, while the thread listens', 1, 0, 2_024],
    ['600 ms away', 600, 0, 16_400],
    ['nearby, where the thread was late for three seconds', 1, 3_000, 5_024],
    ['where nothing was measured', 0, 0, 2_000],
  ] as const)
    it(`is ${limitMs} ms ${where}`, () =>
      expect(readLimit({ baseMs: SECOND + SECOND, trips: 24 }, { tripMs, lostMs })).to.equal(limitMs))
})
