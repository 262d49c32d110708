import { expect } from 'chai'
import { editDistance, suggest } from '../../../lib/base/suggest.js'

describe('suggest', () => {
  const known = ['failover-mode', 'failover-limit', 'log-level', 'include']

  for (const [name, nearest] of [
    ['failovr-mode', 'failover-mode'],
    ['failover-mdoe', 'failover-mode'],
    ['FAILOVER-LIMITS', 'failover-limit'],
    ['log-lvl', 'log-level'],
    ['inclde', 'include'],
    ['something-else', undefined],
    ['', undefined],
  ] as const)
    it(`answers ${nearest} for ${name || 'nothing'}`, () => {
      expect(suggest(name, known)).to.equal(nearest)
    })
})

describe('editDistance', () => {
  for (const [left, right, distance] of [
    ['', '', 0],
    ['abc', '', 3],
    ['abc', 'acb', 1],
    ['abc', 'abcd', 1],
    ['kitten', 'sitting', 3],
  ] as const)
    it(`is ${distance} between ${left || 'nothing'} and ${right || 'nothing'}`, () => {
      expect(editDistance(left, right)).to.equal(distance)
    })
})
