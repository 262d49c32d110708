// What is left of a text when the one before it is known.
import { expect } from 'chai'
import { compareSpans, type Difference } from '../../../lib/metrics/difference.js'

const span = (text: string) => ({ bytes: Buffer.from(`..${text}.`), from: 2, length: text.length })
const compare = (text: string, before: string): Difference => compareSpans(span(text), span(before))

/** Made again from the text before. */
function rebuild({ prefix, middle, suffix }: Difference, before: string): string {
  let text = before.slice(0, prefix)
  for (const token of middle)
    text += token < 0 ? before.slice(text.length, text.length - token) : String.fromCharCode(token)
  return text + before.slice(before.length - suffix)
}

describe('compareSpans', () => {
  it('finds the beginning, the end and what is the same in between', () => {
    expect(compare('{instance="db0",cluster="c2"}', '{instance="db3",cluster="c1"}')).to.deep.equal({
      prefix: 13,
      middle: ['0'.charCodeAt(0), -12, '2'.charCodeAt(0), '"'.charCodeAt(0), '}'.charCodeAt(0)],
      suffix: 0,
    })
  })

  it('gives a difference from which the text can be made again', () => {
    const texts = ['', 'a', 'abcd', 'abcdabcd', 'abcdabcdabcd', 'abcdXabcd', 'xyzabcdabcd', 'abcdeabcdXYabcd', 'bcda']
    for (const text of texts)
      for (const before of texts) expect(rebuild(compare(text, before), before), `${before} > ${text}`).to.equal(text)
  })
})
