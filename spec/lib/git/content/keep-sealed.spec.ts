// Encrypted values that did not change keep their form; others do not.
import { expect } from 'chai'
import { secret } from '../../../../lib/base/secret.js'
import { keepSealed } from '../../../../lib/git/content/keep-sealed.js'
import { encryptSecret } from '../../../../lib/settings/secret/secrets.js'

const key = secret(Buffer.alloc(32, 7).toString('base64'))
const file = (text: string) => `[saved-shop]\nmail-smtp-password = "${encryptSecret(secret(text), key)}"\n`

describe('keepSealed', () => {
  it('gives the former text back where the secret is the same', () => {
    const former = file('one')
    expect(keepSealed(file('one'), former, key)).to.equal(former)
  })

  it('leaves another secret, another key and another place as they are', () => {
    const text = file('two')
    expect(keepSealed(text, file('one'), key)).to.equal(text)
    expect(keepSealed(text, file('two'), secret(Buffer.alloc(32, 8).toString('base64')))).to.equal(text)
    expect(keepSealed(text, file('two').replace('saved-shop', 'saved-other'), key)).to.equal(text)
    expect(keepSealed(text, undefined, key)).to.equal(text)
  })
})
