// The words shared between an actor and its readers.
import { expect } from 'chai'
import * as board from '../../../actors/kernel/board.js'
import { MAX_SLOTS } from '../../../actors/protocol/actor.js'

describe('board', () => {
  const words = () => board.boardWords(board.createBoard(2))

  it('keeps the flags of every slot apart from the versions and the generation', () => {
    const mine = words()
    board.beginLife(mine, 9)
    for (let slot = 0; slot < MAX_SLOTS; slot += 1) board.writeFlags(mine, slot, slot + 1)
    board.raiseVersion(mine, 1)
    expect(Array.from({ length: MAX_SLOTS }, (_, slot) => board.readFlags(mine, slot))).to.deep.equal(
      Array.from({ length: MAX_SLOTS }, (_, slot) => slot + 1),
    )
    expect([board.readVersion(mine, 0), board.readVersion(mine, 1), board.readGeneration(mine)]).to.deep.equal([
      0, 1, 9,
    ])
  })

  it('knows how long ago a server answered, never less than that', () => {
    const mine = words()
    expect(board.readAnswerAge(mine, 3)).to.equal(undefined)
    for (const agoMs of [0, 1, 2_000, 40 * 24 * 3_600_000]) {
      board.writeAnswer(mine, 3, agoMs)
      expect(board.readAnswerAge(mine, 3)).to.be.at.least(agoMs)
    }
    board.writeAnswer(mine, 3, 0)
    board.writeFlags(mine, 3, 7)
    expect([board.readAnswerAge(mine, 2), board.readFlags(mine, 3)]).to.deep.equal([undefined, 7])
    board.beginLife(mine, 2)
    expect(board.readAnswerAge(mine, 3)).to.equal(undefined)
  })

  for (const slot of [-1, MAX_SLOTS, 0.5, Number.NaN])
    it(`neither writes nor reads slot ${slot}`, () => {
      const mine = words()
      board.writeFlags(mine, slot, 7)
      board.writeAnswer(mine, slot, 0)
      expect([board.readFlags(mine, slot), board.readAnswerAge(mine, slot)]).to.deep.equal([0, undefined])
      expect([...mine].every((word) => word === 0)).to.equal(true)
    })

  it('forgets the flags of the earlier life, not the versions', () => {
    const mine = words()
    board.writeFlags(mine, 3, 7)
    board.raiseVersion(mine, 0)
    board.beginLife(mine, 2)
    expect([board.readFlags(mine, 3), board.readVersion(mine, 0)]).to.deep.equal([0, 1])
  })
})

describe('atLeast', () => {
  for (const [a, b, holds] of [
    [1, 1, true],
    [2, 1, true],
    [1, 2, false],
    [-(2 ** 31), 2 ** 31 - 1, true],
    [2 ** 31 - 1, -(2 ** 31), false],
  ] as const)
    it(`answers ${holds} for ${a} against ${b}`, () => {
      expect(board.atLeast(a, b)).to.equal(holds)
    })
})
