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

  it('leaves the user alone elsewhere, so that no user locks others out', () => {
    expect(fill(3, () => here).isLocked({ user: 'ann', address: '10.0.0.2' })).to.equal(false)
  })

  for (const [title, times, failing, next] of [
    ['an address that tries many users', 10, (index: number) => ({ user: `user${index}`, address: '10.0.0.1' }), 'b'],
    [
      'a user that is tried from many addresses',
      30,
      (index: number) => ({ user: 'b', address: `10.0.1.${index}` }),
      'b',
    ],
  ] as const)
    it(`locks no user out for ${title}: attempts take turns, half a second apart, up to ten seconds`, () => {
      const lockout = fill(times, failing)
      const attempt = { user: next, address: '10.0.0.1' }
      expect(lockout.isLocked(attempt)).to.equal(false)
      const turns = Array.from({ length: 22 }, () => lockout.turnOf(attempt))
      expect(turns.slice(0, 21)).to.deep.equal(Array.from({ length: 21 }, (_, index) => index * 500))
      expect(turns[21]).to.equal(undefined)
      at = 5_000
      expect(lockout.turnOf(attempt)).to.equal(5_500)
    })

  it('lets who logged in from there before, and who is on this machine, pass the turns', () => {
    const lockout = fill(30, (index) => ({ user: 'ann', address: `10.0.1.${index}` }))
    lockout.succeeded({ user: 'ann', address: '10.0.0.9' })
    while (lockout.turnOf({ user: 'ann', address: '10.0.0.1' }) !== undefined);
    expect(lockout.turnOf({ user: 'ann', address: '10.0.0.9' })).to.equal(0)
    expect(lockout.turnOf({ user: 'ann', address: '127.0.0.1', local: true })).to.equal(0)
  })

  it('takes what a proxy on this machine forwards for another place than the machine itself', () => {
    const forwarded = { user: 'admin', address: '127.0.0.1' }
    const lockout = fill(36, () => forwarded)
    expect(lockout.isLocked(forwarded)).to.equal(true)
    expect(lockout.isLocked({ ...forwarded, local: true })).to.equal(false)
    expect(lockout.turnOf({ ...forwarded, local: true })).to.equal(0)
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
    expect([guesser.turnOf(here), guesser.turnOf(here)]).to.deep.equal([500, 1000].map((ms) => ms - 500))
  })

  describe('under a hundred thousand wrong logins', () => {
    const somewhere = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
    const flood = (lockout: ReturnType<typeof createLockout>, meanwhile: () => void) => {
      for (let index = 0; index < 100_000; index += 1) {
        lockout.failed({ user: `${'x'.repeat(200)}${index}`, address: somewhere(index) })
        if (index % 1_000 === 0) meanwhile()
      }
    }

    it('keeps the turns of who goes on trying', () => {
      const lockout = fill(30, (index) => ({ user: 'ann', address: `192.0.2.${index}` }))
      flood(lockout, () => lockout.turnOf({ user: 'ann', address: '192.0.2.200' }))
      expect(lockout.turnOf({ user: 'ann', address: '192.0.2.201' })).to.equal(undefined)
    })

    it('forgets who tried longest ago, so that it holds no more than thirty thousand counts', () => {
      const lockout = fill(2, () => here)
      flood(lockout, () => {})
      lockout.failed(here)
      expect(lockout.isLocked(here)).to.equal(false)
    })
  })
})
