import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { httpAsk } from '../../../../lib/connect/http/request.js'

describe('httpAsk', () => {
  let server: http.Server
  const url = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`

  before((done) => {
    server = http.createServer((request, response) => {
      if (request.url === '/hang') return
      if (request.url === '/drip') {
        response.write('a')
        return
      }
      if (request.url === '/long') {
        response.end('x'.repeat(1_000_000))
        return
      }
      response.statusCode = request.url === '/no' ? 503 : 200
      response.end('alive')
    })
    server.listen(0, '127.0.0.1', done)
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  it('answers status and body, whatever the status', async () => {
    expect(unwrap(await httpAsk({ url: url('/'), timeoutMs: 30_000 }))).to.deep.equal({ status: 200, body: 'alive' })
    expect(unwrap(await httpAsk({ url: url('/no'), timeoutMs: 30_000 })).status).to.equal(503)
  })

  for (const path of ['/hang', '/drip'])
    it(`fails when ${path === '/hang' ? 'no answer' : 'no end of the answer'} comes in time`, async () => {
      const result = await httpAsk({ url: url(path), timeoutMs: 100 })
      expect(result)
        .to.have.nested.property('failure.message')
        .that.matches(/within 100 ms/)
    })

  it('reads no more than `maxBytes`', async () => {
    expect(unwrap(await httpAsk({ url: url('/long'), timeoutMs: 30_000, maxBytes: 100 })).body).to.have.length(100)
  })

  it('fails when nothing listens and for an invalid address', async () => {
    for (const wrong of ['http://127.0.0.1:1/', 'file:///etc/passwd', 'nonsense'])
      expect(await httpAsk({ url: wrong, timeoutMs: 30_000 })).to.have.nested.property('failure.code', 'http-failed')
  })

  it('takes what is left of a deadline: parts of a millisecond', async () => {
    expect(unwrap(await httpAsk({ url: url('/'), timeoutMs: 29_999.5 })).status).to.equal(200)
  })

  it('is aborted on request', async () => {
    const ending = new AbortController()
    const answer = httpAsk({ url: url('/hang'), timeoutMs: 5_000, signal: ending.signal })
    ending.abort()
    expect(await answer)
      .to.have.nested.property('failure.message')
      .that.matches(/given up/)
  })
})
