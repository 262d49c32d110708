// Ticks keep their distance from each other, whatever the machine does.
import { expect } from 'chai'
import { Ticker, untilNext } from '../../../../actors/cluster/watch/ticker.js'
import { sleep } from '../../../../lib/base/time.js'
import { eventually } from '../../../support/wait.js'

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
  it('ticks until it is stopped', async () => {
    let ticks = 0
    const ticker = new Ticker('c1', () => {
      ticks += 1
    })
    ticker.every(10)
    await eventually(() => ticks >= 3, 'three ticks')
    ticker.stop()
    const before = ticks
    await sleep(30)
    expect(ticks).to.equal(before)
  })
})
