import { expect } from 'chai'
import fc from 'fast-check'
import { compilePattern } from '../../../lib/base/pattern.js'
import { unwrap } from '../../../lib/base/result.js'

describe('compilePattern', () => {
  for (const [pattern, text, found] of [
    ['threads', 'mysql_threads_running', true],
    ['^mysql_', 'mysql_threads', true],
    ['^mysql_', 'a_mysql_', false],
    ['running$', 'threads_running', true],
    ['running$', 'running_x', false],
    ['^a$', 'a', true],
    ['^a$', 'aa', false],
    ['', 'anything', true],
    ['th.*ng$', 'threads_running', true],
    ['a|b', 'xb', true],
    ['(?!)', 'anything', false],
  ] as const)
    it(`${pattern} ${found ? 'is' : 'is not'} found in ${text}`, () => {
      expect(unwrap(compilePattern(pattern)).test(text)).to.equal(found)
    })

  it('ignores case where asked to', () => {
    expect(unwrap(compilePattern('lock WAIT', { ignoreCase: true })).test('1205 Lock wait timeout')).to.equal(true)
  })

  for (const pattern of ['(?=a)', '(a)\\1', '[', 'a{1000}', 'x'.repeat(501)])
    it(`refuses ${pattern.slice(0, 20)} and says why`, () => {
      expect(compilePattern(pattern)).to.have.nested.property('failure.code', 'wrong-value')
    })

  it('finds plain words as an expression of the language would', () => {
    const word = fc.stringMatching(/^\^?[a-c_]{0,3}\$?$/)
    const text = fc.stringMatching(/^[a-c_]{0,6}$/)
    fc.assert(
      fc.property(word, text, (pattern, given) => {
        const { test, isPlain } = unwrap(compilePattern(pattern))
        expect(isPlain).to.equal(true)
        expect(test(given)).to.equal(new RegExp(pattern).test(given))
      }),
    )
  })

  it('ends for patterns on which a backtracking engine would not', () => {
    for (const pattern of ['((\\w+))+!', '(a+)+$', '(a|a)*b', '(\\w*)*(x+x+)+y', '(.*)*(.*)*(.*)*z'])
      expect(unwrap(compilePattern(pattern)).test(`${'a'.repeat(1_500)}.`), pattern).to.equal(false)
  })
})
