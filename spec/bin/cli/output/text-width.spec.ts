import { expect } from 'chai'
import { cutFront, cutText, padText, tame, textWidth } from '../../../../bin/cli/output/text-width.js'

describe('textWidth', () => {
  for (const [text, width] of [
    ['db1', 3],
    ['Grüße', 5],
    ['e\u0301', 1],
    ['数据库', 6],
    ['ﾃﾞｰﾀ', 4],
    ['データ', 6],
    ['한국', 4],
    ['🐬', 2],
    ['', 0],
  ] as const)
    it(`is ${width} for ${text || 'nothing'}`, () => expect(textWidth(text)).to.equal(width))
})

describe('cutFront', () => {
  it('keeps the end of what is too long, in so many columns', () => {
    expect(cutFront('0-1-25', 6)).to.equal('0-1-25')
    expect(cutFront('0-3301-1234567', 10)).to.equal('…1-1234567')
    expect(cutFront('数据库', 4)).to.equal('…库')
    expect(cutFront('x', 0)).to.equal('')
  })
})

describe('cutText', () => {
  it('keeps what fits, and marks what it cuts', () => {
    expect(cutText('database', 8)).to.equal('database')
    expect(cutText('database', 5)).to.equal('data…')
    expect(cutText('数据库', 4)).to.equal('数…')
    expect(textWidth(cutText('数据库', 4))).to.be.at.most(4)
    expect(cutText('x', 0)).to.equal('')
  })
})

describe('padText', () => {
  it('fills by columns, not by characters', () => expect(padText('数', 4)).to.equal('数  '))
})

describe('tame', () => {
  it('leaves nothing that steers a terminal', () => {
    expect(tame('a\u001b[31mb\u0007\u009b2J')).to.equal('a�[31mb��2J')
    expect(tame('one\ntwo')).to.equal('one two')
    expect(tame('db1\u202egnp')).to.equal('db1�gnp')
  })
})
