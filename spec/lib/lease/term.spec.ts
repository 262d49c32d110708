import { expect } from 'chai'
import { createTermBoard, hasLapsed, Tenure, thisMoment, writeTerm } from '../../../lib/lease/board.js'
import { leftOf, mayBegin, noTerm, RESERVE_MS, termOf } from '../../../lib/lease/term.js'

const LEASE = 10_000
const asked = { steady: 5_000, wall: 1_700_000_000_000 }
const later = (ms: number, wallMs = ms) => ({ steady: asked.steady + ms, wall: asked.wall + wallMs })

describe('leftOf', () => {
  const term = termOf(7, asked, LEASE)

  it('counts from the moment before the renewal was sent, less a reserve', () => {
    expect(leftOf(term, 7, asked)).to.equal(LEASE - RESERVE_MS)
    expect(leftOf(term, 7, later(8_999))).to.equal(1)
    expect(leftOf(term, 7, later(9_000))).to.equal(0)
  })

  it('ends by the clock that is ahead: one stops in sleep, the other can be set back', () => {
    expect(leftOf(term, 7, later(10, 60_000))).to.equal(0)
    expect(leftOf(term, 7, later(60_000, -3_600_000))).to.equal(0)
    expect(leftOf(term, 7, later(2_000, -3_600_000))).to.equal(7_000)
  })

  it('is nothing for another token, and for none', () => {
    expect(leftOf(term, 8, asked)).to.equal(0)
    expect(leftOf(noTerm, 0, { steady: -1, wall: -1 })).to.equal(0)
  })
})

describe('mayBegin', () => {
  it('wants the whole time of a step, and half of the lease for a longer one', () => {
    expect(mayBegin(3_000, 3_000, LEASE)).to.equal(true)
    expect(mayBegin(2_999, 3_000, LEASE)).to.equal(false)
    expect(mayBegin(5_000, 60_000, LEASE)).to.equal(true)
    expect(mayBegin(4_999, 60_000, LEASE)).to.equal(false)
    expect(mayBegin(0, 0, LEASE)).to.equal(false)
  })
})

describe('Tenure', () => {
  it('reads each renewal that the main thread writes, and none of a later ownership', () => {
    const board = createTermBoard()
    writeTerm(board, termOf(7, thisMoment(), LEASE))
    const tenure = new Tenure(board, LEASE)
    expect(tenure.leftMs()).to.be.within(1, LEASE - RESERVE_MS)
    writeTerm(board, noTerm)
    expect(tenure.leftMs()).to.equal(0)
    writeTerm(board, termOf(9, thisMoment(), LEASE))
    expect(tenure.leftMs()).to.equal(0)
    expect(new Tenure(board, LEASE).leftMs()).to.be.above(0)
  })

  it('ends with the first step that it refuses, also when it is renewed afterwards', () => {
    const board = createTermBoard()
    writeTerm(board, termOf(7, thisMoment(), 2_000))
    const tenure = new Tenure(board, LEASE)
    expect(tenure.mayBegin(5_000)).to.equal(false)
    expect(hasLapsed(board, 7)).to.equal(true)
    writeTerm(board, termOf(7, thisMoment(), LEASE))
    expect(tenure.leftMs()).to.equal(0)
  })
})
