// Reads of views over real sockets: the second one on a connection is answered like the first, and a change counts at once.
import { Agent } from 'node:http'
import { expect } from 'chai'
import { fail, ok } from '../../../lib/base/result.js'
import { secret } from '../../../lib/base/secret.js'
import {
  type Answer,
  openTokens,
  startTestGateway,
  type TestGateway,
  testAccess,
  testLive,
} from '../../support/http/test-gateway.js'

const VIEW = '/api/clusters/c1/topology/servers'
const PROBLEM = { Accept: 'application/problem+json' }

interface Question {
  readonly path?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

describe('a read of a view', () => {
  const large = Buffer.from(JSON.stringify(Array.from({ length: 300 }, (_, id) => ({ id }))))
  let test: TestGateway
  let boss: { Authorization: string }
  const used: string[] = []
  before(async () => {
    const tokens = await openTokens()
    const note = tokens.used.bind(tokens)
    tokens.used = (id, address) => {
      used.push(id)
      note(id, address)
    }
    test = await startTestGateway({ tokens })
    boss = await test.bearer()
  })
  after(() => test.close())
  beforeEach(() => {
    test.face.names.add('c1')
    test.face.stopped.clear()
    test.face.views.set('c1/servers', { bytes: large, etag: '3-7', at: 0 })
    test.gateway.reconfigure(testLive)
  })

  /** Asks on one connection, one thing after the other. */
  const talk = async (...questions: readonly (Question | (() => void | Promise<void>))[]): Promise<Answer> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    let last: Answer | undefined
    for (const one of questions) {
      if (typeof one === 'function') await one()
      else last = await test.ask(one.path ?? VIEW, { ...one, agent })
    }
    agent.destroy()
    if (!last) throw new Error('nothing was asked')
    return last
  }
  const comparable = ({ status, headers, bytes }: Answer) => {
    const { date, 'x-request-id': id, ...others } = headers
    return { status, headers: others, body: bytes.toString('base64') }
  }

  for (const [title, question] of [
    ['a read', {}],
    ['a client that accepts gzip', { headers: { 'Accept-Encoding': 'br, gzip' } }],
    ['one that refuses it', { headers: { 'Accept-Encoding': 'gzip;q=0' } }],
    ['a version the client has', { headers: { 'If-None-Match': 'W/"3-7"' } }],
    ['one of several versions', { headers: { 'If-None-Match': '"1-1", "3-7"', 'Accept-Encoding': 'gzip' } }],
    ['any version', { headers: { 'If-None-Match': '*' } }],
    ['a version that is gone', { headers: { 'If-None-Match': 'W/"3-6"' } }],
    ['a page of another site', { headers: { Origin: 'https://elsewhere.example' } }],
    ['a path with escapes', { path: '/api/clusters/%631/topology/servers' }],
  ] as const satisfies readonly (readonly [string, Question])[]) {
    it(`answers ${title} alike each time`, async () => {
      const asked: Question = { ...question, headers: { ...boss, ...('headers' in question ? question.headers : {}) } }
      const [first, again] = [await talk(asked), await talk({ headers: boss }, asked)]
      expect(comparable(again)).to.deep.equal(comparable(first))
      expect(first.status).to.be.oneOf([200, 304])
    })
  }

  for (const [title, status, question] of [
    ['HEAD', 200, { method: 'HEAD' }],
    ['OPTIONS', 204, { method: 'OPTIONS' }],
    ['POST', 405, { method: 'POST' }],
    ['a body', 200, { headers: { 'Content-Length': '0' } }],
    ['a query', 200, { path: `${VIEW}?x=1` }],
    ['a row that is no view', 200, { path: '/api/clusters' }],
    ['a cluster that is not there', 500, { path: '/api/clusters/c9/topology/servers' }],
    ['a cluster that is not there, as a problem', 500, { path: '/api/clusters/c9/topology/servers', headers: PROBLEM }],
    ['a cluster without the view', 503, { path: '/api/clusters/c2/topology/servers' }],
    ['a path with a second slash', 404, { path: '/api/clusters//c1/topology/servers' }],
    ['a path with dots', 404, { path: '/api/clusters/c2/../c1/topology/servers' }],
    ['an escaped slash', 404, { path: '/api/clusters/c1%2ftopology/servers' }],
    ['a slash at the end', 404, { path: `${VIEW}/` }],
    ['capitals', 404, { path: VIEW.toUpperCase() }],
    ['another scheme', 401, { headers: { Authorization: 'Basic eDp5' } }],
    ['no scheme', 401, { headers: { Authorization: 'x' } }],
  ] as const satisfies readonly (readonly [string, number, Question])[]) {
    it(`answers ${title} alike each time`, async () => {
      const asked: Question = { ...question, headers: { ...boss, ...('headers' in question ? question.headers : {}) } }
      const [first, again] = [await talk(asked), await talk({ headers: boss }, asked)]
      expect(again.status).to.equal(status)
      expect(comparable(again)).to.deep.equal(comparable(first))
    })
  }

  describe('on a connection that has read before', () => {
    for (const [title, status, change] of [
      ['the cluster is gone', 500, () => void test.face.names.delete('c1')],
      ['the owner restarts', 503, () => void test.face.views.delete('c1/servers')],
      [
        'the user is gone',
        401,
        () =>
          test.gateway.reconfigure({ ...testLive, access: { ...testAccess, credentials: secret('viewer:see-only') } }),
      ],
      [
        'the password is another',
        401,
        () => test.gateway.reconfigure({ ...testLive, access: { ...testAccess, credentials: secret('boss:new') } }),
      ],
      [
        'the user holds nothing there any more',
        403,
        () => test.gateway.reconfigure({ ...testLive, access: { ...testAccess, allow: 'boss:show:c2' } }),
      ],
      [
        'everything it held was taken back',
        403,
        () =>
          test.gateway.reconfigure({
            ...testLive,
            access: { ...testAccess, allow: 'boss:show', discard: 'boss:show' },
          }),
      ],
    ] as const) {
      it(`answers ${status} as soon as ${title}`, async () => {
        const asked = { headers: { ...boss, 'If-None-Match': '*' } }
        const again = await talk(asked, asked, change, asked)
        expect(again.status).to.equal(status)
        expect(comparable(again)).to.deep.equal(comparable(await talk(asked)))
      })
    }

    it('answers what the owner publishes now', async () => {
      const publish = () => void test.face.views.set('c1/servers', { bytes: Buffer.from('[]'), etag: '3-8', at: 0 })
      const asked = { headers: { ...boss, 'If-None-Match': 'W/"3-7"', 'Accept-Encoding': 'gzip' } }
      const answer = await talk(asked, publish, asked)
      expect([answer.status, answer.body, answer.headers.etag]).to.deep.equal([200, '[]', 'W/"3-8"'])
      expect(answer.headers).to.not.have.property('content-encoding')
    })

    it('identifies every request of a connection by its own token', async () => {
      const asked = { headers: boss }
      expect((await talk(asked, asked, {})).status).to.equal(401)
      const nobody = { headers: await test.bearer('nobody', 'none') }
      expect((await talk(asked, asked, nobody, nobody)).status).to.equal(403)
      expect((await talk(nobody, nobody, asked, asked)).status).to.equal(200)
    })

    it('opens to a user its own clusters only', async () => {
      const headers = await test.bearer('viewer', 'see-only')
      test.face.views.set('c2/servers', { bytes: large, etag: '1-1', at: 0 })
      const other = { path: '/api/clusters/c2/topology/servers', headers }
      expect((await talk({ headers }, { headers }, other, other)).status).to.equal(403)
      test.face.views.delete('c2/servers')
    })

    it('lets a well-known password in from this machine only', async () => {
      const headers = await test.bearer('admin', 'repman')
      expect((await talk({ headers }, { headers })).status).to.equal(200)
      const behindProxy = { headers: { ...headers, 'X-Forwarded-For': '192.0.2.1' } }
      const answer = await talk({ headers }, { headers }, behindProxy)
      expect(answer.status).to.equal(401)
    })

    it('serves what a stopped cluster has published last, or says that it was stopped', async () => {
      test.face.stopped.set('c1', 'crashed')
      const asked = { headers: boss }
      expect(comparable(await talk(asked, asked))).to.deep.equal(comparable(await talk(asked)))
    })
  })

  it('holds API tokens to their scope, notes their use and refuses them once revoked', async () => {
    const make = async (wish: object) => {
      const body = JSON.stringify({ label: 'x', grants: 'show', ...wish })
      const headers = { 'Content-Type': 'application/json', ...boss }
      return JSON.parse((await test.ask('/api/tokens', { method: 'POST', headers, body })).body)
    }
    const asked = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })
    const [own, other] = [await make({ clusters: ['c1'] }), await make({ clusters: ['c2'] })]
    expect((await talk(asked(other.token), asked(other.token))).status).to.equal(403)
    const answer = await talk(asked(own.token), asked(own.token))
    expect(answer.status).to.equal(200)
    expect(used.filter((id) => id === own.id)).to.have.lengthOf(2)
    const revoke = async () => void (await test.ask(`/api/tokens/${own.id}`, { method: 'DELETE', headers: boss }))
    expect((await talk(asked(own.token), asked(own.token), revoke, asked(own.token))).status).to.equal(401)
  })

  it('answers 500 for a row that throws and logs it once', async () => {
    const view = test.face.view
    test.face.view = async () => {
      throw new Error('broken view')
    }
    const broken = { headers: boss }
    const before = test.logged.length
    const answer = await talk({ path: '/api/clusters', headers: boss }, broken)
    test.face.view = view
    expect(answer.status).to.equal(500)
    expect(test.logged.slice(before).map(({ code }) => code)).to.deep.equal(['request-failed'])
  })

  it('answers failures of a row with their status and text', async () => {
    const view = test.face.view
    test.face.view = async () => fail('unknown-cluster', 'gone in between')
    const answer = await talk({ path: '/api/clusters', headers: boss }, { headers: boss })
    test.face.view = async () => ok({ bytes: Buffer.from('{}'), etag: '1', at: 0 })
    const after = await talk({ headers: boss }, { headers: boss })
    test.face.view = view
    expect([answer.status, answer.body]).to.deep.equal([500, 'Cluster Not Found\n'])
    expect([after.status, after.body]).to.deep.equal([200, '{}'])
  })
})
