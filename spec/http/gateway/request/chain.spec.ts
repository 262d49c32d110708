// Requests over real sockets: what is answered, what is refused and how.
import { METHODS } from 'node:http'
import { expect } from 'chai'
import { fail } from '../../../../lib/base/result.js'
import { sendRaw, startTestGateway, type TestGateway, testLive } from '../../../support/http/test-gateway.js'

const SWITCHOVER = '/api/clusters/c1/actions/switchover'
const PROBLEM = { Accept: 'application/problem+json' }

describe('createChain', () => {
  let test: TestGateway
  let boss: { Authorization: string }
  before(async () => {
    test = await startTestGateway()
    boss = await test.bearer()
  })
  after(() => test.close())
  beforeEach(() => {
    test.face.asks.length = 0
    test.face.reply = { ok: true, value: undefined }
  })

  describe('refusals', () => {
    it('answers 404 for a path that is no row and no page', async () => {
      const { status, body, headers } = await test.ask('/api/nothing')
      expect([status, body, headers['content-type']]).to.deep.equal([404, 'Not found\n', 'text/plain; charset=utf-8'])
    })

    it('answers 405 and names the methods', async () => {
      const { status, headers } = await test.ask('/api/status', { method: 'DELETE' })
      expect([status, headers.allow]).to.deep.equal([405, 'GET, HEAD, OPTIONS'])
    })

    it('answers 401 without a token, as text and as a problem', async () => {
      const plain = await test.ask('/api/clusters')
      expect([plain.status, plain.body]).to.deep.equal([401, 'Unauthenticated resource\n'])
      expect(plain.headers['www-authenticate']).to.equal('Bearer')
      const problem = await test.ask('/api/clusters', { headers: PROBLEM })
      expect(problem.headers['content-type']).to.equal('application/problem+json')
      expect(JSON.parse(problem.body)).to.deep.equal({
        type: 'urn:manager:failure:not-logged-in',
        title: 'The request carries no valid token.',
        status: 401,
        detail: 'the request has no bearer token',
        code: 'not-logged-in',
        hint: 'Log in with POST /api/login, or manager-cli login.',
      })
    })

    it('answers 403 for a missing grant and names it in the problem', async () => {
      const viewer = await test.bearer('viewer', 'see-only')
      const plain = await test.ask(SWITCHOVER, { headers: viewer })
      expect([plain.status, plain.body]).to.deep.equal([403, 'No valid ACL\n'])
      const problem = await test.ask(SWITCHOVER, { headers: { ...viewer, ...PROBLEM } })
      expect(JSON.parse(problem.body).detail).to.equal('viewer has no grant cluster-switchover or cluster-failover')
      expect(test.face.asks).to.deep.equal([])
    })

    it('does not show a user which clusters exist besides its own', async () => {
      const viewer = await test.bearer('viewer', 'see-only')
      const other = await test.ask('/api/clusters/c2/topology/servers', { headers: viewer })
      const none = await test.ask('/api/clusters/c9/topology/servers', { headers: viewer })
      expect([other.status, none.status, none.body]).to.deep.equal([403, 403, other.body])
    })

    it("answers with the row's own status and text", async () => {
      const view = await test.ask('/api/clusters/c9/topology/servers', { headers: boss })
      expect([view.status, view.body]).to.deep.equal([500, 'Cluster Not Found\n'])
      const action = await test.ask('/api/clusters/c9/actions/switchover', { headers: boss })
      expect([action.status, action.body]).to.deep.equal([500, 'No cluster\n'])
      test.face.reply = fail('primary-failed', 'db1 is down')
      const failed = await test.ask(SWITCHOVER, { headers: boss })
      expect([failed.status, failed.body]).to.deep.equal([400, 'Master failed\n'])
      const problem = await test.ask(SWITCHOVER, { headers: { ...boss, ...PROBLEM } })
      expect(JSON.parse(problem.body).detail).to.equal('db1 is down')
    })

    it('answers 503 with Retry-After for a full mailbox', async () => {
      test.face.reply = fail('mailbox-full', 'c1 has 1000 messages waiting')
      const { status, headers, body } = await test.ask(SWITCHOVER, { headers: boss })
      expect([status, headers['retry-after'], body]).to.deep.equal([503, '1', 'c1 has 1000 messages waiting\n'])
    })

    it('answers 503 for a cluster that was stopped', async () => {
      test.face.stopped.set('c8', 'crashed 5 times')
      const { status, body } = await test.ask('/api/clusters/c8/actions/switchover', { headers: boss })
      expect([status, body]).to.deep.equal([503, 'c8 was stopped: crashed 5 times\n'])
    })

    it('answers a row that throws with 500 and no details, and logs them', async () => {
      const { status, body, headers } = await test.ask('/api/broken')
      expect(status).to.equal(500)
      expect(body).to.equal(`internal error, request ${headers['x-request-id']}\n`)
      const entry = test.logged.find(({ code }) => code === 'request-failed')
      expect(entry?.fields.request).to.equal(headers['x-request-id'])
      expect(entry?.fields.stack).to.include('broken row')
    })
  })

  describe('bodies', () => {
    const post = (body: string, headers: Record<string, string> = {}) =>
      test.ask(SWITCHOVER, { method: 'POST', body, headers: { ...boss, ...headers } })
    const candidate = () => test.face.asks.map(({ payload }) => payload)

    it('takes JSON, form fields, a query and nothing', async () => {
      await post('{"prefmaster":"a"}', { 'Content-Type': 'application/json' })
      await post('prefmaster=b', { 'Content-Type': 'application/x-www-form-urlencoded' })
      await test.ask(`${SWITCHOVER}?prefmaster=c`, { headers: boss })
      await post('')
      expect(candidate()).to.deep.equal([
        { user: 'x', wait: true, candidate: 'a' },
        { user: 'x', wait: true, candidate: 'b' },
        { user: 'x', wait: true, candidate: 'c' },
        { user: 'x', wait: true },
      ])
    })

    it('answers an action with 200 and nothing', async () => {
      const { status, bytes, headers } = await post('')
      expect([status, bytes.length, headers['content-type']]).to.deep.equal([200, 0, undefined])
    })

    it('refuses what is not JSON, and fields of the wrong type by name without their value', async () => {
      const broken = await post('{"prefmaster":', { 'Content-Type': 'application/json' })
      expect([broken.status, broken.body]).to.deep.equal([400, 'the body is not JSON\n'])
      const wrong = await post('{"prefmaster":{"secret":"hush"}}')
      expect(wrong.status).to.equal(400)
      expect(wrong.body).to.include('prefmaster: ').and.not.include('hush')
      const list = await post('[1]')
      expect(list.status).to.equal(400)
    })

    it('lets no body reach the prototype of anything', async () => {
      const sent = await post('{"__proto__":{"prefmaster":"x"},"constructor":1}', {
        'Content-Type': 'application/json',
      })
      expect([sent.status, candidate()]).to.deep.equal([400, []])
    })

    it('refuses a body over 1 MB by its declared length and by its actual one', async () => {
      const declared = await sendRaw(
        test.gateway.apiPort,
        `POST ${SWITCHOVER} HTTP/1.1\r\nHost: x\r\nContent-Length: 1048577\r\n\r\n`,
      )
      expect(declared).to.match(/^HTTP\/1\.1 413 /)
      expect(declared).to.include('the body is larger than 1048576 bytes')
      const chunk = `80000\r\n${'x'.repeat(0x80000)}\r\n`
      const head = `POST ${SWITCHOVER} HTTP/1.1\r\nHost: x\r\nAuthorization: ${boss.Authorization}\r\n`
      const actual = await sendRaw(
        test.gateway.apiPort,
        `${head}Transfer-Encoding: chunked\r\n\r\n`,
        chunk,
        chunk,
        chunk,
      )
      expect(actual).to.match(/^HTTP\/1\.1 413 /)
    })
  })

  describe('paths', () => {
    it('keeps an encoded slash inside its parameter', async () => {
      const path = '/api/clusters/settings/actions/set/backup-dir/%2Fvar%2Fbackup'
      const { body } = await test.ask(path, { method: 'POST', headers: boss })
      expect(JSON.parse(body)).to.deep.equal({ name: 'backup-dir', value: '/var/backup' })
    })

    it('checks parameters against their shapes', async () => {
      const path = '/api/clusters/settings/actions/set/NOT_A_NAME/1'
      expect((await test.ask(path, { method: 'POST', headers: boss })).status).to.equal(400)
    })

    for (const path of [
      ...[
        '//api/clusters',
        '/api//clusters',
        '/api/./clusters',
        '/api/x/../clusters',
        '/API/clusters',
        '/api/clusters/',
      ],
      ...[
        '/api/clusters.',
        '/api/%63lusters',
        '/api%2Fclusters',
        '/api/clusters%00',
        '/api/clusters;a=b',
        '/api\\clusters',
      ],
    ]) {
      it(`opens nothing at ${path}`, async () => {
        const { status } = await test.ask(path)
        expect([400, 404]).to.include(status)
      })
    }

    for (const name of ['%2e%2e', '%2E', 'a%00b', 'a%0d%0ab', '%ZZ', '%C3']) {
      it(`refuses to decode ${name}`, async () => {
        const { status, body } = await test.ask(`/api/clusters/${name}/topology/servers`, { headers: boss })
        expect([status, body]).to.deep.equal([400, 'cluster: cannot be decoded\n'])
      })
    }

    for (const target of ['http://[::1', 'api/clusters', '*', 'http://x/api/clusters']) {
      it(`refuses the target ${target}`, async () => {
        const answer = await sendRaw(
          test.gateway.apiPort,
          `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
        )
        expect(answer).to.match(/^HTTP\/1\.1 400 /)
      })
    }

    it('resolves servers by id, name, address and host, and not by a host that two share', async () => {
      const id = async (name: string) => {
        const { status, body } = await test.ask(`/api/clusters/c1/servers/${name}/actions/start`, { headers: boss })
        return status === 200 ? JSON.parse(body).id : body
      }
      expect(await id('db2')).to.equal('db2')
      expect(await id('beta')).to.equal('db2')
      expect(await id('10.0.0.2')).to.equal('db2')
      expect(await id('10.0.0.2%3A3306')).to.equal('db2')
      expect(await id('twin%3A2')).to.equal('db4')
      expect(await id('twin')).to.equal('Server Not Found\n')
    })

    it('resolves host and port', async () => {
      test.face.needed = true
      const { status, body } = await test.ask('/api/clusters/c1/servers/twin/3308/need-restart')
      expect([status, body]).to.deep.equal([200, '200 -Need restart!'])
    })

    it('answers checks with their exact bodies', async () => {
      test.face.needed = false
      const no = await test.ask('/api/clusters/c1/servers/alpha/3306/need-restart')
      expect([no.status, no.body]).to.deep.equal([503, '503 -No restart needed!'])
      const unknown = await test.ask('/api/clusters/c1/servers/alpha/3307/need-restart')
      expect([unknown.status, unknown.body]).to.deep.equal([500, '503 -Not a Valid Server!'])
    })
  })

  describe('headers', () => {
    it('sends those of every response', async () => {
      for (const path of ['/api/status', '/api/clusters', '/nothing', '/api/broken', '/api-docs']) {
        const { headers } = await test.ask(path)
        expect(headers['x-content-type-options'], path).to.equal('nosniff')
        expect(headers['access-control-allow-origin'], path).to.equal(undefined)
        expect(headers['x-request-id'], path).to.match(/^[0-9a-f]{8}-[0-9a-z]+$/)
      }
    })

    const origin = 'https://dashboard.example.com'
    const preflight = { Origin: origin, 'Access-Control-Request-Method': 'DELETE' }

    it('lets no page of another origin read anything, unless it is listed', async () => {
      const answer = await test.ask(SWITCHOVER, { method: 'OPTIONS', headers: preflight })
      expect([answer.status, answer.headers['access-control-allow-methods']]).to.deep.equal([204, undefined])
      expect((await test.ask('/api/status', { headers: { Origin: origin } })).headers).to.not.have.any.keys(
        'access-control-allow-origin',
      )
    })

    it('lets pages of listed origins read answers, but no archive and no token without a login', async () => {
      test.gateway.reconfigure({ ...testLive, origins: [origin], visitors: { autologin: 'admin' } })
      try {
        const allowed = async (path: string, from = origin) =>
          (await test.ask(path, { headers: { Origin: from } })).headers['access-control-allow-origin']
        for (const path of ['/api/status', '/api/clusters', '/api/clusters/c1/topology/servers'])
          expect(await allowed(path), path).to.equal(origin)
        expect(await allowed('/api/status', 'https://evil.example.com')).to.equal(undefined)
        for (const path of ['/api/autologin', '/api/dashboard-token', '/api/clusters/c1/servers/alpha/3306/config'])
          expect(await allowed(path), path).to.equal(undefined)
        const answer = await test.ask(SWITCHOVER, { method: 'OPTIONS', headers: preflight })
        expect(answer.headers['access-control-allow-methods']).to.include('DELETE')
        expect(answer.headers['access-control-allow-headers']).to.include('Authorization')
      } finally {
        test.gateway.reconfigure(testLive)
      }
    })

    for (const path of ['/api/status', '/api/clusters', '/', '/api/clusters/c1/servers/alpha/is-master'])
      it(`refuses TRACE of ${path}`, async () => {
        const { status, body } = await test.ask(path, { method: 'TRACE', headers: { Cookie: 'secret' } })
        expect([status, body]).to.deep.equal([405, ''])
      })

    it('answers role checks to the methods of balancers alone', async () => {
      const path = '/api/clusters/c1/servers/alpha/is-master'
      const balancers = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE']
      // CONNECT asks for no path.
      for (const method of METHODS.filter((each) => !balancers.includes(each) && each !== 'CONNECT'))
        expect((await test.ask(path, { method })).status, method).to.equal(405)
      expect((await test.ask(path, { method: 'PUT' })).status).to.equal((await test.ask(path)).status)
    })

    it('answers OPTIONS with what the path takes', async () => {
      const { status, headers } = await test.ask(SWITCHOVER, { method: 'OPTIONS' })
      expect([status, headers.allow]).to.deep.equal([204, 'GET, POST, HEAD, OPTIONS'])
    })

    it('answers HEAD like GET, without the body', async () => {
      const get = await test.ask('/api/status')
      const head = await test.ask('/api/status', { method: 'HEAD' })
      expect([head.status, head.bytes.length]).to.deep.equal([200, 0])
      expect(head.headers['content-length']).to.equal(get.headers['content-length'])
    })

    it('does not let a parameter or a header of the client into the head of a response', async () => {
      const answer = await test.ask('/api/clusters/c1%0d%0aX-Evil:%201/topology/servers', {
        headers: { ...boss, 'X-Request-Id': 'chosen' },
      })
      expect(answer.status).to.equal(400)
      expect(answer.headers).to.not.have.property('x-evil')
      expect(answer.headers['x-request-id']).to.not.equal('chosen')
    })

    it('logs actions with who and where, never with the values in the path', async () => {
      await test.ask('/api/clusters/settings/actions/set/db-password/hush', { method: 'POST', headers: boss })
      const entries = test.logged.filter(({ code }) => code === 'action')
      expect(entries.at(-1)?.fields).to.include({ action: 'set', user: 'boss', address: '127.0.0.1', status: 200 })
      expect(JSON.stringify(entries)).to.not.include('hush')
    })
  })

  describe('pages', () => {
    it('serves an index, the document and its browser from this machine alone', async () => {
      expect((await test.ask('/')).body).to.include('/api-docs')
      expect(JSON.parse((await test.ask('/api-docs/openapi.json')).body)).to.deep.equal({ openapi: '3.1.0' })
      const before = await test.ask('/api-docs/swagger.json')
      expect([before.status, before.headers.location]).to.deep.equal([302, '/api-docs/openapi.json'])
      const page = await test.ask('/api-docs')
      expect(page.headers['content-security-policy']).to.include("default-src 'self'")
      expect(page.body).to.not.match(/https?:/)
      for (const [, file] of page.body.matchAll(/(?:src|href)="([^"]+)"/g)) {
        expect((await test.ask(file ?? '')).status, file).to.equal(200)
      }
    })

    it('serves no other file of the browser, and none outside it', async () => {
      for (const file of ['package.json', 'index.js', '../package.json', '%2e%2e/package.json']) {
        expect((await test.ask(`/api-docs/${file}`)).status, file).to.be.oneOf([400, 404])
      }
    })
  })
})
