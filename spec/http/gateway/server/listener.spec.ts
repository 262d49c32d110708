// Ports: what they speak, whom they keep waiting and how they close.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connect as connectTls } from 'node:tls'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { type GatewayOptions, startGateway } from '../../../../http/gateway/index.js'
import { SECOND } from '../../../../lib/base/time.js'
import { FakeFace } from '../../../support/http/fake-face.js'
import { holdAsks } from '../../../support/http/hold-asks.js'
import {
  openBrowsers,
  openTokens,
  send,
  sendRaw,
  startTestGateway,
  type TestGateway,
  testLive,
  testRoutes,
} from '../../../support/http/test-gateway.js'
import { eventually, next } from '../../../support/wait.js'

const run = promisify(execFile)

/** Longer than it takes until a request is read, on a busy machine, too. */
const IDLE_MS = 3 * SECOND

describe('startGateway', () => {
  let test: TestGateway | undefined
  const start = async (options: Partial<GatewayOptions> = {}) => {
    test = await startTestGateway(options)
    return test
  }
  afterEach(async () => {
    await test?.close()
    test = undefined
  })

  const fails = async (options: Partial<GatewayOptions>) => {
    const result = await startGateway({
      manager: new FakeFace(),
      routes: testRoutes,
      openapi: () => ({}),
      api: { host: '127.0.0.1', port: 0 },
      httpsBind: false,
      page: { root: '' },
      ...testLive,
      tokens: await openTokens(),
      ...(await openBrowsers()),
      log: () => {},
      ...options,
    })
    if (result.ok) await result.value.close()
    return result.ok ? undefined : result.failure
  }

  describe('without a certificate', () => {
    it('answers plain HTTP and HTTPS on the same port', async () => {
      const { ask } = await start()
      expect((await ask('/api/status')).status).to.equal(200)
      expect((await ask('/api/status', { tls: true })).status).to.equal(200)
    })

    it('decides by a first byte that comes alone', async () => {
      const { gateway, ask } = await start()
      const rest = 'ET /api/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
      const text = await new Promise<string>((resolve) => {
        let received = ''
        const socket = connect(gateway.apiPort, '127.0.0.1', () => {
          // What is sent after it has been answered: it has been read.
          socket.write('G', async () => {
            await ask('/api/status')
            socket.write(rest)
          })
        })
        socket.setNoDelay()
        socket.on('data', (chunk) => {
          received += chunk
        })
        socket.on('close', () => resolve(received))
      })
      expect(text).to.match(/^HTTP\/1\.1 200 OK/)
    })

    it('takes many requests on one connection, pipelined ones too', async () => {
      const { gateway } = await start()
      const one = 'GET /api/status HTTP/1.1\r\nHost: x\r\n\r\n'
      const text = await sendRaw(gateway.apiPort, one + one, one.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
      expect(text.match(/HTTP\/1\.1 200 OK/g)).to.have.length(3)
    })

    it('speaks TLS 1.2 at least', async () => {
      const { gateway } = await start()
      const socket = connectTls({
        port: gateway.apiPort,
        rejectUnauthorized: false,
        maxVersion: 'TLSv1.1',
        minVersion: 'TLSv1',
      })
      const [error] = await next(socket, 'error', 'the refusal')
      expect(String(error)).to.match(/protocol|version|ssl/i)
    })

    for (const [title, options] of [
      ['CBC', { ciphers: 'ECDHE-ECDSA-AES256-SHA384:ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES256-SHA' }],
      ['RSA key exchange', { ciphers: 'AES256-GCM-SHA384:AES128-SHA' }],
      ['SHA-1', { sigalgs: 'ECDSA+SHA1:RSA+SHA1', ciphers: 'DEFAULT@SECLEVEL=0' }],
    ] as const)
      it(`speaks no TLS 1.2 with ${title}`, async () => {
        const { gateway } = await start()
        const socket = connectTls({
          port: gateway.apiPort,
          rejectUnauthorized: false,
          maxVersion: 'TLSv1.2',
          ...options,
        })
        const [error] = await next(socket, 'error', 'the refusal')
        expect(String(error)).to.be.a('string')
      })

    it('speaks TLS 1.2 with authenticated encryption', async () => {
      const { gateway } = await start()
      const socket = connectTls({ port: gateway.apiPort, rejectUnauthorized: false, maxVersion: 'TLSv1.2' })
      await next(socket, 'secureConnect', 'a connection')
      expect(socket.getCipher().name).to.match(/^ECDHE-.*(GCM|CHACHA20)/)
      socket.destroy()
    })

    it('counts a connection with TLS once: as many find a place as without', async () => {
      const { gateway } = await start({ limits: { connections: 2 } })
      const guests = [1, 2].map(() => connectTls({ port: gateway.apiPort, rejectUnauthorized: false }))
      try {
        await Promise.all(guests.map((guest) => next(guest, 'secureConnect', 'a connection')))
        for (const guest of guests) {
          guest.write('GET /api/status HTTP/1.1\r\nHost: x\r\n\r\n')
          expect(String((await next(guest, 'data', 'the first bytes'))[0])).to.include('200 OK')
        }
      } finally {
        for (const guest of guests) guest.destroy()
      }
    })

    it('answers nonsense with 400 or silence, and goes on', async () => {
      const { gateway, ask } = await start({ limits: { handshakeMs: 200 } })
      expect(await sendRaw(gateway.apiPort, '\x16\x03\x01garbage that is no handshake at all')).to.not.include('200')
      expect(await sendRaw(gateway.apiPort, '\x00\x00\r\n\r\n')).to.match(/^(HTTP\/1\.1 400|$)/)
      expect((await ask('/api/status')).status).to.equal(200)
    })
  })

  describe('with a certificate', () => {
    let folder = ''
    const make = async (bits: string) => {
      const certFile = path.join(folder, `${bits}.crt`)
      const keyFile = path.join(folder, `${bits}.key`)
      const subject = ['-nodes', '-subj', '/CN=own.example.org', '-days', '2', '-keyout', keyFile, '-out', certFile]
      await run('openssl', ['req', '-x509', '-newkey', `rsa:${bits}`, ...subject])
      return { certFile, keyFile }
    }
    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'gateway-'))
    })
    after(() => rm(folder, { recursive: true }))

    it('answers HTTPS only, with that certificate', async () => {
      const { gateway, ask } = await start({ certificate: await make('2048') })
      expect((await ask('/api/status', { tls: true })).status).to.equal(200)
      const plain = await sendRaw(gateway.apiPort, 'GET /api/status HTTP/1.1\r\nHost: x\r\n\r\n')
      expect(plain).to.not.include('200 OK')
      const socket = connectTls({ port: gateway.apiPort, rejectUnauthorized: false })
      await next(socket, 'secureConnect', 'a connection')
      expect(socket.getPeerCertificate().subject.CN).to.equal('own.example.org')
      socket.destroy()
    })

    it('does not start with a weak one', async () => {
      const certificate = await make('1024')
      const failure = await fails({ certificate })
      expect(failure?.code).to.equal('bad-certificate')
      expect(failure?.message).to.include(certificate.certFile).and.include('1024 bits')
    })
  })

  describe('the HTTP server', () => {
    it('serves everything as long as api-https-bind is off', async () => {
      const { gateway, ask, bearer } = await start()
      const port = gateway.httpPort ?? 0
      expect((await ask('/api/clusters', { port, headers: await bearer() })).status).to.equal(200)
      expect((await ask('/api-docs', { port })).status).to.equal(200)
    })

    it('keeps only what needs no token when api-https-bind is on', async () => {
      const { gateway, ask, bearer, face } = await start({ httpsBind: true })
      face.flagWords.set('c1/0', 5)
      const port = gateway.httpPort ?? 0
      const headers = await bearer()
      for (const gone of [
        '/api/clusters',
        '/api/clusters/c1/actions/switchover',
        '/api-docs',
        '/api-docs/openapi.json',
      ]) {
        expect((await ask(gone, { port, headers })).status, gone).to.equal(404)
        expect((await ask(gone, { headers })).status, gone).to.equal(200)
      }
      for (const open of ['/api/status', '/api/prometheus', '/api/clusters/c1/servers/alpha/is-master', '/']) {
        expect((await ask(open, { port })).status, open).to.equal(200)
      }
    })

    it('listens on both loopback addresses for localhost', async () => {
      const { gateway } = await start({ http: { host: 'localhost', port: 0 } })
      const port = gateway.httpPort ?? 0
      expect((await send('/api/status', { port })).status).to.equal(200)
      expect((await send('/api/status', { port, host: '::1' })).status).to.equal(200)
    })

    it('does not start on a port that is taken, and leaves nothing open', async () => {
      const { gateway } = await start()
      const failure = await fails({ http: { host: '127.0.0.1', port: gateway.httpPort ?? 0 } })
      expect(failure?.code).to.equal('cannot-listen')
      expect(failure?.message).to.include(String(gateway.httpPort)).and.include('the port is in use')
    })
  })

  describe('slow and greedy clients', () => {
    /** Resolves when the other side has ended the connection. */
    const untilClosed = async (port: number, ...parts: readonly string[]) => sendRaw(port, ...parts)

    it('are cut off when their head, their body or their handshake does not come', async () => {
      // Longer than it takes until the first bytes are read, on a busy machine, too.
      const { gateway } = await start({
        limits: { headersMs: 1_500, handshakeMs: 2_000, requestMs: 2_500, graceMs: 300 },
      })
      const head = 'POST /api/login HTTP/1.1\r\nHost: x\r\n'
      const all = Promise.all([
        untilClosed(gateway.apiPort),
        untilClosed(gateway.apiPort, head),
        untilClosed(gateway.apiPort, `${head}Content-Length: 100\r\n\r\n{`),
        untilClosed(gateway.apiPort, '\x16\x03\x01'),
        untilClosed(gateway.httpPort ?? 0, head),
      ])
      const [silent, slowHead] = await all
      expect(silent).to.equal('')
      expect(slowHead).to.match(/^HTTP\/1\.1 408 /)
    })

    it('are refused a head that is too large', async () => {
      const { gateway } = await start()
      const answer = await sendRaw(
        gateway.apiPort,
        `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      )
      expect(answer).to.match(/^HTTP\/1\.1 431 /)
    })

    it('are refused a smuggled second request', async () => {
      const { gateway } = await start()
      const both = 'POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n'
      expect(await sendRaw(gateway.apiPort, `${both}0\r\n\r\nGET /api/clusters HTTP/1.1\r\nHost: x\r\n\r\n`)).to.match(
        /^HTTP\/1\.1 400 /,
      )
    })
  })

  describe('a connection on which nothing moves', () => {
    for (const tls of [false, true])
      it(`stays as long as its request waits for the answer, ${tls ? 'with TLS' : 'in clear text'}, and no longer`, async () => {
        const { gateway, bearer, face } = await start({ limits: { idleMs: IDLE_MS } })
        const work = holdAsks(face)
        face.metricPieces = async function* () {
          yield Buffer.from('first 1\n')
          await work.held
        }
        const port = gateway.apiPort
        const headers = await bearer()
        const good = send('/api/clusters/c1/actions/switchover', { port, tls, method: 'POST', headers, body: '' })
        await work.asked
        // An answer that has begun and does not go on, asked for later: when it is cut off, the other one was silent for longer.
        const cut = await send('/api/prometheus', { port, tls }).catch((error: NodeJS.ErrnoException) => error.code)
        expect(cut).to.equal('ECONNRESET')
        work.end()
        expect((await good).status).to.equal(200)
      })
  })

  describe('close', () => {
    it('ends idle connections at once and event streams with them', async () => {
      const { gateway, bearer, face } = await start()
      const agent = new Agent({ keepAlive: true })
      const headers = await bearer()
      const port = gateway.apiPort
      const idle = get({ port, path: '/api/status', agent }, (response) => response.resume())
      await next(idle, 'close', 'the end of it')
      const events = get({ port, path: '/api/clusters/c1/events', headers, agent })
      const [stream] = await next<[IncomingMessage]>(events, 'response', 'the response')
      stream.resume()
      const ended = once(stream, 'end')
      await test?.close()
      await ended
      expect(face.listeners.size).to.equal(0)
      agent.destroy()
    })

    it('lets a request under way end, and takes no more', async () => {
      const { gateway, face } = await start({ limits: { graceMs: 30_000 } })
      let release: (() => void) | undefined
      face.metricPieces = async function* () {
        yield Buffer.from('first 1\n')
        await new Promise<void>((resolve) => {
          release = resolve
        })
        yield Buffer.from('last 1\n')
      }
      const port = gateway.apiPort
      const good = send('/api/prometheus', { port })
      await eventually(() => release !== undefined, 'the answer has begun')
      const closing = gateway.close()
      release?.()
      expect((await good).body).to.equal('first 1\nlast 1\n')
      await closing
      expect(await send('/api/status', { port }).catch((error: NodeJS.ErrnoException) => error.code)).to.equal(
        'ECONNREFUSED',
      )
    })

    it('does not wait for a client that never finishes', async () => {
      const { gateway, ask } = await start({ limits: { headersMs: 60_000, requestMs: 60_000, graceMs: 300 } })
      const cut = sendRaw(gateway.apiPort, 'GET /api/status HTTP/1.1\r\n')
      const mute = sendRaw(gateway.apiPort)
      // Connections are accepted in their order: when this one is answered, those two have been.
      await ask('/api/status')
      await gateway.close()
      await Promise.all([cut, mute])
    })
  })
})
