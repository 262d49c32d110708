import { expect } from 'chai'
import { throwDice } from './dice.js'

describe('throwDice', () => {
  it('throws the same numbers for the same seed', () => {
    const [one, other] = [throwDice('a'), throwDice('a')]
    expect(Array.from({ length: 5 }, one.next)).to.deep.equal(Array.from({ length: 5 }, other.next))
    expect(throwDice('b').next()).to.not.equal(throwDice('a').next())
  })

  it('reaches both ends and passes neither', () => {
    const dice = throwDice('ends')
    const thrown = Array.from({ length: 500 }, () => dice.between(3, 6))
    expect([...new Set(thrown)].sort()).to.deep.equal([3, 4, 5, 6])
  })

  it('chooses by weight', () => {
    const dice = throwDice('weights')
    const chosen = Array.from({ length: 1_000 }, () =>
      dice.weighted([
        ['compress', 9],
        ['rarely', 1],
        ['never', 0],
      ]),
    )
    expect(chosen.filter((key) => key === 'rarely').length).to.be.within(50, 160)
    expect(chosen).to.not.include('never')
  })
})
