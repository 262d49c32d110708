// Ticks keep their distance from each other, whatever the machine does.
import { mock } from 'node:test'
import { expect } from 'chai'
import { Ticker, untilNext } from '../../../../actors/cluster/watch/ticker.js'

describe('untilNext', () => {
  it('leads a cluster to the same moments wherever it starts', () => {
    const moments = [10_000, 10_700, 11_500].map((at) => (at + untilNext('c1', 2_000, at)) % 2_000)
    expect(new Set(moments).size).to.equal(1)
  })

  it('leads a hundred clusters to moments all over the interval', () => {
    const waits = Array.from({ length: 100 }, (_, index) => untilNext(`c${index}`, 2_000, 10_000))
    for (const quarter of [0, 1, 2, 3])
      expect(waits.filter((wait) => Math.floor((wait % 2_000) / 500) === quarter).length).to.be.within(10, 45)
  })

  it('passes by a moment that is all but here: that tick has just been', () => {
    const wait = untilNext('c1', 2_000, 10_000)
    expect(untilNext('c1', 2_000, 10_000 + wait - 1)).to.equal(2_001)
  })
})

describe('Ticker', () => {
  afterEach(() => mock.timers.reset())

  it('ticks until it is stopped', () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    let ticks = 0
    const ticker = new Ticker('c1', () => {
      ticks += 1
    })
    ticker.every(1_000)
    for (const count of [1, 2, 3]) {
      mock.timers.tick(1_100) // the longest wait for a tick
      expect(ticks).to.be.at.least(count)
    }
    const before = ticks
    ticker.stop()
    mock.timers.tick(1_100)
    expect(ticks).to.equal(before)
  })
})
