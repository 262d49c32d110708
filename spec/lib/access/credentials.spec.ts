// Passwords: who has which, without keeping them.
import { inspect } from 'node:util'
import { expect } from 'chai'
import { parseCredentials } from '../../../lib/access/credentials.js'
import { secret } from '../../../lib/base/secret.js'

describe('parseCredentials', () => {
  const credentials = parseCredentials(secret('ann:pass:word, bob:two,ann:other,broken,:none,empty:'))

  it('takes everything behind the first colon as the password', () => {
    expect(credentials.verify('ann', 'pass:word')).to.equal(true)
  })

  it('keeps the first of two entries of a user', () => {
    expect(credentials.verify('ann', 'other')).to.equal(false)
  })

  for (const [user, password] of [
    ['ann', ''],
    ['bob', 'Two'],
    ['broken', ''],
    ['', 'none'],
    ['empty', ''],
    ['nobody', ''],
  ] as const) {
    it(`refuses '${user}' with '${password}'`, () => {
      expect(credentials.verify(user, password)).to.equal(false)
    })
  }

  it('gives a fingerprint that changes with the password', () => {
    const same = parseCredentials(secret('bob:two'))
    const changed = parseCredentials(secret('bob:three'))
    expect(same.fingerprint('bob')).to.equal(credentials.fingerprint('bob'))
    expect(changed.fingerprint('bob')).to.not.equal(credentials.fingerprint('bob'))
    expect(credentials.fingerprint('nobody')).to.equal(undefined)
  })

  it('names the users whose password is the shipped one', () => {
    expect([...parseCredentials(secret('admin:repman,dba:own')).defaults]).to.deep.equal(['admin'])
  })

  it('shows no password when it is printed', () => {
    expect(inspect(credentials, { depth: 9, showHidden: true })).to.not.include('pass:word')
  })
})
