import { expect } from 'chai'
import { secret } from '../../../../lib/base/secret.js'
import { fingerprint, isFingerprintOf } from '../../../../lib/settings/secret/fingerprint.js'

const key = secret(Buffer.alloc(32, 1).toString('base64'))
const other = secret(Buffer.alloc(32, 2).toString('base64'))
const value = secret('root:hidden')

describe('fingerprint', () => {
  for (const [title, own, kind] of [
    ['with a key', key, 'hmac'],
    ['without a key', undefined, 'scrypt'],
  ] as const)
    it(`knows the secret again and no other, ${title}`, async () => {
      const text = await fingerprint(value, own)
      expect(text)
        .to.match(new RegExp(`^${kind}:`))
        .and.not.contain('hidden')
      expect(await isFingerprintOf(text, value, own)).to.equal(true)
      expect(await isFingerprintOf(text, secret('root:Hidden'), own)).to.equal(false)
      expect(await fingerprint(value, own)).to.not.equal(text)
    })

  it('is of no use without the key that made it', async () => {
    const text = await fingerprint(value, key)
    expect(await isFingerprintOf(text, value, undefined)).to.equal(false)
    expect(await isFingerprintOf(text, value, other)).to.equal(false)
  })

  it('that was made before there was a key is still read', async () => {
    expect(await isFingerprintOf(await fingerprint(value, undefined), value, key)).to.equal(true)
  })

  for (const text of ['', 'scrypt', 'scrypt::', 'hmac:AAAA:AAAA', 'root:hidden', 'md5:a:b'])
    it(`refuses ${JSON.stringify(text)}`, async () => {
      expect(await isFingerprintOf(text, value, key)).to.equal(false)
    })
})
