import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { unwrap } from '../../../../lib/base/result.js'
import { reveal, type Secret, secret } from '../../../../lib/base/secret.js'
import {
  decryptBefore,
  decryptSecret,
  encryptSecret,
  generateKeyFile,
  hasEncrypted,
  isEncrypted,
  isEncryptedBefore,
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

describe('what is encrypted of an account', () => {
  it('is its password: opened in its place, alone or in a list, also beside one in clear', async () => {
    const { key } = await newKey()
    const [one, other] = [encryptSecret(secret('a:b'), key), encryptSecret(secret('second'), key)]
    for (const [text, opened] of [
      [`monitor:${one}`, 'monitor:a:b'],
      [`admin:${one},dba:${other}`, 'admin:a:b,dba:second'],
      [`admin:x,dba:${other}`, 'admin:x,dba:second'],
    ] as const) {
      expect(hasEncrypted(text), text).to.equal(true)
      const result = decryptSecret(text, key)
      expect(result.ok && reveal(result.value)).to.equal(opened)
    }
  })

  it('leaves nothing in clear only when every account has one', () => {
    expect(['aes256gcm:AAAA', 'monitor:aes256gcm:AAAA', 'a:aes256gcm:AA,b:aes256gcm:BB'].every(isEncrypted)).to.equal(
      true,
    )
    expect(['', 'monitor:x', 'a:x,b:aes256gcm:BB', 'monitor:x:aes256gcm:AA'].some(isEncrypted)).to.equal(false)
  })

  it('is refused where it cannot be opened', async () => {
    const { key } = await newKey()
    for (const text of ['monitor:aes256gcm:…', `a:${encryptSecret(secret('x'), key)},b:aes256gcm:AAAA`, 'monitor:x'])
      expect(decryptSecret(text, key), text).to.have.nested.property('failure.code', 'bad-secret')
  })
})

describe('decryptBefore', () => {
  // Made by `openssl enc -aes-128-cfb` of that key and first block: the form of the existing system.
  const key = secret(Buffer.from('00112233445566778899aabbccddeeff', 'hex').toString('base64'))
  const sealed = 'hash_0f0e0d0c0b0a090807060504030201005f47065020310b82ecb4'

  it('opens a value, the password of an account, and those of a list', () => {
    for (const [text, plain] of [
      [sealed, 'mypass-ü1'],
      [`root:${sealed}`, 'root:mypass-ü1'],
      [`admin:${sealed},dba:plain,eve:${sealed}`, 'admin:mypass-ü1,dba:plain,eve:mypass-ü1'],
    ] as const) {
      expect(isEncryptedBefore(text), text).to.equal(true)
      expect(reveal(unwrap(decryptBefore(text, key))), text).to.equal(plain)
    }
  })

  it('takes no plain password for one', () => {
    for (const text of ['hash_', 'root:hash_1234', `root:x${sealed}`, 'aes256gcm:AAAA', `${sealed}x`])
      expect(isEncryptedBefore(text), text).to.equal(false)
  })

  it('refuses the key of this manager, and what another key makes of it', async () => {
    const other = secret(Buffer.alloc(16, 7).toString('base64'))
    for (const wrong of [(await newKey()).key, other])
      expect(decryptBefore(sealed, wrong)).to.have.nested.property('failure.code', 'bad-secret')
  })

  it('reads the key file of that system, and seals with what is derived of it', async () => {
    const file = path.join(newDirectory('key'), 'kept.key')
    writeFileSync(file, Buffer.from(reveal(key), 'base64'), { mode: 0o600 })
    const read = unwrap(await readKeyFile(file))
    expect(read && reveal(read)).to.equal(reveal(key))
    const stored = encryptSecret(secret('new'), key)
    expect(isEncrypted(stored)).to.equal(true)
    expect(reveal(unwrap(decryptSecret(stored, key)))).to.equal('new')
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
