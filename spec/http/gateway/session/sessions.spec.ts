// Logins and tokens over real sockets: what opens, and every way in that stays shut.
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { CompactEncrypt, SignJWT } from 'jose'
import { secret } from '../../../../lib/base/secret.js'
import { now } from '../../../../lib/base/time.js'
import { startTestGateway, type TestGateway, testAccess, testLive } from '../../../support/http/test-gateway.js'

describe('createSessions', () => {
  let test: TestGateway
  beforeEach(async () => {
    test = await startTestGateway()
  })
  afterEach(() => test.close())

  const read = async (token: string, headers = {}) =>
    (await test.ask('/api/clusters', { headers: { Authorization: `Bearer ${token}`, ...headers } })).status
  const tokenOf = async (user = 'boss', password = 'right-password') =>
    JSON.parse((await test.login(user, password)).body).token as string

  describe('login', () => {
    it('gives a token as JSON, and bare to a client that asks for HTML', async () => {
      const json = await test.login('boss', 'right-password', { Accept: 'application/json' })
      expect(json.headers['content-type']).to.equal('application/json; charset=utf-8')
      expect(json.headers['cache-control']).to.equal('no-store')
      expect(await read(JSON.parse(json.body).token)).to.equal(200)
      const bare = await test.login('boss', 'right-password', { Accept: 'text/html' })
      expect(bare.body).to.match(/^[\w-]+(\.[\w-]+){4}$/)
      expect(await read(bare.body)).to.equal(200)
    })

    it('refuses a wrong password and an unknown user alike', async () => {
      const wrong = await test.login('boss', 'wrong')
      const unknown = await test.login('stranger', 'wrong')
      expect([wrong.status, wrong.body]).to.deep.equal([401, 'Invalid credentials\n'])
      expect([unknown.status, unknown.body]).to.deep.equal([401, 'Invalid credentials\n'])
    })

    it('refuses with 403 a client that sends no Accept header, which the existing command line client is', async () => {
      const body = JSON.stringify({ username: 'boss', password: 'wrong' })
      const headers = { 'Content-Type': 'application/json' }
      const answer = await test.ask('/api/login', { method: 'POST', headers, body })
      expect([answer.status, answer.body]).to.deep.equal([403, 'Invalid credentials\n'])
      expect(answer.headers).to.not.have.property('www-authenticate')
    })

    it('takes an object for JSON whatever type curl and wget give it, and a form for a form', async () => {
      const type = (value: string) => ({ Accept: '*/*', 'Content-Type': value })
      const form = type('application/x-www-form-urlencoded')
      for (const [headers, body] of [
        [form, '{"username":"boss","password":"right-password"}'],
        [type('text/plain'), ' {"username":"boss","password":"right-password"}'],
        [form, 'username=boss&password=right-password'],
      ] as const)
        expect((await test.ask('/api/login', { method: 'POST', headers, body })).status, body).to.equal(200)
    })

    it('refuses a body that is no login with 400', async () => {
      for (const body of ['{', '{}', '{"username":"boss"}', '{"username":["boss"],"password":"x"}', '"boss"']) {
        const answer = await test.ask('/api/login', { method: 'POST', body })
        expect([answer.status, answer.body], body).to.deep.equal([400, 'Error in request\n'])
      }
    })

    it('logs in a user who holds no grant, and shows it nothing', async () => {
      const answer = await test.ask('/api/clusters', { headers: await test.bearer('nobody', 'none') })
      expect([answer.status, answer.body]).to.deep.equal([200, '[]'])
    })

    it('locks the login with the fourth try, also for the right password, and logs no password', async () => {
      for (const password of ['guess-1', 'guess-2', 'guess-3'])
        expect((await test.login('boss', password)).status).to.equal(401)
      const locked = await test.login('boss', 'right-password')
      expect([locked.status, locked.headers['retry-after']]).to.deep.equal([429, '180'])
      expect((await test.login('viewer', 'see-only')).status).to.equal(200)
      expect(test.logged.map(({ code }) => code)).to.include.members(['login-failed', 'login-locked', 'login'])
      expect(JSON.stringify(test.logged)).to.not.match(/guess|right-password|see-only/)
    })

    it('counts tries that come all at once', async () => {
      const answers = await Promise.all(Array.from({ length: 12 }, () => test.login('boss', 'guess')))
      expect(answers.filter(({ status }) => status === 401)).to.have.length(3)
      expect(answers.filter(({ status }) => status === 429)).to.have.length(9)
    })
  })

  describe('tokens', () => {
    it('open again and again, under any case of the scheme', async () => {
      const token = await tokenOf()
      expect([await read(token), await read(token)]).to.deep.equal([200, 200])
      const { status } = await test.ask('/api/clusters', { headers: { Authorization: `bEARER ${token}` } })
      expect(status).to.equal(200)
    })

    it('are refused when any part is cut, changed or added', async () => {
      const token = await tokenOf()
      const parts = token.split('.')
      const flip = (text: string, at: number) => text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
      const forged = [
        ...[token.slice(0, -1), token.slice(0, 100), `${token}A`, `${token}.x`, token.toUpperCase(), ''],
        ...parts.map((part, index) => parts.with(index, flip(part, Math.floor(part.length / 2))).join('.')),
        ...parts.map((_part, index) => parts.with(index, '').join('.')),
        ...[`${token} ${token}`, 'a.b.c', `${token.slice(0, 200)}${'A'.repeat(5_000)}`],
      ]
      for (const one of forged) expect(await read(one), one.slice(0, 60)).to.equal(401)
      expect(await read(token)).to.equal(200)
    })

    it('are refused with algorithm none, signed with another key, or signed but not sealed', async () => {
      const token = await tokenOf()
      const claims = { iss: 'urn:manager', sub: 'boss', fp: 'x', exp: Math.floor(now() / 1000) + 60 }
      const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const none = `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const foreign = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(privateKey)
      const sealed = await new CompactEncrypt(Buffer.from(foreign))
        .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT' })
        .encrypt(publicKey)
      const confusedHead = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
      const pem = publicKey.export({ type: 'spki', format: 'pem' })
      const confused = `${confusedHead}.${createHmac('sha256', pem).update(confusedHead).digest('base64url')}`
      // The head of a genuine token on the body of a foreign one.
      const grafted = [token.split('.')[0], ...sealed.split('.').slice(1)].join('.')
      for (const one of [none, foreign, sealed, confused, grafted]) expect(await read(one)).to.equal(401)
    })

    it('do not outlive the process they were made in', async () => {
      const token = await tokenOf()
      await test.close()
      test = await startTestGateway()
      expect(await read(token)).to.equal(401)
    })

    it('end with the password they were given for, at once and on an open connection', async () => {
      const token = await tokenOf()
      const other = await tokenOf('viewer', 'see-only')
      expect([await read(token), await read(other)]).to.deep.equal([200, 200])
      const credentials = secret('boss:new-password,viewer:see-only')
      test.gateway.reconfigure({ ...testLive, access: { ...testAccess, credentials } })
      expect([await read(token), await read(other)]).to.deep.equal([401, 200])
      expect(await read(await tokenOf('boss', 'new-password'))).to.equal(200)
    })

    it('end with the user', async () => {
      const token = await tokenOf()
      test.gateway.reconfigure({ ...testLive, access: { ...testAccess, credentials: secret('viewer:see-only') } })
      expect(await read(token)).to.equal(401)
    })

    it('follow a change of the grants at once', async () => {
      const headers = await test.bearer()
      const path = '/api/clusters/c1/actions/switchover'
      expect((await test.ask(path, { headers })).status).to.equal(200)
      test.gateway.reconfigure({ ...testLive, access: { ...testAccess, allow: 'boss:show' } })
      expect((await test.ask(path, { headers })).status).to.equal(403)
    })

    it('end with their lifetime', async () => {
      test.gateway.reconfigure({ ...testLive, access: testAccess, tokenHours: 0 })
      expect(await read(await tokenOf())).to.equal(401)
    })

    it('show neither user nor password', async () => {
      const token = await tokenOf()
      const readable = token.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
      expect(readable.join('\n')).to.not.match(/boss|right-password/)
    })

    it('identify the caller to an open row, and a bad one does not close it', async () => {
      const good = await test.ask('/api/status', { headers: await test.bearer() })
      const bad = await test.ask('/api/status', { headers: { Authorization: 'Bearer nonsense' } })
      expect(JSON.parse(good.body).user).to.equal('boss')
      expect([bad.status, JSON.parse(bad.body).user]).to.deep.equal([200, ''])
    })
  })

  describe('the shipped password', () => {
    it('works on this machine, and is reported', async () => {
      expect(await read(await tokenOf('admin', 'repman'))).to.equal(200)
      expect(test.gateway.defaultCredentialsInUse()).to.deep.equal(['admin'])
      test.gateway.reconfigure({ ...testLive, access: { ...testAccess, credentials: secret('admin:own') } })
      expect(test.gateway.defaultCredentialsInUse()).to.deep.equal([])
    })

    for (const [what, headers] of [
      ['behind a proxy', { 'X-Forwarded-For': '10.0.0.9' }],
      ['from a page of another site', { Origin: 'https://example.org' }],
      ['under a foreign name', { Host: 'rebound.example.org' }],
    ] as const) {
      it(`is refused ${what}, at the login and with a token`, async () => {
        expect((await test.login('admin', 'repman', headers)).status).to.equal(401)
        const token = await tokenOf('admin', 'repman')
        expect([await read(token), await read(token, headers)]).to.deep.equal([200, 401])
        expect((await test.login('boss', 'right-password', headers)).status).to.equal(200)
      })
    }
  })
})
