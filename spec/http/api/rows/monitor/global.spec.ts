// What concerns the manager beyond any cluster.
import { mock } from 'node:test'
import { expect } from 'chai'
import type { Caller } from '../../../../../actors/protocol/manager/caller.js'
import { routes } from '../../../../../http/api/index.js'
import type { Context } from '../../../../../http/api/kit/route.js'
import { sharedBounds } from '../../../../../lib/access/bound/index.js'
import { FakeFace } from '../../../../support/http/fake-face.js'
import { openWire } from '../../../../support/http/wire.js'

const late = routes.find(({ id }) => id === 'global.timeout')

const stranger = (address: string) => ({ user: '', address, may: () => false, sees: () => false })
const admin = { user: 'admin', address: '192.0.2.9', may: () => true, sees: () => true }

const ask = (signal: AbortSignal, caller: Caller = stranger('192.0.2.1')) =>
  late?.answer({ manager: new FakeFace(), signal, caller } as unknown as Context<unknown, unknown, unknown>)

describe('global.timeout', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  it('answers after 1200 seconds', async () => {
    let answered = false
    const answer = Promise.resolve(ask(new AbortController().signal)).finally(() => {
      answered = true
    })
    mock.timers.tick(1_199_999)
    await Promise.resolve()
    expect(answered).to.equal(false)
    mock.timers.tick(1)
    expect(await answer).to.deep.equal({ ok: true, value: { alive: 'running' } })
  })

  it('lets a few of each client wait, leaves room for others, and makes room when a client goes', async () => {
    const { perUser, perCluster } = sharedBounds.lateAnswers
    const clients = Array.from({ length: perCluster }, () => new AbortController())
    const answers = clients.map(({ signal }, index) => ask(signal, stranger(`192.0.2.${Math.floor(index / perUser)}`)))
    const refused = await ask(new AbortController().signal, stranger('192.0.2.8'))
    expect(refused?.ok === false && refused.failure.message).to.match(
      /^requests of \/api\/timeout: users without a cluster/,
    )
    const gone = new AbortController()
    gone.abort()
    expect((await ask(gone.signal, admin))?.ok, 'an administrator').to.equal(true)
    for (const client of clients) client.abort()
    await Promise.all(answers)
    expect((await ask(gone.signal))?.ok).to.equal(true)
  })
})

describe('global.alerts', () => {
  it('shows the alerts of every cluster, each with its name', async () => {
    const wire = await openWire()
    const alerts = JSON.stringify({ errors: [{ number: 'ERR00012', desc: 'None.', from: 'TOPO' }], warnings: [] })
    wire.face.views.set('demo/alerts', { bytes: Buffer.from(alerts), etag: '1', at: 1_000 })
    const { body } = await wire.ask('/api/global/alerts')
    expect(JSON.parse(body)).to.deep.equal({
      errors: [{ cluster: 'demo', number: 'ERR00012', desc: 'None.', from: 'TOPO' }],
      warnings: [],
    })
    await wire.close()
  })
})

describe('clusters.top', () => {
  it('draws rates, and asks one server only when it is named', async () => {
    const wire = await openWire()
    const { body } = await wire.ask('/api/clusters/demo/top?serverName=db2')
    const [entry] = JSON.parse(body)
    expect(entry.header.graphs.map(({ name }: { name: string }) => name)).to.deep.equal([
      ...['Queries', 'Rows', 'Swap', 'Transactions', 'Cache Miss'],
    ])
    expect(entry.header.graphs[0].data[0]).to.deep.equal({ name: 'Select', value: 13 })
    expect(entry.processlist).to.have.lengthOf(1)
    expect(wire.face.calls.at(-1)?.name).to.equal('read-busy')
    expect(wire.face.calls.at(-1)?.given).to.have.property('server')
    expect((await wire.ask('/api/clusters/demo/top?serverName=nobody')).status).to.equal(500)
    await wire.close()
  })
})

describe('what all clusters have', () => {
  const names = (entries: readonly { readonly cluster: string }[]) => [
    ...new Set(entries.map(({ cluster }) => cluster)),
  ]

  it('has alerts with receivers, their last message, answers and silences, each silence once', async () => {
    const wire = await openWire()
    const acknowledged = { owner: 'ann', reason: 'on it', at: 2_000 }
    const [alert] = wire.face.alerts.list('demo')
    wire.face.alerts = { ...wire.face.alerts, list: () => (alert ? [{ ...alert, acknowledged }, alert] : []) }
    const { receivers, escalation, answered, silences } = JSON.parse((await wire.ask('/api/alerts')).body)
    await wire.close()
    expect(receivers).to.have.length(1)
    expect(receivers[0]).to.deep.include({ channel: 'mail', waiting: 0, sentAt: '1970-01-01T00:00:01.000Z' })
    expect(receivers[0].clusters).to.include.members(['', 'demo'])
    expect(escalation[0].afterSeconds).to.equal(900)
    expect(answered.filter(({ cluster }: { cluster: string }) => cluster === 'demo')).to.have.length(1)
    expect(silences).to.have.length(1)
  })

  it('has proxies, each with its cluster; a cluster without any is not asked', async () => {
    const wire = await openWire()
    const proxy = { id: 'px1', name: 'proxy1', type: 'haproxy', host: 'lb1', port: '1999', state: 'ProxyRunning' }
    const bytes = Buffer.from(JSON.stringify([{ ...proxy, backendsWrite: [], backendsRead: [] }]))
    wire.face.views.set('demo/proxies', { bytes, etag: '1', at: 1_000 })
    const known = wire.face.members('demo')
    const view = {
      servers: [],
      active: true,
      ...known,
      proxies: [{ id: 'px1', name: 'proxy1', host: 'lb1', port: 1999 }],
    }
    wire.face.gatewayViews.set('demo', view)
    const { body } = await wire.ask('/api/proxies')
    await wire.close()
    expect(JSON.parse(body)).to.deep.equal([{ cluster: 'demo', ...proxy, backendsWrite: [], backendsRead: [] }])
  })

  it('has the manager as standby where others act on all of its clusters, and says where both may act', async () => {
    const wire = await openWire()
    const standing = async () => {
      const { status, spitBrain } = JSON.parse((await wire.ask('/api/monitor')).body)
      return { status, spitBrain }
    }
    expect(await standing()).to.deep.equal({ status: 'A', spitBrain: false })
    const known = [...wire.face.gatewayViews]
    for (const [name, view] of known) wire.face.gatewayViews.set(name, { ...view, active: false })
    expect(await standing()).to.deep.equal({ status: 'S', spitBrain: false })
    for (const [name, view] of known) wire.face.gatewayViews.set(name, { ...view, splitBrain: true })
    expect(await standing()).to.deep.equal({ status: 'A', spitBrain: true })
    await wire.close()
  })

  it('has certificates without their texts, for who may see them', async () => {
    const wire = await openWire()
    const { body } = await wire.ask('/api/certificates')
    await wire.close()
    const { clusters, unread, listener } = JSON.parse(body)
    expect(names(clusters)).to.include('demo')
    expect(unread).to.deep.equal([])
    expect(listener).to.deep.include({ selfSigned: true })
    expect(body).not.to.match(/clientKey|clientCert|BEGIN/)
  })
})
