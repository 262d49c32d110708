// Few lines a second, none uncounted.
import { expect } from 'chai'
import { limitLines } from '../../../../http/gateway/kit/line-limit.js'

describe('limitLines', () => {
  it('writes twenty lines of a second, and reports with the next how many it left out', () => {
    let at = 0
    const lines: Readonly<Record<string, unknown>>[] = []
    const log = limitLines(
      (_level, _code, fields = {}) => lines.push(fields),
      () => at,
    )
    for (let index = 0; index < 100; index += 1) log('warn', 'refused', { index })
    expect(lines).to.have.length(20)
    at = 1_000
    log('warn', 'refused', { index: 100 })
    log('warn', 'refused', { index: 101 })
    expect(lines.slice(20)).to.deep.equal([{ index: 100, unlogged: 80 }, { index: 101 }])
  })
})
