import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { unwrap } from '../../../../lib/base/result.js'
import { reveal, type Secret, secret } from '../../../../lib/base/secret.js'
import {
  decryptSecret,
  encryptSecret,
  generateKeyFile,
  isEncrypted,
  readKeyFile,
} from '../../../../lib/settings/secret/secrets.js'
import { newDirectory } from '../../../support/machine/directories.js'

const newKey = async (): Promise<{ file: string; key: Secret }> => {
  const file = path.join(newDirectory('key'), '.manager.key')
  unwrap(await generateKeyFile(file))
  const key = unwrap(await readKeyFile(file))
  if (!key) throw new Error('no key')
  return { file, key }
}

describe('encryptSecret', () => {
  it('makes text that decryptSecret opens again', async () => {
    const { key } = await newKey()
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const stored = encryptSecret(secret(text), key)
        expect(isEncrypted(stored)).to.equal(true)
        expect(reveal(unwrap(decryptSecret(stored, key)))).to.equal(text)
      }),
    )
  })

  it('makes another text each time', async () => {
    const { key } = await newKey()
    expect(encryptSecret(secret('x'), key)).not.to.equal(encryptSecret(secret('x'), key))
  })
})

describe('decryptSecret', () => {
  it('refuses another key, a changed text and a short one', async () => {
    const [one, other] = [await newKey(), await newKey()]
    const stored = encryptSecret(secret('hidden'), one.key)
    const bytes = Buffer.from(stored.slice('aes256gcm:'.length), 'base64')
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    const changed = `aes256gcm:${bytes.toString('base64')}`
    for (const [text, key] of [
      [stored, other.key],
      [changed, one.key],
      ['aes256gcm:AAAA', one.key],
    ] as const)
      expect(decryptSecret(text, key)).to.have.nested.property('failure.code', 'bad-secret')
  })
})

describe('generateKeyFile', () => {
  it('writes a key of mode 0600', async () => {
    const { file } = await newKey()
    expect(statSync(file).mode & 0o777).to.equal(0o600)
  })

  it('replaces no file', async () => {
    const { file } = await newKey()
    const before = readFileSync(file, 'utf8')
    expect(await generateKeyFile(file)).to.have.nested.property('failure.code', 'file-unwritable')
    expect(readFileSync(file, 'utf8')).to.equal(before)
  })
})

describe('readKeyFile', () => {
  it('answers nothing for a missing file', async () => {
    expect(unwrap(await readKeyFile(path.join(newDirectory('key'), 'none')))).to.equal(undefined)
  })

  it('refuses a key that others may read', async () => {
    const { file } = await newKey()
    chmodSync(file, 0o640)
    const refused = await readKeyFile(file)
    expect(!refused.ok && refused.failure.message).to.match(/is readable by other users; set mode 0600$/)
  })

  it('refuses what is no key, without showing it', async () => {
    const file = path.join(newDirectory('key'), 'short')
    writeFileSync(file, 'c2hvcnQ=', { mode: 0o600 })
    const refused = await readKeyFile(file)
    expect(refused).to.have.nested.property('failure.code', 'bad-secret')
    expect(JSON.stringify(refused)).not.to.contain('c2hvcnQ=')
  })
})
