// Where the next actor goes.
import { expect } from 'chai'
import { choosePlace } from '../../../actors/supervisor/placement.js'

const seat = (name: string, actors: number, shared = true) => ({ name, actors, shared })

describe('choosePlace', () => {
  it('takes the shared seat with the fewest actors', () => {
    expect(choosePlace([seat('a', 2), seat('b', 1), seat('c', 3)]).name).to.equal('b')
  })
  it('takes the first of equals', () => {
    expect(choosePlace([seat('a', 1), seat('b', 1)]).name).to.equal('a')
  })
  it('never takes a seat apart', () => {
    expect(choosePlace([seat('own', 0, false), seat('a', 9)]).name).to.equal('a')
  })
  it('has nothing to say without shared seats', () => {
    expect(() => choosePlace([seat('own', 0, false)])).to.throw('no shared seat')
  })
})
