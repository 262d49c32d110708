// The existing system's own page, replayed: its requests in the order of a load and of its tabs, what it reads of the answers.
import { expect } from 'chai'
import { addressOf, type PageRequest, pageHeaders, pageMenus, pageTabs } from '../../support/http/page-requests.js'
import { fillIn } from '../../support/http/settled-wire.js'
import type { Answer } from '../../support/http/test-gateway.js'
import { typesOf } from '../../support/http/types-of.js'
import { openWire, type Wire } from '../../support/http/wire.js'

const lock = {
  ...{ thread_id: 7, lock_mode: 'MDL_SHARED_READ', lock_duration: 'MDL_TRANSACTION', lock_time_ms: 12 },
  ...{ lock_type: 'Table metadata lock', lock_catalog: 'def', lock_schema: 'shop', lock_name: 'orders' },
}

/** The page takes JSON by its type; any other text of a GET is an error to it, unless it is JSON as well. */
function readByPage({ headers, body }: Answer): unknown {
  const type = headers['content-type']
  if (type === undefined) return body === '' ? null : body
  return JSON.parse(body)
}

describe('the page of the existing system', () => {
  let wire: Wire
  before(async () => {
    wire = await openWire()
    fillIn(wire)
  })
  after(() => wire.close())
  afterEach(() => wire.face.replies.clear())

  const send = ({ method, path, body }: PageRequest): Promise<Answer> =>
    wire.ask(addressOf(path, { cluster: 'demo', server: 'db1' }), {
      method,
      headers: pageHeaders,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })

  it('logs in: the token comes as a text that it parses itself', async () => {
    const login = { method: 'POST', body: '{"username":"admin","password":"repman"}' }
    const answer = await wire.ask('/api/login', { ...login, headers: pageHeaders })
    expect([answer.status, answer.headers['content-type']]).to.deep.equal([200, 'text/plain; charset=utf-8'])
    expect(JSON.parse(answer.body).token).to.be.a('string')
    const typed = await wire.ask('/api/login', { ...login, headers: { ...pageHeaders, Accept: 'application/json' } })
    expect(typed.headers['content-type']).to.equal('application/json; charset=utf-8')
    const bare = await wire.ask('/api/login', { ...login, headers: { ...pageHeaders, Accept: 'text/html' } })
    expect(bare.body.split('.')).to.have.length(5)
  })

  it('gets no token without a password unless the settings give one', async () => {
    expect((await wire.ask('/api/autologin', { headers: pageHeaders })).status).to.equal(404)
    expect((await wire.ask('/api/dashboard-token', { headers: pageHeaders })).status).to.equal(404)
  })

  for (const [tab, requests] of Object.entries(pageTabs))
    describe(`loads ${tab}`, () => {
      for (const request of requests)
        it(`${request.method} ${request.path}`, async () => {
          if (request.path === 'S/meta-data-locks') wire.face.replies.set('read', { at: 1_000, rows: [lock] })
          const answer = await send(request)
          expect(answer.status, answer.body).to.equal(200)
          expect(answer.headers['content-type']).to.match(/^application\/json/)
          const { reads = {} } = request
          const found = typesOf(readByPage(answer))
          expect(Object.fromEntries(Object.keys(reads).map((path) => [path, found[path]]))).to.deep.equal(reads)
        })
    })

  for (const [menu, requests] of Object.entries(pageMenus))
    describe(`acts by the menu ${menu}`, () => {
      for (const request of requests)
        it(`${request.method} ${request.path}`, async () => {
          const answer = await send(request)
          expect(answer.status, answer.body).to.equal(200)
          if (request.text === undefined) expect(() => readByPage(answer)).not.to.throw()
          else expect(answer.body).to.equal(request.text)
        })
    })

  it('shows tables of no master as an empty list with the reason', async () => {
    wire.face.replies.set('snapshot', { servers: [] })
    const answer = await wire.ask('/api/clusters/demo/schema')
    expect([answer.body, answer.headers['x-empty-reason']]).to.deep.equal(['[]', 'the cluster has no master'])
  })

  it('reads the tables of the master, what was read last where it is down', async () => {
    wire.face.calls.length = 0
    await wire.ask('/api/clusters/demo/schema')
    expect(wire.face.calls.at(-1)).to.deep.equal({ name: 'read', given: { server: 'db1', what: 'tables', last: true } })
  })

  it('gives proxies by POST the text of the contract', async () => {
    const answer = await wire.ask('/api/clusters/demo/proxies/px1/actions/start', { method: 'POST' })
    expect([answer.status, answer.body]).to.deep.equal([200, 'Proxy Service Started'])
  })
})
