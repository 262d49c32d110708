import { createPrivateKey } from 'node:crypto'
import { expect } from 'chai'
import {
  makeKeys,
  publicKeyOf,
  readKeys,
  readStatement,
  type Statement,
  signStatement,
} from '../../../lib/agent/statement.js'
import { unwrap } from '../../../lib/base/result.js'

const statement: Statement = {
  ...{ cluster: 'shop', primary: { id: 'db1', name: 'db1:3306', host: 'db1', port: 3306 } },
  ...{ nonce: 'n', writable: true, probedMs: 1, validMs: 10_000 },
}

describe('a statement', () => {
  const [ours, other] = [makeKeys(), makeKeys()]
  const keys = unwrap(readKeys(`${other.publicKey}${publicKeyOf(ours.privateKey)}`))
  const line = signStatement(statement, createPrivateKey(ours.privateKey))

  it('is read by anyone who has the public key, one of several', () => {
    expect(unwrap(readStatement(`${line}\n`, keys))).to.deep.equal(statement)
  })

  it('is refused when another key signed it, or one byte differs', () => {
    expect(readStatement(line, unwrap(readKeys(other.publicKey))).ok).to.equal(false)
    const [text = '', signature = ''] = line.split('.')
    const forged = Buffer.from(JSON.stringify({ ...statement, nonce: 'm' })).toString('base64url')
    for (const bad of [`${forged}.${signature}`, text, `${text}.`, `${line}.x`, '', 'x.y'])
      expect(readStatement(bad, keys).ok, bad).to.equal(false)
  })

  it('needs at least one Ed25519 key', () => {
    for (const text of ['', ours.privateKey, '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'])
      expect(readKeys(text).ok).to.equal(false)
  })
})
