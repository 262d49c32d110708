// Exchanges with real servers on 127.0.0.1: with and without TLS, trusted and not, silent, gone.
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo, type Server } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { type Exchange, exchange } from '../../../http/client/connection.js'
import type { Endpoint } from '../../../http/client/endpoint.js'
import { makeCertificate } from '../../../http/gateway/server/self-signed.js'
import { now } from '../../../lib/base/time.js'
import { type Authority, makeAuthority } from '../../support/machine/authority.js'
import { newDirectory } from '../../support/machine/directories.js'
import { freePorts } from '../../support/machine/ports.js'
import { next } from '../../support/wait.js'

const request: Exchange = {
  method: 'POST',
  path: '/here?a=1',
  headers: { 'x-spec': 'é' },
  body: 'ö',
  timeoutMs: 30_000,
}

const echo: http.RequestListener = (req, res) => {
  let body = ''
  req.setEncoding('utf8')
  req.on('data', (chunk: string) => {
    body += chunk
  })
  req.on('end', () => res.writeHead(203, { 'x-spec': 'back' }).end(`${req.method} ${req.url} ${body}`))
}

describe('exchange', () => {
  const servers: Server[] = []
  let authority: Authority

  const listen = async (server: Server): Promise<Endpoint> => {
    servers.push(server)
    server.listen(0, '127.0.0.1')
    await next(server, 'listening', 'the server listens')
    return { host: '127.0.0.1', port: (server.address() as AddressInfo).port, insecure: false }
  }
  const secure = async (subjectAltName: string) =>
    listen(https.createServer(await authority.issue(subjectAltName), echo))
  const outcomeOf = async (endpoint: Endpoint, given: Exchange = request) => {
    const reply = await exchange(endpoint, given)
    return reply.ok ? `${reply.value.status} ${reply.value.body}` : `${reply.failure.code}: ${reply.failure.message}`
  }

  before(async () => {
    authority = await makeAuthority()
  })
  afterEach(() => {
    for (const server of servers.splice(0)) {
      if (server instanceof http.Server) server.closeAllConnections()
      server.close()
    }
  })

  it('sends method, path, headers and body, and reads status, headers and body', async () => {
    const endpoint = await listen(http.createServer(echo))
    const reply = await exchange(endpoint, request)
    expect(reply).to.deep.include({ ok: true })
    expect(reply.ok && reply.value).to.deep.include({ status: 203, body: 'POST /here?a=1 ö' })
    expect(reply.ok && reply.value.headers['x-spec']).to.equal('back')
  })

  it('takes a self-signed certificate of a loopback address', async () => {
    const endpoint = await listen(https.createServer(await makeCertificate(now()), echo))
    expect(await outcomeOf(endpoint)).to.equal('203 POST /here?a=1 ö')
  })

  it('takes a certificate that the named CA has signed', async () => {
    const endpoint = await secure('IP:127.0.0.1')
    expect(await outcomeOf({ ...endpoint, caFile: authority.caFile })).to.equal('203 POST /here?a=1 ö')
  })

  it('takes a self-signed certificate that is named itself', async () => {
    const pair = await makeCertificate(now())
    const caFile = path.join(newDirectory('connection'), 'cert.pem')
    writeFileSync(caFile, pair.cert)
    expect(await outcomeOf({ ...(await listen(https.createServer(pair, echo))), caFile })).to.equal(
      '203 POST /here?a=1 ö',
    )
  })

  it('refuses a certificate that another CA has signed, and says what helps', async () => {
    const other = await makeAuthority()
    const endpoint = await secure('IP:127.0.0.1')
    expect(await outcomeOf({ ...endpoint, caFile: other.caFile })).to.match(/^unreachable: the certificate .*--cacert/)
  })

  it('refuses a certificate of the named CA that was made for another host', async () => {
    const endpoint = await secure('DNS:elsewhere')
    expect(await outcomeOf({ ...endpoint, caFile: authority.caFile })).to.match(
      /^unreachable: the certificate .*not in the cert/,
    )
  })

  it('names a CA file that is not there', async () => {
    const endpoint = await secure('IP:127.0.0.1')
    expect(await outcomeOf({ ...endpoint, caFile: '/nowhere/ca.pem' })).to.match(/^file-unreadable: .*nowhere/)
  })

  it('sends nothing in the clear where a CA is named', async () => {
    let connections = 0
    const server = http.createServer(echo)
    server.on('connection', () => {
      connections += 1
    })
    const endpoint = await listen(server)
    expect(await outcomeOf({ ...endpoint, caFile: authority.caFile })).to.match(/^unreachable: .* speaks no TLS/)
    expect(connections).to.equal(1)
  })

  it('reports a port that nothing listens on', async () => {
    const [port = 0] = await freePorts(1)
    expect(await outcomeOf({ host: '127.0.0.1', port, insecure: false })).to.equal(
      `unreachable: nothing listens at 127.0.0.1:${port}; is the manager running?`,
    )
  })

  it('gives up a server that is silent after the request, and says that the work may go on', async () => {
    const endpoint = await listen(http.createServer(() => {}))
    expect(await outcomeOf(endpoint, { ...request, timeoutMs: 50 })).to.match(
      /^deadline-passed: .*no answer within 0.05 s/,
    )
  })

  it('reports a reply that breaks off', async () => {
    const endpoint = await listen(
      http.createServer((_, res) => {
        res.writeHead(200, { 'content-length': '100' }).write('half', () => res.destroy())
      }),
    )
    expect(await outcomeOf(endpoint)).to.match(/^unreachable: the reply broke off/)
  })

  it('reports a server that speaks something else', async () => {
    const endpoint = await listen(net.createServer((socket) => socket.end('SSH-2.0-spec\r\n').on('error', () => {})))
    expect(await outcomeOf(endpoint)).to.match(/^unreachable: /)
  })
})
