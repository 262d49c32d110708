// The registry of findings as its readers rely on it.
import { expect } from 'chai'
import { findings } from '../../../lib/model/findings.js'

describe('findings', () => {
  for (const [code, { sentence, hint }] of Object.entries(findings))
    it(`${code} says what it means and what to do`, () => {
      expect(code).to.match(/^(ERR\d{5}|WARN\d{4}|MDEV\d{5})$/)
      expect(sentence).to.match(/^[A-Z].*\.$/)
      expect(hint).to.match(/^\S.*[.?]$/)
    })

  it('says nothing twice', () => {
    const sentences = Object.values(findings).map(({ sentence }) => sentence)
    expect(sentences.filter((sentence, index) => sentences.indexOf(sentence) !== index)).to.deep.equal([])
  })
})
