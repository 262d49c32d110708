// Two gateways that are instances of one fleet: what the first passes on to the second, and what happens on the way.
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { expect } from 'chai'
import type { Peer, Peers } from '../../../../actors/protocol/manager/peers.js'
import { FORWARDED } from '../../../../http/gateway/request/forward.js'
import { makeCertificate } from '../../../../http/gateway/server/self-signed.js'
import { done } from '../../../../lib/base/result.js'
import { openForward, sealForward } from '../../../../lib/lease/index.js'
import { startTestGateway, type TestGateway } from '../../../support/http/test-gateway.js'

/** An instance of the fleet `known`, which learns of itself when it listens. */
class Instance implements Peers {
  readonly #id: string
  readonly #known: Map<string, Instance>
  readonly #keys = generateKeyPairSync('ed25519')
  certificate = ''
  owner: Peer | undefined

  constructor(id: string, known: Map<string, Instance>) {
    this.#id = id
    this.#known = known
    known.set(id, this)
  }

  listens(certificate: string): void {
    this.certificate = certificate
  }

  ownerOf(): Peer | undefined {
    return this.owner
  }

  get key(): string {
    return this.#keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  }

  seal(to: Peer, request: Parameters<Peers['seal']>[1]): string {
    return sealForward({ ...request, from: this.#id, to: to.id, at: Date.now() }, this.#keys.privateKey)
  }

  open(text: string): ReturnType<Peers['open']> {
    return openForward(text, { self: this.#id, keyOf: (id) => this.#known.get(id)?.key, at: Date.now() })
  }
}

describe('A request about a cluster that another instance owns', () => {
  const known = new Map<string, Instance>()
  const [first, second] = [new Instance('first', known), new Instance('second', known)]
  const SWITCHOVER = '/api/clusters/c1/actions/switchover'
  let here: TestGateway
  let there: TestGateway
  const closing: Server[] = []
  before(async () => {
    here = await startTestGateway({ peers: first })
    there = await startTestGateway({ peers: second })
  })
  beforeEach(() => {
    first.owner = peer(there.gateway.apiPort)
    second.owner = undefined
    for (const { face, logged } of [here, there]) {
      face.asks.length = 0
      face.reply = done
      logged.length = 0
    }
  })
  after(async () => {
    for (const server of closing) server.close()
    await here.close()
    await there.close()
  })

  const peer = (port: number, certificate = second.certificate): Peer => ({
    ...{ id: 'second', address: `https://127.0.0.1:${port}`, certificate },
  })
  const post = async (path: string, body: object = {}) =>
    here.ask(path, {
      method: 'POST',
      headers: {
        ...(await here.bearer()),
        ...{ 'Content-Type': 'application/json', Accept: 'application/problem+json' },
      },
      body: JSON.stringify(body),
    })
  const asked = ({ face }: TestGateway) => face.asks.map(({ type }) => type)

  it('is carried out there with its body, once, and named so', async () => {
    const reply = await post(SWITCHOVER, { prefmaster: 'db2:3306' })
    expect(reply.status, reply.body).to.equal(200)
    expect(reply.headers['x-answered-by']).to.equal(first.owner?.address)
    expect([asked(here), asked(there)]).to.deep.equal([[], ['switchover']])
    expect(there.face.asks[0]?.payload).to.include({ candidate: 'db2:3306' })
    expect(there.logged.find(({ code }) => code === 'action')?.fields).to.include({
      user: 'boss',
      address: '127.0.0.1',
    })
  })

  it('gives the refusal of the owner', async () => {
    there.face.reply = { ok: false, failure: { code: 'not-owner', message: 'handed over' } }
    const reply = await post(SWITCHOVER)
    expect(reply.status, reply.body).to.equal(409)
    expect(asked(there)).to.deep.equal(['switchover'])
  })

  it('is not passed on twice', async () => {
    second.owner = { id: 'first', address: `https://127.0.0.1:${here.gateway.apiPort}`, certificate: first.certificate }
    expect((await post(SWITCHOVER)).status).to.equal(200)
    expect([asked(here), asked(there)]).to.deep.equal([[], ['switchover']])
  })

  it('is refused here without a login, without the grant', async () => {
    expect((await here.ask(SWITCHOVER, { method: 'POST' })).status).to.equal(401)
    const headers = await here.bearer('viewer', 'see-only')
    expect((await here.ask(SWITCHOVER, { method: 'POST', headers })).status).to.equal(403)
    expect(asked(there)).to.deep.equal([])
  })

  it('is answered here when it only reads', async () => {
    const reply = await here.ask('/api/clusters/c1/topology/servers', { headers: await here.bearer() })
    expect(reply.headers).not.to.have.property('x-answered-by')
  })

  it('is answered here while nothing listens there, or something else does', async () => {
    for (const other of [peer(1), peer(there.gateway.apiPort, 'AB:CD')]) {
      here.face.asks.length = 0
      first.owner = other
      expect((await post(SWITCHOVER)).status).to.equal(200)
      expect([asked(here), asked(there)]).to.deep.equal([['switchover'], []])
    }
  })

  it('is refused there when the sender is not of the fleet, or the address is another one', async () => {
    const forged = new Instance('first', new Map())
    const statement = { method: 'POST', url: SWITCHOVER, user: 'boss', address: '10.0.0.1' }
    const to = peer(there.gateway.apiPort)
    for (const text of [
      forged.seal(to, statement),
      first.seal(to, { ...statement, url: '/api/clusters/c2/actions/switchover' }),
      first.seal(to, { ...statement, method: 'GET' }),
      first.seal(to, { ...statement, user: 'stranger' }),
      first.seal({ ...to, id: 'third' }, statement),
    ]) {
      const reply = await there.ask(SWITCHOVER, { method: 'POST', headers: { [FORWARDED]: text } })
      expect(reply.status, reply.body).to.equal(401)
    }
    expect(asked(there)).to.deep.equal([])
  })

  it('keeps the limits of the API token that it came with', async () => {
    const statement = { method: 'POST', url: SWITCHOVER, user: 'boss', address: '10.0.0.1' }
    const limited = { ...statement, apiToken: { id: 't', grants: ['show'], clusters: ['c1'] } }
    const headers = { [FORWARDED]: first.seal(peer(there.gateway.apiPort), limited) }
    expect((await there.ask(SWITCHOVER, { method: 'POST', headers })).status).to.equal(403)
  })

  it('is passed on without a login, too, when only the owner knows the answer: the need of a host', async () => {
    const NEED = '/api/clusters/c1/servers/db1/3306/need-restart'
    there.face.needed = true
    const reply = await here.ask(NEED)
    there.face.needed = false
    expect([reply.status, reply.body]).to.deep.equal([200, '200 -Need restart!'])
    expect(reply.headers['x-answered-by']).to.equal(first.owner?.address)
    expect((await here.ask(NEED)).status).to.equal(503)
  })

  it('of nobody opens nothing but what is open', async () => {
    const statement = { method: 'POST', url: SWITCHOVER, user: '', address: '10.0.0.1' }
    const headers = { [FORWARDED]: first.seal(peer(there.gateway.apiPort), statement) }
    expect((await there.ask(SWITCHOVER, { method: 'POST', headers })).status).to.equal(401)
    expect(asked(there)).to.deep.equal([])
  })

  it('is not sent again when the owner breaks off', async () => {
    const { key, cert } = await makeCertificate(Date.now())
    let seen = 0
    const cut = createServer({ key, cert }, ({ socket }) => {
      seen += 1
      socket.destroy()
    })
    closing.push(cut)
    await new Promise<void>((resolve) => cut.listen(0, '127.0.0.1', resolve))
    first.owner = peer((cut.address() as AddressInfo).port, new X509Certificate(cert).fingerprint256)
    const reply = await post(SWITCHOVER)
    expect(reply.body).to.contain('may have been carried out')
    expect(reply.status).to.equal(503)
    expect([seen, asked(here), asked(there)]).to.deep.equal([1, [], []])
  })
})
