import { expect } from 'chai'
import { HOUR } from '../../../../lib/base/time.js'
import { noteDelay, renderDelay, renderDelayHistory, sumDelays } from '../../../../lib/decide/watching/delays.js'
import type { DelayHour } from '../../../../lib/model/server/delay-hour.js'

const samples: readonly (readonly [at: number, seconds: number | undefined, failed: boolean])[] = [
  [1 * HOUR, 0, false],
  [1 * HOUR + 1, 4, false],
  [1 * HOUR + 2, undefined, true],
  [2 * HOUR, 2, false],
  [2 * HOUR + 1, undefined, false],
]
const hours = samples.reduce<readonly DelayHour[]>(
  (known, [at, seconds, failed]) => noteDelay(known, { at, seconds, failed }, 72),
  [],
)

describe('noteDelay', () => {
  it('counts by the hour, and nothing of what cannot be known', () => {
    expect(hours).to.deep.equal([
      { hour: HOUR, samples: 3, delayed: 1, failed: 1, sum: 4, longest: 4 },
      { hour: 2 * HOUR, samples: 1, delayed: 1, failed: 0, sum: 2, longest: 2 },
    ])
    expect(sumDelays(hours)).to.include({ samples: 4, sum: 6, longest: 4 })
  })

  it('keeps as many hours as are wanted', () => {
    expect(noteDelay(hours, { at: 3 * HOUR, seconds: 0, failed: false }, 2).map(({ hour }) => hour)).to.deep.equal([
      2 * HOUR,
      3 * HOUR,
    ])
  })

  it('is printed by the hour', () => {
    expect(hours.map(renderDelay)[0]).to.equal('mean 1.3 s, longest 4 s, behind in 1 of 3 samples, stopped in 1')
    expect(renderDelayHistory(hours)).to.equal('01:00 mean 1.3 s longest 4 s')
  })
})
