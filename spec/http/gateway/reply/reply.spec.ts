// Bodies over real sockets: views with their versions, packed forms, files and streams.
import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { listRoutes } from '../../../../http/api/kit/route.js'
import { priceRoutes } from '../../../../http/api/rows/monitor/price.js'
import { fail, ok } from '../../../../lib/base/result.js'
import { startTestGateway, type TestGateway, testRoutes } from '../../../support/http/test-gateway.js'
import { eventually } from '../../../support/wait.js'

const VIEW = '/api/clusters/c1/topology/servers'
const CONFIG = '/api/clusters/c1/servers/alpha/3306/config'

describe('sendReply', () => {
  let test: TestGateway
  let headers: { Authorization: string }
  const large = Buffer.from(JSON.stringify(Array.from({ length: 300 }, (_, id) => ({ id }))))
  before(async () => {
    test = await startTestGateway()
    headers = await test.bearer()
  })
  after(() => test.close())
  beforeEach(() => test.face.views.set('c1/servers', { bytes: large, etag: '3-7', at: 0 }))

  describe('a statement', () => {
    let test: TestGateway
    let headers: { Authorization: string }
    before(async () => {
      test = await startTestGateway({ routes: [...testRoutes, ...listRoutes(priceRoutes)] })
      headers = await test.bearer()
    })
    after(() => test.close())

    for (const [title, query, accept, type] of [
      ['is JSON', '', '*/*', 'application/json; charset=utf-8'],
      ['is CSV for a client whose Accept names that', '', 'text/csv', 'text/csv; charset=utf-8'],
      ['is CSV for form=csv', '?form=csv', '*/*', 'text/csv; charset=utf-8'],
    ] as const)
      it(title, async () => {
        const answer = await test.ask(`/api/global/price/2026-11${query}`, { headers: { ...headers, Accept: accept } })
        expect([answer.status, answer.headers['content-type']]).to.deep.equal([200, type])
        expect(answer.body).to.match(
          type.startsWith('text') ? /^month,final,currency,[\s\S]+,90\r\n$/ : /"monthCost":90/,
        )
      })

    it('of no month is a bad request', async () => {
      expect((await test.ask('/api/global/price/2026-13', { headers })).status).to.equal(400)
    })
  })

  describe('view', () => {
    it('sends the bytes of the owner with their version', async () => {
      const answer = await test.ask(VIEW, { headers })
      expect(answer.bytes.equals(large)).to.equal(true)
      expect(answer.headers.etag).to.equal('W/"3-7"')
      expect(answer.headers['cache-control']).to.equal('private, no-cache')
      expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8')
    })

    for (const [tag, status] of [
      ['W/"3-7"', 304],
      ['"3-7"', 304],
      ['"1-1", W/"3-7"', 304],
      ['*', 304],
      ['W/"3-6"', 200],
      ['3-7', 200],
    ] as const) {
      it(`answers ${status} to a client that has ${tag}`, async () => {
        const answer = await test.ask(VIEW, { headers: { ...headers, 'If-None-Match': tag } })
        expect([answer.status, answer.bytes.length]).to.deep.equal([status, status === 304 ? 0 : large.length])
        expect(answer.headers.etag).to.equal('W/"3-7"')
      })
    }

    it('says 401 and 403 before it says 304', async () => {
      expect((await test.ask(VIEW, { headers: { 'If-None-Match': '*' } })).status).to.equal(401)
    })

    it('packs for clients that accept it, and only what is large', async () => {
      const packed = await test.ask(VIEW, { headers: { ...headers, 'Accept-Encoding': 'br, gzip' } })
      expect(packed.headers['content-encoding']).to.equal('gzip')
      expect(packed.headers.vary).to.equal('Accept-Encoding')
      expect(gunzipSync(packed.bytes).equals(large)).to.equal(true)
      const refused = await test.ask(VIEW, { headers: { ...headers, 'Accept-Encoding': 'gzip;q=0' } })
      expect(refused.headers).to.not.have.property('content-encoding')
      test.face.views.set('c1/servers', { bytes: Buffer.from('[]'), etag: '3-8', at: 0 })
      const small = await test.ask(VIEW, { headers: { ...headers, 'Accept-Encoding': 'gzip' } })
      expect([small.body, small.headers['content-encoding']]).to.deep.equal(['[]', undefined])
    })

    it('answers HEAD with the head alone', async () => {
      const head = await test.ask(VIEW, { method: 'HEAD', headers })
      expect([head.status, head.headers['content-length'], head.bytes.length]).to.deep.equal([
        200,
        String(large.length),
        0,
      ])
    })

    it('answers 503 with Retry-After while the owner restarts', async () => {
      test.face.views.delete('c1/servers')
      const answer = await test.ask(VIEW, { headers })
      expect([answer.status, answer.headers['retry-after'], answer.headers.etag]).to.deep.equal([503, '1', undefined])
    })
  })

  describe('json', () => {
    it('carries an ETag on reads, and 304 for what the client has', async () => {
      const answer = await test.ask('/api/clusters', { headers })
      expect(answer.headers['cache-control']).to.equal('private, no-cache')
      const tag = { 'If-None-Match': String(answer.headers.etag) }
      const again = await test.ask('/api/clusters', { headers: { ...headers, ...tag } })
      expect([again.status, again.body, again.headers.etag]).to.deep.equal([304, '', answer.headers.etag])
    })

    it('carries none on actions and on what opens a door', async () => {
      const login = await test.login('boss', 'right-password')
      const action = await test.ask('/api/clusters/c1/servers/db1/actions/start', { headers })
      for (const { headers: said, status } of [login, action])
        expect([status, said.etag, said['cache-control']]).to.deep.equal([200, undefined, 'no-store'])
    })
  })

  describe('bytes', () => {
    it('sends a file under a harmless name, and 304 for one the client has', async () => {
      test.face.archiveFile = ok({ bytes: Buffer.from('packed'), etag: 'abc' })
      const answer = await test.ask(CONFIG)
      expect([answer.status, answer.body, answer.headers.etag]).to.deep.equal([200, 'packed', '"abc"'])
      expect(answer.headers['content-disposition']).to.equal('attachment; filename="config__x_.tar.gz"')
      expect(answer.headers['content-type']).to.equal('application/octet-stream')
      const same = await test.ask(CONFIG, { headers: { 'If-None-Match': '"abc"' } })
      expect([same.status, same.bytes.length]).to.deep.equal([304, 0])
    })

    it('answers HEAD with the length and no body, and 404 for what is not there', async () => {
      test.face.archiveFile = ok({ bytes: Buffer.from('packed'), etag: 'abc' })
      const head = await test.ask(CONFIG, { method: 'HEAD' })
      expect([head.status, head.headers['content-length'], head.bytes.length]).to.deep.equal([200, '6', 0])
      test.face.archiveFile = fail('archive-missing', 'none built')
      const none = await test.ask(CONFIG)
      expect([none.status, none.body, none.headers.etag]).to.deep.equal([404, 'File not found\n', undefined])
    })
  })

  describe('metrics', () => {
    it('streams the pieces in the type scrapers expect, packed on request', async () => {
      test.face.metricPieces = async function* () {
        yield Buffer.from('up 1\n')
        yield Buffer.from('down 0\n')
      }
      const plain = await test.ask('/api/prometheus')
      expect([plain.body, plain.headers['content-type']]).to.deep.equal([
        'up 1\ndown 0\n',
        'text/plain; version=0.0.4; charset=utf-8',
      ])
      const packed = await test.ask('/api/prometheus', { headers: { 'Accept-Encoding': 'gzip' } })
      expect(gunzipSync(packed.bytes).toString()).to.equal('up 1\ndown 0\n')
    })

    it('takes pieces only as fast as the client reads, and stops when it goes', async () => {
      let taken = 0
      let ended = false
      test.face.metricPieces = async function* () {
        try {
          for (; taken < 10_000; taken += 1) yield Buffer.alloc(65_536, 'x')
        } finally {
          ended = true
        }
      }
      const socket = connect(test.gateway.apiPort, '127.0.0.1')
      socket.pause()
      socket.write('GET /api/prometheus HTTP/1.1\r\nHost: x\r\n\r\n')
      // For a client that reads, more pieces would be taken while another request is answered.
      const isFull = async () => {
        const before = taken
        await test.ask('/api/status')
        return taken > 0 && taken === before
      }
      await eventually(isFull, () => `no more pieces are taken: ${taken}`)
      socket.destroy()
      await eventually(() => ended, 'the source is ended')
      expect(taken).to.be.lessThan(1_000)
    })
  })
})
