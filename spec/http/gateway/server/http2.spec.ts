// HTTP/2 beside HTTP/1.1: with the client of node and with curl; what a hostile session does harms nobody else.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { routes } from '../../../../http/api/index.js'
import type { GatewayOptions } from '../../../../http/gateway/index.js'
import { SECOND } from '../../../../lib/base/time.js'
import { holdAsks } from '../../../support/http/hold-asks.js'
import { startTestGateway, type TestGateway, testRoutes } from '../../../support/http/test-gateway.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { eventually, next } from '../../../support/wait.js'

const run = promisify(execFile)

/** Longer than it takes until a request is read, on a busy machine, too. */
const IDLE_MS = 3 * SECOND

describe('createHttp2', () => {
  let test: TestGateway
  const sessions: ClientHttp2Session[] = []
  const start = async (limits: GatewayOptions['limits'] = {}, served = routes) => {
    test = await startTestGateway({ routes: served, limits })
  }
  const open = (settings = {}) => {
    const session = connect(`https://127.0.0.1:${test.gateway.apiPort}`, { rejectUnauthorized: false, settings })
    session.on('error', () => undefined)
    sessions.push(session)
    return session
  }
  afterEach(async () => {
    for (const session of sessions.splice(0)) session.destroy()
    await test.close()
  })

  const readAll = async (stream: ClientHttp2Stream) => {
    let body = ''
    stream.setEncoding('utf8')
    stream.on('data', (chunk) => {
      body += chunk
    })
    const [headers] = (await next(stream, 'response', 'the response')) as [IncomingHttpHeaders & { ':status': number }]
    await next(stream, 'close', 'the end of it')
    return { status: headers[':status'], headers, body }
  }
  const ask = (session: ClientHttp2Session, path: string, { body = '', ...headers }: Record<string, string> = {}) => {
    const stream = session.request({ ':path': path, ':method': body === '' ? 'GET' : 'POST', ...headers })
    stream.on('error', () => undefined)
    if (body !== '') stream.end(body)
    return readAll(stream)
  }
  const login = async (session: ClientHttp2Session) => {
    const body = JSON.stringify({ username: 'boss', password: 'right-password' })
    const answer = await ask(session, '/api/login', {
      body,
      accept: 'application/json',
      'content-type': 'application/json',
    })
    return { authorization: `Bearer ${JSON.parse(answer.body).token}` }
  }
  const openStream = async (session: ClientHttp2Session, headers: Record<string, string>) => {
    const stream = session.request({ ':path': '/api/fleet/events', ...headers })
    stream.on('error', () => undefined)
    const seen = { text: '', closed: false, stream }
    stream.setEncoding('utf8')
    stream.on('data', (chunk) => {
      seen.text += chunk
    })
    stream.on('close', () => {
      seen.closed = true
    })
    await eventually(
      () => seen.text.includes('event: snapshot'),
      () => seen.text,
    )
    return seen
  }
  const answersOthers = async () => {
    expect((await test.ask('/api/status', { tls: true })).status).to.equal(200)
    expect((await ask(open(), '/api/status')).status).to.equal(200)
  }

  it('logs in, reads with an ETag, and gets 304 for what it has already', async () => {
    await start()
    const session = open()
    const token = await login(session)
    const { status, headers, body } = await ask(session, '/api/fleet', token)
    expect([status, JSON.parse(body)]).to.deep.equal([200, test.face.fleetRows])
    expect(headers['content-type']).to.equal('application/json; charset=utf-8')
    const again = await ask(session, '/api/fleet', { ...token, 'if-none-match': headers.etag ?? '' })
    expect([again.status, again.body]).to.deep.equal([304, ''])
    expect((await ask(session, '/api/fleet?filter=lag%3Ex', token)).status).to.equal(400)
    expect((await ask(session, '/api/fleet')).status).to.equal(401)
  })

  it('has seven event streams and reads beside them on one connection', async () => {
    await start()
    const session = open()
    const token = await login(session)
    const streams = await Promise.all(Array.from({ length: 7 }, () => openStream(session, token)))
    expect((await ask(session, '/api/fleet', token)).status).to.equal(200)
    expect(streams.map(({ closed }) => closed)).to.deep.equal(Array(7).fill(false))
  })

  it('answers role checks', async () => {
    await start()
    const { status } = await ask(open(), '/api/clusters/c1/status')
    const plain = await test.ask('/api/clusters/c1/status')
    expect(status).to.equal(plain.status)
    const [check, other] = [await ask(open(), '/master-status'), await test.ask('/master-status')]
    expect([check.status, check.body]).to.deep.equal([other.status, other.body])
  })

  it('is spoken with curl, and HTTP/1.1 with who does not ask for more', async () => {
    await start()
    const url = `https://127.0.0.1:${test.gateway.apiPort}/api/status`
    const of = async (flag: string) =>
      (await run('curl', ['-sk', flag, '-o', '/dev/null', '-w', '%{http_version} %{http_code}', url])).stdout
    expect([await of('--http2'), await of('--http1.1')]).to.deep.equal(['2 200', '1.1 200'])
  })

  it('is spoken with a certificate of the operator, beside HTTP/1.1', async () => {
    const folder = newDirectory('http2')
    const [certFile, keyFile] = [path.join(folder, 'own.crt'), path.join(folder, 'own.key')]
    const subject = ['-nodes', '-subj', '/CN=own.example.org', '-days', '2', '-keyout', keyFile, '-out', certFile]
    await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...subject])
    test = await startTestGateway({ routes, certificate: { certFile, keyFile } })
    await answersOthers()
  })

  it('says GOAWAY when it stops, and lets what is open end', async () => {
    await start({ graceMs: 300 })
    const session = open()
    const token = await login(session)
    const seen = await openStream(session, token)
    const away = once(session, 'goaway')
    const closing = test.gateway.close()
    await away
    await closing
    await eventually(
      () => seen.closed,
      () => seen.text,
    )
    await eventually(
      () => session.destroyed,
      () => 'the end of the session',
    )
  })

  it('ends a session that resets too many requests', async () => {
    await start()
    const session = open()
    await next(session, 'connect', 'a connection')
    for (let count = 0; count < 2_000 && !session.destroyed && !session.closed; count += 1) {
      const stream = session.request({ ':path': '/api/status' })
      stream.on('error', () => undefined)
      stream.close(constants.NGHTTP2_CANCEL)
      if (count % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await eventually(
      () => session.destroyed || session.closed,
      () => 'the end of the session',
    )
    await answersOthers()
  })

  it('refuses headers beyond the bound', async () => {
    await start()
    const session = open()
    const stream = session.request({ ':path': '/api/status', 'x-long': 'x'.repeat(60_000) })
    stream.on('error', () => undefined)
    await eventually(
      () => stream.closed || session.destroyed,
      () => 'the end of the request',
    )
    await answersOthers()
  })

  it('keeps nobody waiting for a client with a window of one byte', async () => {
    await start()
    const session = open({ initialWindowSize: 1 })
    const token = await login(open())
    for (let count = 0; count < 20; count += 1)
      session.request({ ':path': '/api/fleet', ...token }).on('error', () => undefined)
    await answersOthers()
  })

  it('closes sessions that send no request, or no end of one', async () => {
    await start({ headersMs: 200, requestMs: 200 })
    const silent = open()
    await eventually(
      () => silent.destroyed,
      () => 'the end of the silent session',
    )
    const slow = open()
    const stream = slow.request({ ':path': '/api/login', ':method': 'POST' })
    stream.on('error', () => undefined)
    stream.write('{"username":')
    await eventually(
      () => stream.closed,
      () => 'the end of the request',
    )
    await answersOthers()
  })

  it('leaves a session open as long as a request waits for its answer, and ends an answer that does not go on', async () => {
    await start({ idleMs: IDLE_MS }, testRoutes)
    const work = holdAsks(test.face)
    test.face.metricPieces = async function* () {
      yield Buffer.from('first 1\n')
      await work.held
    }
    const token = await login(open())
    const good = ask(open(), '/api/clusters/c1/actions/switchover', { ...token, body: '{}' })
    await work.asked
    const late = open().request({ ':path': '/api/prometheus', ...token })
    late.on('error', () => undefined).resume()
    await next(late, 'close', 'the end of the other answer')
    work.end()
    expect((await good).status).to.equal(200)
    await answersOthers()
  })

  it('opens at most a hundred requests of one session at once', async () => {
    await start()
    const session = open()
    await next(session, 'remoteSettings', 'the settings of the other side')
    expect(session.remoteSettings.maxConcurrentStreams).to.equal(100)
    expect(session.remoteSettings.maxHeaderListSize).to.equal(16_384)
  })
})
