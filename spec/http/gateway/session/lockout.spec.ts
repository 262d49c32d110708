// Guessing passwords.
import { expect } from 'chai'
import { createLockout, LOCKOUT_WINDOW } from '../../../../http/gateway/session/lockout.js'

describe('createLockout', () => {
  let at = 0
  const now = () => at
  const fill = (times: number, attempt: (index: number) => { user: string; address: string }) => {
    at = 0
    const lockout = createLockout(now)
    for (let index = 0; index < times; index += 1) lockout.failed(attempt(index))
    return lockout
  }
  const here = { user: 'ann', address: '10.0.0.1' }

  it('locks a user at an address with the third failure', () => {
    expect(fill(2, () => here).isLocked(here)).to.equal(false)
    expect(fill(3, () => here).isLocked(here)).to.equal(true)
  })

  it('leaves the user alone elsewhere, so that nobody locks others out', () => {
    expect(fill(3, () => here).isLocked({ user: 'ann', address: '10.0.0.2' })).to.equal(false)
  })

  it('locks an address that tries many users', () => {
    const lockout = fill(10, (index) => ({ user: `user${index}`, address: '10.0.0.1' }))
    expect(lockout.isLocked({ user: 'other', address: '10.0.0.1' })).to.equal(true)
  })

  it('locks a user that is tried from many addresses', () => {
    const lockout = fill(30, (index) => ({ user: 'ann', address: `10.0.1.${index}` }))
    expect(lockout.isLocked({ user: 'ann', address: '10.9.9.9' })).to.equal(true)
  })

  it('takes an IPv6 network as one address', () => {
    const lockout = fill(3, (index) => ({ user: 'ann', address: `2001:db8::${index}` }))
    expect(lockout.isLocked({ user: 'ann', address: '2001:db8:0:0:ffff::1' })).to.equal(true)
    expect(lockout.isLocked({ user: 'ann', address: '2001:db8:0:1::1' })).to.equal(false)
  })

  it('forgets three minutes after the first failure', () => {
    const lockout = fill(3, () => here)
    at = LOCKOUT_WINDOW - 1
    expect(lockout.isLocked(here)).to.equal(true)
    at = LOCKOUT_WINDOW
    expect(lockout.isLocked(here)).to.equal(false)
  })

  it('starts anew with a success, but not for other users of the address', () => {
    const lockout = fill(2, () => here)
    lockout.succeeded(here)
    lockout.failed(here)
    expect(lockout.isLocked(here)).to.equal(false)

    const guesser = fill(10, (index) => ({ user: `user${index}`, address: '10.0.0.1' }))
    guesser.succeeded({ user: 'own', address: '10.0.0.1' })
    expect(guesser.isLocked(here)).to.equal(true)
  })

  describe('under a hundred thousand wrong logins', () => {
    const somewhere = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
    const flood = (lockout: ReturnType<typeof createLockout>, meanwhile: () => void) => {
      for (let index = 0; index < 100_000; index += 1) {
        lockout.failed({ user: `${'x'.repeat(200)}${index}`, address: somewhere(index) })
        if (index % 1_000 === 0) meanwhile()
      }
    }

    it('keeps the lock of whoever goes on trying', () => {
      const lockout = fill(30, (index) => ({ user: 'ann', address: `192.0.2.${index}` }))
      flood(lockout, () => expect(lockout.isLocked({ user: 'ann', address: '192.0.2.200' })).to.equal(true))
      expect(lockout.isLocked({ user: 'ann', address: '192.0.2.201' })).to.equal(true)
    })

    it('forgets who tried longest ago, so that it holds no more than thirty thousand counts', () => {
      const lockout = fill(2, () => here)
      flood(lockout, () => {})
      lockout.failed(here)
      expect(lockout.isLocked(here)).to.equal(false)
    })
  })
})
