// What counts as a missed beat.
import { expect } from 'chai'
import { isOnTime, judgeBeat } from '../../../actors/supervisor/watchdog.js'

describe('judgeBeat', () => {
  for (const [title, before, beat, misses] of [
    ['counts none at the first check', undefined, 5, 0],
    ['counts none while the beat rises', { beat: 4, misses: 3 }, 5, 0],
    ['counts one more while the beat does not change', { beat: 5, misses: 3 }, 5, 4],
    ['counts none while the thread is not up', { beat: undefined, misses: 0 }, undefined, 0],
    ['starts again with a new thread', { beat: undefined, misses: 0 }, 0, 0],
  ] as const)
    it(title, () => {
      expect(judgeBeat(before, beat)).to.deep.equal({ beat, misses })
    })
})

describe('isOnTime', () => {
  it('ignores a check that was late itself', () => {
    expect([isOnTime(250, 250), isOnTime(499, 250), isOnTime(500, 250), isOnTime(4_000, 250)]).to.deep.equal([
      true,
      true,
      false,
      false,
    ])
  })
})
