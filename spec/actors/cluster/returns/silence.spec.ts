import { expect } from 'chai'
import { Silence } from '../../../../actors/cluster/returns/silence.js'

describe('Silence', () => {
  it('counts from the first probe without an answer, and begins again after one', () => {
    const silence = new Silence()
    let answers = false
    const note = (at: number) => silence.note(['db1'], () => answers, at)
    expect(silence.since('db1', 0)).to.equal(0)
    note(1_000)
    note(5_000)
    expect(silence.since('db1', 6_000)).to.equal(5_000)
    answers = true
    note(7_000)
    expect(silence.since('db1', 8_000)).to.equal(0)
    answers = false
    note(9_000)
    expect(silence.since('db1', 10_000)).to.equal(1_000)
  })

  it('forgets a server whose work has ended', () => {
    const silence = new Silence()
    silence.note(['db1', 'db2'], () => false, 1_000)
    silence.note(['db2'], () => false, 2_000)
    silence.note(['db1', 'db2'], () => false, 3_000)
    expect([silence.since('db1', 4_000), silence.since('db2', 4_000)]).to.deep.equal([1_000, 3_000])
  })
})
