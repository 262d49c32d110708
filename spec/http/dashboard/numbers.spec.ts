import { expect } from 'chai'
import {
  renderAge,
  renderBytes,
  renderCount,
  renderDuration,
  renderShort,
} from '../../../http/dashboard/src/text/numbers.js'

describe('renderShort', () => {
  for (const [value, text] of [
    [0, '0'],
    [0.25, '0.3'],
    [999, '999'],
    [1_234, '1.23k'],
    [999_999, '1M'],
    [12_345_678, '12.3M'],
    [7.2e12, '7.2T'],
  ] as const)
    it(`${value} is ${text}`, () => expect(renderShort(value)).to.equal(text))
})

describe('renderBytes', () => {
  for (const [value, text] of [
    [0, '0 B'],
    [1_536, '1.5 KiB'],
    [150 * 1_024 ** 2, '150 MiB'],
    [4 * 1_024 ** 4, '4 TiB'],
  ] as const)
    it(`${value} is ${text}`, () => expect(renderBytes(value)).to.equal(text))
})

describe('renderDuration', () => {
  for (const [ms, text] of [
    [0, '0 ms'],
    [340, '340 ms'],
    [4_180, '4.2 s'],
    [59_600, '60 s'],
    [185_000, '3 min 5 s'],
    [3_599_900, '60 min'],
    [7_800_000, '2 h 10 min'],
    [-2_000, '−2 s'],
  ] as const)
    it(`${ms} ms is ${text}`, () => expect(renderDuration(ms)).to.equal(text))
})

describe('renderAge', () => {
  for (const [ms, text] of [
    [300, 'now'],
    [12_900, '12 s'],
    [240_000, '4 min'],
    [200_000_000, '2 d'],
  ] as const)
    it(`${ms} ms is ${text}`, () => expect(renderAge(ms)).to.equal(text))
})

describe('renderCount', () => {
  it('separates thousands', () => expect(renderCount(1_234_567)).to.equal('1,234,567'))
})
