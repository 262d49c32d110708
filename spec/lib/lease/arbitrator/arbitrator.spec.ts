// The arbitrator over HTTP: signatures, repeats, restarts, and a file that cannot be written.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { signReply, signRequest } from '../../../../lib/lease/arbitrator/message.js'
import {
  Arbitrator,
  ArbitratorSession,
  type ClusterReport,
  type Listening,
  listenArbitrator,
} from '../../../../lib/lease/index.js'
import { newDirectory } from '../../../support/machine/directories.js'

const SECRET = 'a secret of the first fleet'
const OTHER = 'a secret of the second fleet'
const LEASE_MS = 9_000

const shop: ClusterReport = {
  ...{ cluster: 'shop', primary: 'db1:3306', failing: false, sinceMs: 100 },
  ...{ alive: 3, servers: 3, split: false, term: 0 },
}

describe('An arbitrator', () => {
  let file: string
  let listening: Listening | undefined
  let time = 0
  const sessions: ArbitratorSession[] = []

  /** Starts it; by default when nothing of before its start can be in force. */
  const start = async ({ settled = true, port = 0 } = {}) => {
    const arbitrator = unwrap(await Arbitrator.open({ file, leaseMs: LEASE_MS, clock: () => time }))
    if (settled) time += LEASE_MS
    listening = unwrap(
      await listenArbitrator({ host: '127.0.0.1', port, secrets: [SECRET, OTHER], arbitrator, log: () => undefined }),
    )
    return listening.port
  }
  const session = (port: number, uid: number, secret = SECRET) => {
    const made = new ArbitratorSession({ host: '127.0.0.1', port, secret, uid, timeoutMs: 2_000 })
    sessions.push(made)
    return made
  }
  const rulingOf = async (from: ArbitratorSession, report = shop) =>
    unwrap(await from.report([report])).get(report.cluster)

  beforeEach(() => {
    time = 1_000
    file = path.join(newDirectory('arbitrator'), 'state.json')
  })
  afterEach(async () => {
    for (const one of sessions.splice(0)) one.close()
    await listening?.close()
    listening = undefined
  })

  it('lets one of two managers act, and the other one when the first gives it back', async () => {
    const port = await start()
    const [one, two] = [session(port, 1), session(port, 2)]
    expect(await rulingOf(one)).to.deep.equal({ type: 'won', term: 1, leaseMs: LEASE_MS, confirmed: true })
    expect(await rulingOf(two)).to.deep.include({ type: 'lost', term: 1, reason: 'held', winner: 1 })
    unwrap(await one.report([], [{ cluster: 'shop', term: 1 }]))
    expect(await rulingOf(two)).to.include({ type: 'won', term: 2 })
  })

  it('keeps fleets of different secrets apart, and clusters', async () => {
    const port = await start()
    expect(await rulingOf(session(port, 1))).to.include({ type: 'won' })
    expect(await rulingOf(session(port, 1, OTHER))).to.include({ type: 'won', term: 1 })
    expect(await rulingOf(session(port, 2), { ...shop, cluster: 'lab' })).to.include({ type: 'won', term: 1 })
  })

  it('takes two processes of the same unique id for two', async () => {
    const port = await start()
    expect(await rulingOf(session(port, 1))).to.include({ type: 'won' })
    expect(await rulingOf(session(port, 1))).to.include({ type: 'lost', reason: 'held', winner: 1 })
  })

  it('remembers terms and the winner over a restart, which gets no other one its place before a lease has passed', async () => {
    const port = await start()
    const [one, two] = [session(port, 1), session(port, 2)]
    await rulingOf(one)
    await listening?.close()
    expect(await start({ settled: false, port })).to.equal(port)
    expect(await rulingOf(two)).to.include({ type: 'lost', reason: 'held', winner: 1 })
    time += LEASE_MS - 1
    expect(await rulingOf(two)).to.include({ type: 'lost' })
    time += 1
    expect(await rulingOf(two)).to.include({ type: 'won', term: 2 })
    expect(await rulingOf(one)).to.include({ type: 'lost', winner: 2 })
  })

  it('prolongs the winner at once after a restart', async () => {
    const port = await start()
    const one = session(port, 1)
    await rulingOf(one)
    await listening?.close()
    await start({ settled: false, port })
    expect(await rulingOf(one)).to.include({ type: 'won', term: 1 })
  })

  it('lets nobody act for one lease when its file is gone, and gives no term again', async () => {
    const port = await start()
    const [one, two] = [session(port, 1), session(port, 2)]
    await rulingOf(one)
    await listening?.close()
    rmSync(file)
    await start({ settled: false, port })
    expect(await rulingOf(two)).to.deep.equal({ type: 'lost', term: 0, reason: 'starting' })
    time += LEASE_MS
    expect(await rulingOf(two, { ...shop, term: 1 })).to.include({ type: 'won', term: 2 })
  })

  it('refuses to begin with a damaged file', async () => {
    writeFileSync(file, '{"version":1,')
    const opened = await Arbitrator.open({ file, leaseMs: LEASE_MS })
    expect(!opened.ok && opened.failure.code).to.equal('file-unreadable')
  })

  it('grants nothing that it cannot write', async () => {
    const port = await start()
    const one = session(port, 1)
    unwrap(await one.report([]))
    rmSync(path.dirname(file), { recursive: true })
    const refused = await one.report([shop])
    expect(!refused.ok && refused.failure.message).to.match(/status 503/)
    mkdirSync(path.dirname(file))
    expect(await rulingOf(one)).to.include({ type: 'won', term: 1 })
    expect(readFileSync(file, 'utf8')).to.contain('"term":1').and.not.contain(SECRET)
  })

  it('does not write for a grant that goes on', async () => {
    const port = await start()
    const one = session(port, 1)
    await rulingOf(one)
    rmSync(path.dirname(file), { recursive: true })
    expect(await rulingOf(one)).to.include({ type: 'won', term: 1 })
  })

  describe('answers', () => {
    interface Sent {
      readonly method?: string
      readonly url?: string
      readonly secret?: string
      readonly signature?: string
    }
    const send = (
      port: number,
      body: string,
      { method = 'POST', url = '/arbitrator', secret = SECRET, signature }: Sent = {},
    ) =>
      new Promise<{ readonly status: number; readonly text: string; readonly signed: string }>((resolve, reject) => {
        const headers = { 'x-manager-signature': signature ?? signRequest(secret, body) }
        const request = http.request({ host: '127.0.0.1', port, path: url, method, headers }, (response) => {
          let text = ''
          response.on('data', (bytes) => {
            text += bytes
          })
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              text,
              signed: String(response.headers['x-manager-signature'] ?? ''),
            }),
          )
        })
        request.on('error', reject)
        request.end(body)
      })
    const message = (challenge: string, sequence: number) =>
      JSON.stringify({ challenge, session: 's', uid: 1, sequence, reports: [shop], releases: [] })

    it('a signed request only, with a reply that is signed for that request', async () => {
      const port = await start()
      const body = message('', 1)
      const reply = await send(port, body)
      expect(reply.status).to.equal(200)
      expect(reply.signed).to.equal(signReply(SECRET, signRequest(SECRET, body), reply.text))
      for (const signature of [
        '',
        'x',
        signRequest('another secret altogether', body),
        signRequest(SECRET, `${body} `),
      ])
        expect((await send(port, body, { signature })).status, signature).to.equal(401)
    })

    it('no request twice, and none of before its start', async () => {
      const port = await start()
      const { challenge } = JSON.parse((await send(port, message('', 1))).text)
      expect(JSON.parse((await send(port, message(challenge, 1))).text).rulings).to.have.length(1)
      expect((await send(port, message(challenge, 1))).status).to.equal(409)
      await listening?.close()
      await start({ port })
      const late = JSON.parse((await send(port, message(challenge, 2))).text)
      expect(late).to.have.all.keys('challenge')
    })

    it('nothing else', async () => {
      const port = await start()
      expect((await send(port, '', { method: 'GET' })).status).to.equal(404)
      expect((await send(port, '{}', { url: '/' })).status).to.equal(404)
      expect((await send(port, '{}')).status).to.equal(400)
      expect((await send(port, 'no JSON')).status).to.equal(400)
      expect((await send(port, 'x'.repeat((1 << 20) + 1)).catch(() => ({ status: 413 }))).status).to.equal(413)
    })
  })

  it('is not believed without the secret', async () => {
    const port = await start()
    const refused = await session(port, 1, 'a secret that it does not have').report([shop])
    expect(!refused.ok && refused.failure.message).to.match(/status 401/)
    const impostor = http.createServer((request, response) => {
      request.resume()
      response.end(JSON.stringify({ challenge: '', rulings: [{ cluster: 'shop', ruling: { type: 'won' } }] }))
    })
    await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve))
    const address = impostor.address()
    const believed = await session(typeof address === 'object' ? (address?.port ?? 0) : 0, 1).report([shop])
    expect(!believed.ok && believed.failure.message).to.match(/not signed/)
    impostor.close()
    impostor.closeAllConnections()
  })

  it('that is not there is said to be', async () => {
    const port = await start()
    await listening?.close()
    const lost = await session(port, 1).report([shop])
    expect(!lost.ok && lost.failure).to.deep.include({ code: 'store-unreachable' })
  })
})
