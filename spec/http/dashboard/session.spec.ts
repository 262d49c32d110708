// The session of a browser, with a server that refuses to renew it.
import { expect } from 'chai'
import {
  endedBecause,
  logIn,
  logOut,
  refreshSession,
  sessionState,
} from '../../../http/dashboard/src/client/session.js'

const answers = {
  '/api/session': () => Response.json({ token: 't', user: 'ann', expiresAt: Date.now() + 3_600_000 }),
  '/api/session/refresh': () => Response.json({ title: 'no session' }, { status: 401 }),
} as Readonly<Record<string, () => Response>>

describe('the session of the dashboard', () => {
  const given = { fetch: globalThis.fetch, location: globalThis.location }
  before(() => {
    globalThis.fetch = ((path: string) =>
      Promise.resolve(answers[path]?.() ?? Response.json({}, { status: 404 }))) as typeof fetch
    globalThis.location = { pathname: '/c/shop' } as Location
  })
  after(async () => {
    await logOut()
    Object.assign(globalThis, given)
  })

  it('says that it has ended, also when a request that was on its way is refused later', async () => {
    expect(await logIn('ann', 'secret')).to.equal(undefined)
    expect(sessionState.value).to.equal('open')
    for (let refused = 0; refused < 2; refused += 1) {
      expect(await refreshSession()).to.equal(false)
      expect([sessionState.value, endedBecause.value]).to.deep.equal(['closed', 'Your session has ended.'])
    }
  })
})
