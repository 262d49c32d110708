// The memory of late event loops, with the clock in the spec's hand.
import { expect } from 'chai'
import { LATENESS_MEMORY_MS, LatenessGauge } from '../../../actors/kernel/lateness.js'

const STEP = 20

/** A gauge after `until` milliseconds of punctual ticks. */
function punctual(until: number): LatenessGauge {
  const gauge = new LatenessGauge(STEP, 0)
  for (let at = STEP; at <= until; at += STEP) gauge.tick(at)
  return gauge
}

describe('LatenessGauge', () => {
  it('finds a punctual loop not late', () => {
    expect(punctual(1_000).worst(10_000, 1_010)).to.equal(0)
  })

  it('finds a stall that no tick has seen yet', () => {
    expect(punctual(1_000).worst(500, 1_320)).to.equal(300)
  })

  it('remembers a stall for the window it is asked about', () => {
    const gauge = punctual(1_000)
    gauge.tick(1_520)
    for (let at = 1_540; at <= 4_000; at += STEP) gauge.tick(at)
    expect(gauge.worst(3_000, 4_000)).to.equal(500)
    expect(gauge.worst(1_000, 4_000)).to.equal(0)
  })

  it('gives the worst of several', () => {
    const gauge = punctual(1_000)
    for (const at of [1_070, 1_290, 1_310, 1_400]) gauge.tick(at)
    expect(gauge.worst(1_000, 1_400)).to.equal(200)
  })

  it('sums all that was lost', () => {
    const gauge = punctual(1_000)
    for (const at of [1_070, 1_290, 1_310, 1_400]) gauge.tick(at)
    expect(gauge.lost(1_400)).to.equal(50 + 200 + 0 + 70)
    expect(gauge.lost(1_520)).to.equal(50 + 200 + 0 + 70 + 100)
  })

  it('forgets what is older than its memory', () => {
    const gauge = punctual(1_000)
    gauge.tick(3_000)
    for (let at = 3_020; at <= 3_000 + LATENESS_MEMORY_MS + 300; at += STEP) gauge.tick(at)
    expect(gauge.worst(LATENESS_MEMORY_MS, 3_300 + LATENESS_MEMORY_MS)).to.equal(0)
  })
})
