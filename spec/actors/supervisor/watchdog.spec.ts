// What counts as a missed beat, and when a thread hangs.
import { mock } from 'node:test'
import { expect } from 'chai'
import { isOnTime, judgeBeat, type Watched, watch } from '../../../actors/supervisor/watchdog.js'

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

describe('watch', () => {
  afterEach(() => mock.timers.reset())

  it('finds what hangs after so many checks, and the next in its place that hangs at the same beat', () => {
    mock.timers.enable({ apis: ['setInterval'] })
    const found: number[] = []
    const thread: Watched = { beat: 7, hung: (silentMs) => found.push(silentMs) }
    const pollMs = 60_000
    const end = watch(() => [thread], { pollMs, misses: 3 })
    const after = [1, 2, 3, 4, 5, 6, 7, 8].map(() => {
      mock.timers.tick(pollMs)
      return found.length
    })
    end()
    expect(after).to.deep.equal([0, 0, 0, 1, 1, 1, 1, 2])
    expect(found[0]).to.equal(3 * pollMs)
  })
})
