// Sessions of browsers over real sockets: what opens, what each secret is worth afterwards, and every way in that stays shut.
import { createHmac } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { noHistory } from '../../../../http/api/views/kit/me.js'
import { REPEAT_MS } from '../../../../lib/access/refresh.js'
import { secret } from '../../../../lib/base/secret.js'
import { DAY, HOUR, MINUTE, now, SECOND } from '../../../../lib/base/time.js'
import { BrowserSessions } from '../../../../lib/store/index.js'
import { makeLoginCode } from '../../../../lib/store/manager/login-codes.js'
import { Browser } from '../../../support/http/browser.js'
import { startTestGateway, type TestGateway, testAccess, testLive } from '../../../support/http/test-gateway.js'
import { newDirectory } from '../../../support/machine/directories.js'

describe('sessions of browsers', () => {
  let workingDir: string
  let test: TestGateway
  let browser: Browser
  const restart = async () => {
    await test?.close()
    test = await startTestGateway({ workingDir })
    browser?.moveTo(test)
  }
  beforeEach(async () => {
    workingDir = newDirectory('working')
    await restart()
    browser = new Browser(test)
  })
  afterEach(() => test.close())

  /** Moves the times of what is stored, as if so much had passed; with a restart, which reads them. */
  const age = async (ms: number, unusedMs = ms) => {
    await test.close()
    const file = path.join(workingDir, 'browser-sessions.json')
    const stored = JSON.parse(await readFile(file, 'utf8'))
    for (const session of stored.value.sessions) {
      session.usedAt -= unusedMs
      session.createdAt -= ms
      if (session.previous) session.previous.at -= ms
    }
    await writeFile(file, JSON.stringify(stored))
    await restart()
  }

  describe('a login', () => {
    it('gives a token for a quarter of an hour, and a cookie that no script and no other page gets', async () => {
      const answer = await browser.login()
      expect(answer.status, answer.body).to.equal(200)
      const { token, expiresAt, user } = JSON.parse(answer.body)
      expect(user).to.equal('boss')
      expect(expiresAt - now()).to.be.within(14 * 60 * SECOND, 15 * 60 * SECOND)
      expect(await browser.reads(token)).to.equal(200)
      const cookie = answer.headers['set-cookie']?.[0] ?? ''
      expect(cookie).to.match(
        /^manager-session-[0-9a-f]{8}=[0-9a-f]{24}\.[\w-]{43}; Path=\/api\/session; Max-Age=3600; HttpOnly; SameSite=Strict$/,
      )
      expect(answer.headers['cache-control']).to.equal('no-store')
      expect(answer.headers).to.not.have.property('etag')
    })

    it('marks the cookie as secure over TLS, by a name that plain pages cannot set', async () => {
      const { headers } = await browser.login({ tls: true })
      expect(headers['set-cookie']?.[0]).to.match(/^__Secure-manager-session-.*; Secure$/)
    })

    it('takes no cookie of a plain connection over TLS', async () => {
      await browser.login()
      expect((await browser.refresh({ tls: true })).status).to.equal(401)
    })

    it('refuses a wrong password, and locks as the login of scripts does', async () => {
      for (let attempt = 0; attempt < 3; attempt += 1)
        expect((await browser.login({ password: 'wrong' })).status).to.equal(401)
      expect((await browser.login()).status).to.equal(429)
      expect((await test.login('boss', 'right-password')).status, 'one count for both').to.equal(429)
      expect(browser.cookie).to.equal(undefined)
    })

    it('never takes over an id or a secret that the browser brings: fixation', async () => {
      await browser.login()
      const planted = browser.cookie
      const victim = new Browser(test, planted)
      const answer = await victim.login({ user: 'viewer', password: 'see-only' })
      expect(answer.status).to.equal(200)
      const [before, after] = [planted, victim.cookie].map((pair) => pair?.split(/[=.]/)) as [string[], string[]]
      expect(after[1], 'the id').to.not.equal(before[1])
      expect(after[2], 'the secret').to.not.equal(before[2])
      expect((await new Browser(test, planted).refresh()).status, 'the planted session is over').to.equal(401)
    })

    it('of the shipped password works on this machine only', async () => {
      expect((await browser.login({ user: 'admin', password: 'repman' })).status).to.equal(200)
      const forwarded = { 'X-Forwarded-For': '203.0.113.9' }
      expect((await browser.login({ user: 'admin', password: 'repman', headers: forwarded })).status).to.equal(401)
      expect((await browser.refresh({ headers: forwarded })).status).to.equal(401)
    })
  })

  describe('a refresh', () => {
    it('gives another token and another cookie', async () => {
      const { token } = JSON.parse((await browser.login()).body)
      const before = browser.cookie
      const answer = await browser.refresh()
      expect(answer.status, answer.body).to.equal(200)
      expect(browser.cookie).to.not.equal(before)
      const next = JSON.parse(answer.body)
      expect(next.token).to.not.equal(token)
      expect(await browser.reads(next.token)).to.equal(200)
    })

    it('is refused without a cookie, with another one, and with a bearer token alone', async () => {
      const { token } = JSON.parse((await browser.login()).body)
      const headers = { Authorization: `Bearer ${token}` }
      expect((await new Browser(test).refresh({ headers })).status).to.equal(401)
      const name = browser.cookie?.split('=')[0]
      for (const value of ['', 'x', `${'0'.repeat(24)}.${'A'.repeat(43)}`])
        expect((await new Browser(test, `${name}=${value}`).refresh()).status, value).to.equal(401)
    })

    it('of two tabs at once opens both, with one cookie', async () => {
      await browser.login()
      const [one, other] = [new Browser(test, browser.cookie), new Browser(test, browser.cookie)]
      const answers = await Promise.all([one.refresh(), other.refresh()])
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200])
      expect(one.cookie).to.equal(other.cookie)
      expect((await one.refresh()).status).to.equal(200)
    })

    it('with a secret that was replaced and used since ends the session, token and all', async () => {
      const { token } = JSON.parse((await browser.login()).body)
      const stolen = browser.cookie
      await browser.refresh()
      await browser.refresh()
      expect((await new Browser(test, stolen).refresh()).status).to.equal(401)
      expect((await browser.refresh()).status, 'the owner, too').to.equal(401)
      expect(await browser.reads(token), 'its tokens').to.equal(401)
      expect(test.logged).to.deep.include.members([test.logged.find(({ fields }) => fields.why === 'reuse')])
    })

    it(`with a secret that was replaced more than ${REPEAT_MS / SECOND} s ago ends the session`, async () => {
      await browser.login()
      const stolen = browser.cookie
      await browser.refresh()
      await age(REPEAT_MS)
      expect((await new Browser(test, stolen).refresh()).status).to.equal(401)
      expect((await browser.refresh()).status).to.equal(401)
    })

    it('is refused when the session was not used for http-session-lifetime', async () => {
      await browser.login()
      await age(HOUR - 10 * SECOND)
      expect((await browser.refresh()).status).to.equal(200)
      await age(HOUR)
      expect((await browser.refresh()).status).to.equal(401)
      expect((await browser.refresh()).status).to.equal(401)
    })

    it('is refused after thirty days, however often it was used', async () => {
      await browser.login()
      await age(30 * DAY - MINUTE, MINUTE)
      expect((await browser.refresh()).status).to.equal(200)
      await age(MINUTE)
      expect((await browser.refresh()).status).to.equal(401)
    })
  })

  describe('a restart of the manager', () => {
    it('ends tokens and keeps sessions', async () => {
      const { token } = JSON.parse((await browser.login()).body)
      await restart()
      expect(await browser.reads(token)).to.equal(401)
      const answer = await browser.refresh()
      expect(answer.status, answer.body).to.equal(200)
      expect(await browser.reads(JSON.parse(answer.body).token)).to.equal(200)
    })

    it('between a refresh and its reply ends nothing', async () => {
      await browser.login()
      const before = browser.cookie
      await browser.refresh()
      await restart()
      const again = new Browser(test, before)
      expect((await again.refresh()).status).to.equal(200)
      expect((await again.refresh()).status).to.equal(200)
    })

    it('leaves no session to a password that was changed meanwhile', async () => {
      await browser.login()
      const credentials = secret('boss:new-password,viewer:see-only')
      await test.close()
      test = await startTestGateway({ workingDir, access: { ...testAccess, credentials } })
      browser.moveTo(test)
      expect((await browser.refresh()).status).to.equal(401)
    })

    it('brings back no session that was ended, and no user that is gone', async () => {
      const other = new Browser(test)
      await other.login({ user: 'viewer', password: 'see-only' })
      await browser.login()
      await browser.logout()
      await test.close()
      test = await startTestGateway({
        workingDir,
        access: { ...testAccess, credentials: secret('boss:right-password') },
      })
      for (const one of [browser, other]) one.moveTo(test)
      expect([(await browser.refresh()).status, (await other.refresh()).status]).to.deep.equal([401, 401])
    })

    it('finds neither a secret nor anything to try passwords on in the file', async () => {
      await browser.login()
      const text = await readFile(path.join(workingDir, 'browser-sessions.json'), 'utf8')
      const [, secretText = ''] = browser.cookie?.split('.') ?? []
      expect(text).to.not.include(secretText)
      const { browserSessions } = await BrowserSessions.open(path.join(workingDir, 'browser-sessions.json'))
      const digest = createHmac('sha256', browserSessions.derive('fingerprint')).update('boss\0right-password').digest()
      for (const form of ['hex', 'base64url'] as const) expect(text).to.not.include(digest.toString(form))
    })
  })

  describe('what ends one', () => {
    it('a logout: token and cookie are dead, and the browser forgets the cookie', async () => {
      const { token } = JSON.parse((await browser.login()).body)
      const before = browser.cookie
      const answer = await browser.logout()
      expect([answer.status, answer.body]).to.deep.equal([200, ''])
      expect(answer.headers['set-cookie']?.[0]).to.match(/Max-Age=0/)
      expect(await browser.reads(token)).to.equal(401)
      expect((await new Browser(test, before).refresh()).status).to.equal(401)
    })

    it('a logout by the token alone, and by the cookie alone; without either nothing happens', async () => {
      const { token } = JSON.parse((await browser.login()).body)
      const headers = { Authorization: `Bearer ${token}` }
      expect((await new Browser(test).logout()).status).to.equal(200)
      expect(await browser.reads(token)).to.equal(200)
      expect((await new Browser(test).logout({ headers })).status).to.equal(200)
      expect(await browser.reads(token)).to.equal(401)
      expect((await browser.refresh()).status).to.equal(401)
    })

    it('a logout leaves the other sessions of the user', async () => {
      const other = new Browser(test)
      const { token } = JSON.parse((await other.login()).body)
      await browser.login()
      await browser.logout()
      expect(await other.reads(token)).to.equal(200)
    })

    it('another password, at once', async () => {
      const { token } = JSON.parse((await browser.login()).body)
      const credentials = secret('boss:new-password,viewer:see-only')
      test.gateway.reconfigure({ ...testLive, access: { ...testAccess, credentials } })
      expect(await browser.reads(token)).to.equal(401)
      test.gateway.reconfigure(testLive)
      expect((await browser.refresh()).status, 'also when the old one returns').to.equal(401)
    })

    it('the removal of its user', async () => {
      const { token } = JSON.parse((await browser.login({ user: 'viewer', password: 'see-only' })).body)
      test.gateway.reconfigure({ ...testLive, access: { ...testAccess, credentials: secret('boss:right-password') } })
      expect(await browser.reads(token)).to.equal(401)
      expect((await browser.refresh()).status).to.equal(401)
    })
  })

  describe('a page of another origin', () => {
    for (const [name, headers] of [
      ['by its fetch metadata', { 'Sec-Fetch-Site': 'cross-site' }],
      ['of another port', { 'Sec-Fetch-Site': 'same-site' }],
      ['by its origin', { Origin: 'https://evil.example.com' }],
      ['without an origin of its own', { Origin: 'null' }],
    ] as const)
      it(`can neither log in, refresh nor log out: ${name}`, async () => {
        const { token } = JSON.parse((await browser.login()).body)
        for (const answer of [
          await browser.login({ headers }),
          await browser.refresh({ headers }),
          await browser.logout({ headers }),
          await browser.link('mlc_x', { headers }),
          await browser.ask('POST', '/api/session/sign-on', { headers }),
          await browser.ask('POST', '/api/session/signed-on', { headers, body: { state: 'x' } }),
        ]) {
          expect(answer.status, answer.body).to.equal(403)
          expect(answer.headers).to.not.have.property('set-cookie')
        }
        expect(await browser.reads(token), 'the session goes on').to.equal(200)
      })

    it('differs from the page of the manager, by either header', async () => {
      const origin = `http://127.0.0.1:${test.gateway.apiPort}`
      for (const headers of [{ Origin: origin }, { 'Sec-Fetch-Site': 'same-origin' }, {}] as const)
        expect((await browser.login({ headers })).status).to.equal(200)
    })
  })

  it('acts by the bearer token only, never by the cookie', async () => {
    await browser.login()
    const answer = await browser.ask('POST', '/api/clusters/c1/actions/switchover', {
      headers: { Cookie: browser.cookie ?? '' },
    })
    expect(answer.status).to.equal(401)
  })

  describe('a one-time code', () => {
    const codeOf = async (headers: Readonly<Record<string, string>>) => {
      const answer = await test.ask('/api/session/codes', { method: 'POST', headers })
      return { status: answer.status, ...(answer.status === 200 ? JSON.parse(answer.body) : {}) }
    }

    it('logs in who asked for it, once', async () => {
      const { code, path: at, expiresAt } = await codeOf(await test.bearer())
      expect(at).to.equal(`/login#code=${code}`)
      expect(expiresAt - now()).to.be.within(9 * 60 * SECOND, 10 * 60 * SECOND)
      const answer = await browser.link(code)
      expect(JSON.parse(answer.body).user).to.equal('boss')
      expect((await browser.refresh()).status).to.equal(200)
      expect((await new Browser(test).link(code)).status).to.equal(401)
    })

    it('opens for one of many who send it at once', async () => {
      const { code } = await codeOf(await test.bearer())
      const answers = await Promise.all(Array.from({ length: 3 }, () => new Browser(test).link(code)))
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
    })

    it('is given to nobody without a login, and to no API token', async () => {
      expect((await codeOf({})).status).to.equal(401)
      const made = await test.ask('/api/tokens', {
        method: 'POST',
        headers: { ...(await test.bearer()), 'Content-Type': 'application/json' },
        body: JSON.stringify({ label: 'x', grants: '', clusters: [], expireDays: 1 }),
      })
      const { token } = JSON.parse(made.body)
      expect((await codeOf({ Authorization: `Bearer ${token}` })).status).to.equal(403)
    })

    it('is dead after another password, and after its time', async () => {
      const { code } = await codeOf(await test.bearer())
      const credentials = secret('boss:new-password')
      test.gateway.reconfigure({ ...testLive, access: { ...testAccess, credentials } })
      expect((await browser.link(code)).status).to.equal(401)
      const late = await makeLoginCode(workingDir, { user: 'boss', at: now() - HOUR })
      expect(late.ok && (await browser.link(late.value.secret)).status).to.equal(401)
    })

    it('of the machine logs in any user there is', async () => {
      const made = await makeLoginCode(workingDir, { user: 'viewer', at: now() })
      expect(made.ok && JSON.parse((await browser.link(made.value.secret)).body).user).to.equal('viewer')
      const stranger = await makeLoginCode(workingDir, { user: 'stranger', at: now() })
      expect(stranger.ok && (await browser.link(stranger.value.secret)).status).to.equal(401)
    })

    it('cannot be guessed: after three wrong ones the address waits', async () => {
      const { code } = await codeOf(await test.bearer())
      for (let attempt = 0; attempt < 3; attempt += 1)
        expect((await browser.link(`mlc_${'A'.repeat(42)}${attempt}`)).status).to.equal(401)
      expect((await browser.link(code)).status).to.equal(429)
    })

    it('cannot name a file elsewhere', async () => {
      for (const code of ['../browser-sessions.json', 'mlc_../../x', 'mlc_\0'])
        expect((await new Browser(test).link(code)).status, code).to.be.oneOf([400, 401])
    })
  })

  it('log who logged in and out, and no secret', async () => {
    const { token } = JSON.parse((await browser.login()).body)
    const cookie = browser.cookie ?? ''
    await browser.logout()
    expect(test.logged.map(({ code }) => code)).to.include.members(['login', 'logout'])
    const text = JSON.stringify(test.logged)
    for (const hidden of [token, cookie.split('.')[1], 'right-password']) expect(text).to.not.include(hidden)
  })

  it('stay open when their file cannot be written, which is logged', async () => {
    await test.close()
    test = await startTestGateway({ workingDir: path.join(workingDir, 'no', 'such', 'folder') })
    browser.moveTo(test)
    expect((await browser.login()).status).to.equal(200)
    expect((await browser.refresh()).status).to.equal(200)
    expect(test.logged.map(({ code }) => code)).to.include('sessions-unsaved')
  })
})

describe('a visitor of the dashboard', () => {
  let test: TestGateway
  before(async () => {
    test = await startTestGateway({ visitors: { dashboard: 'boss', autologin: 'boss' } })
  })
  after(() => test.close())

  it('reads as its user, and every action is refused', async () => {
    const { token } = JSON.parse((await test.ask('/api/dashboard-token')).body)
    const headers = { Authorization: `Bearer ${token}` }
    expect((await test.ask('/api/clusters', { headers })).status).to.equal(200)
    for (const method of ['GET', 'POST'])
      expect((await test.ask('/api/clusters/c1/actions/switchover', { method, headers })).status, method).to.equal(403)
    expect((await test.ask('/api/session/codes', { method: 'POST', headers })).status).to.equal(403)
    const { kind, readOnly } = JSON.parse((await test.ask('/api/me', { headers })).body)
    expect({ kind, readOnly }).to.deep.equal({ kind: 'visitor', readOnly: true })
  })

  it('is not one who comes in by api-autologin', async () => {
    const { token } = JSON.parse((await test.ask('/api/autologin')).body)
    const answer = await test.ask('/api/me', { headers: { Authorization: `Bearer ${token}` } })
    expect(JSON.parse(answer.body)).to.include({ kind: 'visitor', readOnly: false })
  })
})

describe('GET /api/me', () => {
  let test: TestGateway
  before(async () => {
    test = await startTestGateway()
  })
  after(() => test.close())
  const me = async (headers: Readonly<Record<string, string>>) =>
    JSON.parse((await test.ask('/api/me', { headers })).body)

  it('says who the caller is, until when, and what it may do where', async () => {
    const boss = await me(await test.bearer())
    expect(boss).to.include({ user: 'boss', kind: 'login', readOnly: false, refreshMs: 4_000 })
    expect(boss.expiresAt).to.be.greaterThan(now())
    expect(boss.grants.server).to.include('global-settings')
    expect(boss.grants.sets[boss.grants.clusters.c1]).to.include('cluster-switchover').and.not.include('cluster-delete')
    const viewer = await me(await test.bearer('viewer', 'see-only'))
    expect(viewer).to.include({ readOnly: true })
    expect(viewer.grants).to.deep.equal({ server: [], sets: [['show']], clusters: { c1: 0 } })
    expect((await me(await test.bearer('nobody', 'none'))).grants).to.deep.equal({ server: [], sets: [], clusters: {} })
  })

  it('says where longer history is, as soon as that is set', async () => {
    expect((await me(await test.bearer())).history).to.include({ prometheus: null, grafana: null })
    const history = { ...noHistory, grafana: 'https://grafana.example.com', grafanaCluster: 'mine' }
    test.gateway.reconfigure({ ...testLive, history })
    expect((await me(await test.bearer())).history).to.deep.equal(history)
    test.gateway.reconfigure(testLive)
  })

  it('narrows an API token to its scope', async () => {
    const made = await test.ask('/api/tokens', {
      method: 'POST',
      headers: { ...(await test.bearer()), 'Content-Type': 'application/json' },
      body: JSON.stringify({ label: 'x', grants: 'db-start', clusters: ['c1'], expireDays: -1 }),
    })
    const { token } = JSON.parse(made.body)
    const found = await me({ Authorization: `Bearer ${token}` })
    expect(found).to.include({ kind: 'api-token', expiresAt: null })
    expect(found.grants).to.deep.equal({ server: [], sets: [['db-start']], clusters: { c1: 0 } })
  })
})
