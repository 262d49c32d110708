import { expect } from 'chai'
import { judgeLateness, type LatenessSample, noteLateness } from '../../../../lib/decide/watching/lateness.js'

const ticks = (count: number, lostEach: number): readonly LatenessSample[] =>
  Array.from({ length: count }, (_, index) => ({ at: index * 2_000, lostMs: index * lostEach })).reduce<
    readonly LatenessSample[]
  >((samples, latest) => noteLateness(samples, latest), [])

describe('judgeLateness', () => {
  it('is silent while less than a tenth of a minute is lost', () => {
    expect(judgeLateness(ticks(100, 150), 198_000)).to.deep.equal([])
  })

  it('reports what was lost within a minute, however long the thread runs', () => {
    expect(judgeLateness(ticks(100, 400), 198_000)).to.deep.equal([
      { code: 'WARN0239', detail: '12 s of the last 60 s were lost.' },
    ])
  })

  it('forgets what was lost before', () => {
    const late = ticks(10, 2_000)
    const quiet = Array.from({ length: 40 }, (_, index) => ({ at: 20_000 + index * 2_000, lostMs: 18_000 }))
    expect(judgeLateness(quiet.reduce(noteLateness, late), 98_000)).to.deep.equal([])
  })
})
