// Readings as points: each describes the time since the one before, gaps stay gaps, whatever the clock and the pace do.
import { expect } from 'chai'
import fc from 'fast-check'
import { MINUTE, SECOND } from '../../../../lib/base/time.js'
import { BLOCK_MS, type Block, FINE_MS, type SeriesColumn } from '../../../../lib/metrics/series/index.js'
import { LONGEST_HOLD_MS, Recorder } from '../../../../lib/metrics/series/recorder.js'

const START = Math.floor(1_795_246_812_345 / BLOCK_MS) * BLOCK_MS

const columns: readonly SeriesColumn[] = [
  { name: 'mean', unit: 'count', thin: 'mean' },
  { name: 'max', unit: 'count', thin: 'max' },
  { name: 'min', unit: 'flag', thin: 'min' },
]
const source = { first: 0, count: 3 }

/** Value of a column in the row that a moment lies in. */
function at(blocks: readonly Block[], moment: number, column = 0): number | undefined {
  const block = blocks.find(({ number }) => number === Math.floor(moment / BLOCK_MS))
  return block?.rows[Math.floor((moment % BLOCK_MS) / FINE_MS) * columns.length + column]
}

const noted = (...readings: readonly (readonly [seconds: number, value: number])[]): Recorder => {
  const recorder = new Recorder(columns)
  for (const [seconds, value] of readings) recorder.note(source, START + seconds * SECOND, [value, value, value])
  return recorder
}

describe('Recorder', () => {
  it('lets a reading describe the time since the one before', () => {
    const blocks = noted([5, 1], [35, 7]).open()
    expect([0, 10, 20, 30, 40].map((seconds) => at(blocks, START + seconds * SECOND))).to.deep.equal([
      4,
      7,
      7,
      7,
      Number.NaN,
    ])
  })

  it('weighs the readings of one point by the time that each describes', () => {
    expect(at(noted([0, 0], [4, 10], [10, 20]).open(), START)).to.equal(16)
  })

  it('keeps the highest or the lowest where that is what counts', () => {
    const blocks = noted([1, 3], [4, 9], [8, 5]).open()
    expect([at(blocks, START, 1), at(blocks, START, 2)]).to.deep.equal([9, 3])
  })

  it('leaves a gap where nobody measured for longer than a reading holds', () => {
    const blocks = noted([0, 1], [LONGEST_HOLD_MS / SECOND + 21, 5]).open()
    const values = [0, 10, 40, 80, 90].map((seconds) => at(blocks, START + seconds * SECOND))
    expect(values).to.deep.equal([1, Number.NaN, Number.NaN, Number.NaN, 5])
  })

  it('has no point for a value that was not known, and keeps those of other columns', () => {
    const recorder = noted([0, 1])
    recorder.note(source, START + 20 * SECOND, [Number.NaN, 2, 3])
    expect([0, 1].map((column) => at(recorder.open(), START + 10 * SECOND, column))).to.deep.equal([Number.NaN, 2])
  })

  it('drops readings of a clock that went back, and goes on from the newest', () => {
    const blocks = noted([20, 1], [10, 99], [20, 99], [30, 3]).open()
    expect([10, 20].map((seconds) => at(blocks, START + seconds * SECOND))).to.deep.equal([Number.NaN, 3])
  })

  it('hands out a block once, when no reading can describe it any more', () => {
    const recorder = noted([0, 1], [60, 1], [119, 1])
    expect(recorder.take(START + BLOCK_MS + LONGEST_HOLD_MS)).to.deep.equal([])
    const later = START + BLOCK_MS + LONGEST_HOLD_MS + 5 * SECOND
    expect(recorder.take(later).map(({ number }) => number * BLOCK_MS)).to.deep.equal([START])
    expect(recorder.take(later)).to.deep.equal([])
    recorder.note(source, START + 121 * SECOND, [2, 2, 2])
    expect(recorder.open().map(({ number }) => number * BLOCK_MS)).to.deep.equal([START + BLOCK_MS])
  })

  it('holds the sum of a rate exactly, whatever the pace of the readings', () => {
    const paces = fc.array(
      fc.record({ ms: fc.integer({ min: 1, max: LONGEST_HOLD_MS }), rate: fc.integer({ min: 0, max: 1_000 }) }),
      {
        minLength: 1,
        maxLength: 40,
      },
    )
    fc.assert(
      fc.property(paces, (readings) => {
        const recorder = new Recorder(columns)
        let moment = START
        let expected = 0
        recorder.note(source, moment, [Number.NaN, Number.NaN, Number.NaN])
        for (const { ms, rate } of readings) {
          moment += ms
          expected += rate * ms
          recorder.note(source, moment, [rate, rate, rate])
        }
        let kept = 0
        for (const { number, rows } of recorder.open())
          for (let row = 0; row < BLOCK_MS / FINE_MS; row += 1) {
            const begin = number * BLOCK_MS + row * FINE_MS
            const known = Math.min(moment, begin + FINE_MS) - Math.max(START, begin)
            if (known > 0) kept += (rows[row * columns.length] ?? Number.NaN) * known
          }
        expect(kept).to.be.closeTo(expected, Math.max(1, expected * 1e-5))
      }),
    )
  })

  it('holds at most three blocks, whatever readings come', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -MINUTE, max: 5 * MINUTE }), { maxLength: 60 }), (steps) => {
        const recorder = new Recorder(columns)
        let moment = START
        for (const step of steps) {
          moment += step
          recorder.note(source, moment, [1, 1, 1])
          recorder.take(moment)
          expect(recorder.open().length).to.be.at.most(3)
        }
      }),
    )
  })
})
