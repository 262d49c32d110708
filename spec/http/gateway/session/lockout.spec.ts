// Guessing passwords.
import { expect } from 'chai'
import { type Attempt, createLockout, LOCKOUT_WINDOW } from '../../../../http/gateway/session/lockout.js'
import { MINUTE } from '../../../../lib/base/time.js'

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

  it('leaves the user alone elsewhere, so that no user locks others out', () => {
    expect(fill(3, () => here).isLocked({ user: 'ann', address: '10.0.0.2' })).to.equal(false)
  })

  const linesOf = (lockout: ReturnType<typeof createLockout>, attempt: Attempt) =>
    lockout.enter(attempt).lines.map(({ key, everyMs, longestMs }) => [key, everyMs, longestMs])
  const userLine = ['u ann', 500, 10_000]
  const freshLine = ['fresh u ann', 200, 10_000]
  const elsewhere = { user: 'ann', address: '10.0.0.2' }
  const triedFrom = (times: number) => fill(times, (index) => ({ user: 'ann', address: `10.0.1.${index}` }))

  it('makes nobody wait below ten failures of an address and thirty of a user', () => {
    const lockout = fill(9, (index) => ({ user: `user${index}`, address: '10.0.0.1' }))
    expect(linesOf(lockout, here)).to.deep.equal([])
    expect(linesOf(triedFrom(29), here)).to.deep.equal([])
  })

  it('lets attempts from an address that tries many users wait in its line, and locks none out', () => {
    const lockout = fill(10, (index) => ({ user: `user${index}`, address: '10.0.0.1' }))
    expect(lockout.isLocked(here)).to.equal(false)
    expect(linesOf(lockout, here)).to.deep.equal([['a 10.0.0.1', 500, 10_000]])
    expect(linesOf(lockout, elsewhere)).to.deep.equal([])
  })

  it('has a line for addresses without a failure apart from those that failed, for a user that many try', () => {
    const lockout = triedFrom(30)
    expect(linesOf(lockout, elsewhere)).to.deep.equal([freshLine])
    expect(linesOf(lockout, { user: 'ann', address: '10.0.1.7' })).to.deep.equal([userLine])
    expect(linesOf(lockout, { user: 'bob', address: '10.0.1.7' })).to.deep.equal([])
  })

  it('takes one attempt of an address at a time into the line of fresh ones', () => {
    const lockout = triedFrom(30)
    const first = lockout.enter(elsewhere)
    expect(linesOf(lockout, elsewhere)).to.deep.equal([userLine])
    first.leave('admitted')
    expect(linesOf(lockout, elsewhere)).to.deep.equal([freshLine])
  })

  it('takes who was refused there into the line of the others for two seconds: asking often gives no more chances', () => {
    const lockout = triedFrom(30)
    lockout.enter(elsewhere).leave('refused')
    at = 1_999
    expect(linesOf(lockout, elsewhere)).to.deep.equal([userLine])
    at = 2_000
    expect(linesOf(lockout, elsewhere)).to.deep.equal([freshLine])
  })

  it('knows for an hour who failed, longer than it locks', () => {
    const lockout = triedFrom(1)
    const guess = { user: 'ann', address: '10.0.1.0' }
    for (const minutes of [59, 60]) {
      at = minutes * MINUTE
      for (let index = 0; index < 30; index += 1) lockout.failed({ user: 'ann', address: `10.0.2.${minutes}${index}` })
      expect(linesOf(lockout, guess)).to.deep.equal([minutes < 60 ? userLine : freshLine])
      lockout.enter(guess).leave('admitted')
    }
  })

  it('takes all networks of a site for known ones when many of them failed', () => {
    const networks = (times: number) => fill(times, (index) => ({ user: 'ann', address: `2001:db8:0:${index}::1` }))
    const other = (lockout: ReturnType<typeof createLockout>) => {
      for (let index = 0; index < 30; index += 1) lockout.failed({ user: 'ann', address: `10.0.1.${index}` })
      return linesOf(lockout, { user: 'ann', address: '2001:db8:0:ffff::1' })
    }
    expect(other(networks(15))).to.deep.equal([freshLine])
    expect(other(networks(16))).to.deep.equal([userLine])
  })

  it('lets who logged in from there before, and who is on this machine, pass the lines', () => {
    const lockout = triedFrom(30)
    lockout.succeeded({ user: 'ann', address: '10.0.0.9' })
    expect(linesOf(lockout, { user: 'ann', address: '10.0.0.9' })).to.deep.equal([])
    expect(linesOf(lockout, { user: 'ann', address: '127.0.0.1', local: true })).to.deep.equal([])
  })

  it('takes what a proxy on this machine forwards for another place than the machine itself', () => {
    const forwarded = { user: 'admin', address: '127.0.0.1' }
    const lockout = fill(36, () => forwarded)
    expect(lockout.isLocked(forwarded)).to.equal(true)
    expect(lockout.isLocked({ ...forwarded, local: true })).to.equal(false)
    expect(linesOf(lockout, { ...forwarded, local: true })).to.deep.equal([])
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

  it('starts again with a success, but not for other users of the address', () => {
    const lockout = fill(2, () => here)
    lockout.succeeded(here)
    lockout.failed(here)
    expect(lockout.isLocked(here)).to.equal(false)

    const guesser = fill(10, (index) => ({ user: `user${index}`, address: '10.0.0.1' }))
    guesser.succeeded({ user: 'own', address: '10.0.0.1' })
    expect(linesOf(guesser, here)).to.have.length(1)
  })

  describe('under a hundred thousand wrong logins', () => {
    const somewhere = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
    const flood = (lockout: ReturnType<typeof createLockout>, meanwhile: () => void) => {
      for (let index = 0; index < 100_000; index += 1) {
        lockout.failed({ user: `${'x'.repeat(200)}${index}`, address: somewhere(index) })
        if (index % 1_000 === 0) meanwhile()
      }
    }

    it('keeps the lines of a user that is tried on', () => {
      const lockout = triedFrom(30)
      flood(lockout, () => lockout.enter(elsewhere).leave('admitted'))
      expect(linesOf(lockout, elsewhere)).to.deep.equal([freshLine])
    })

    it('forgets who tried longest ago, so that it holds no more than sixty thousand counts', () => {
      const lockout = fill(2, () => here)
      flood(lockout, () => {})
      lockout.failed(here)
      expect(lockout.isLocked(here)).to.equal(false)
    })
  })
})
