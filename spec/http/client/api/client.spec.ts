// The client by fetch against a real gateway: values, failures, plans, what goes along with an answer.
import { expect } from 'chai'
import { routes } from '../../../../http/api/index.js'
import { requestOf } from '../../../../http/client/api/address.js'
import { createClient } from '../../../../http/client/api/client.js'
import { ScriptedFace } from '../../../support/http/scripted-face.js'
import { startTestGateway, type TestGateway } from '../../../support/http/test-gateway.js'

describe('requestOf', () => {
  it('puts values into path and query, whatever they hold', () => {
    const given = { params: { cluster: 'a/b c', server: 'db:1' }, query: { filter: 'x&y=1', limit: 5 } }
    expect(requestOf('GET /api/clusters/:cluster/servers/:server/status', given)).to.deep.equal([
      'GET',
      '/api/clusters/a%2Fb%20c/servers/db%3A1/status?filter=x%26y%3D1&limit=5',
    ])
  })

  it('sends no value that is undefined, and a list value by value', () => {
    const query = { limit: undefined, target: ['a', 'b'], plan: true }
    expect(requestOf('GET /x', { query })).to.deep.equal(['GET', '/x?target=a&target=b&plan=true'])
    expect(requestOf('GET /x', { query: { limit: undefined } })).to.deep.equal(['GET', '/x'])
  })
})

describe('createClient', () => {
  let gateway: TestGateway
  const clientWith = (token?: string) =>
    createClient({ base: `http://127.0.0.1:${gateway.gateway.apiPort}`, ...(token === undefined ? {} : { token }) })
  const loggedIn = async () => {
    const reply = await clientWith().call('POST /api/login', { body: { username: 'admin', password: 'repman' } })
    return clientWith(reply.ok ? reply.value.token : '')
  }

  before(async () => {
    gateway = await startTestGateway({ manager: new ScriptedFace(), routes })
  })
  after(() => gateway.close())

  it('logs in and reads what a token opens', async () => {
    const client = await loggedIn()
    const clusters = await client.call('GET /api/clusters')
    expect(clusters.ok && clusters.value.length).to.be.greaterThan(0)
  })

  it('answers with the failure of the manager: status, code and text', async () => {
    const refused = await clientWith().call('GET /api/clusters')
    expect(refused.ok || refused.failure.status).to.equal(401)
    const client = await loggedIn()
    const unknown = await client.call('GET /api/clusters/:cluster/topology/servers', { params: { cluster: 'nowhere' } })
    expect(unknown.ok || unknown.failure).to.include({ status: 500, code: 'unknown-cluster' })
  })

  it('answers with a failure where nothing listens, or the answer takes too long', async () => {
    const silent = createClient({
      fetch: (_url, { signal } = {}) =>
        new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted')))),
    })
    const reply = await silent.call('GET /api/status', { timeoutMs: 5 })
    expect(reply.ok || reply.failure).to.include({ status: 0, code: 'unreachable' })
  })

  it('asks for a plan, and for nothing else', async () => {
    const asked: string[] = []
    const client = createClient({
      base: 'http://manager.test',
      token: () => 'x',
      fetch: async (url, { method, headers } = {}) => {
        asked.push(`${method} ${url} ${new Headers(headers).get('authorization')}`)
        return Response.json({ possible: true }, { headers: { Location: '/api/jobs/1', Age: '2' } })
      },
    })
    const params = { cluster: 'shop' }
    const planned = await client.plan('POST /api/clusters/:cluster/actions/switchover', {
      params,
      query: { wait: true },
    })
    expect(planned).to.deep.equal({ ok: true, value: { possible: true }, location: '/api/jobs/1', ageMs: 2_000 })
    await client.call('GET /api/status', { anonymous: true })
    expect(asked).to.deep.equal([
      'POST http://manager.test/api/clusters/shop/actions/switchover?wait=true&plan=true Bearer x',
      'GET http://manager.test/api/status null',
    ])
  })
})
