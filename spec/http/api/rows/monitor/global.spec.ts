// What concerns the manager beyond any cluster.
import { mock } from 'node:test'
import { expect } from 'chai'
import { routes } from '../../../../../http/api/index.js'
import type { Context } from '../../../../../http/api/kit/route.js'
import { FakeFace } from '../../../../support/http/fake-face.js'
import { openWire } from '../../../../support/http/wire.js'

const late = routes.find(({ id }) => id === 'global.timeout')

const ask = (signal: AbortSignal) =>
  late?.answer({ manager: new FakeFace(), signal } as unknown as Context<unknown, unknown, unknown>)

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

  it('lets a hundred wait, and makes room when a client goes', async () => {
    const clients = Array.from({ length: 100 }, () => new AbortController())
    const answers = clients.map(({ signal }) => ask(signal))
    const refused = await ask(new AbortController().signal)
    expect(refused?.ok === false && refused.failure.code).to.equal('mailbox-full')
    for (const client of clients) client.abort()
    await Promise.all(answers)
    const gone = new AbortController()
    gone.abort()
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
    expect(entry.header.graphs[0].data[0]).to.deep.equal({ name: 'Select', value: 12.5 })
    expect(entry.processlist).to.have.lengthOf(1)
    expect(wire.face.calls.at(-1)?.name).to.equal('read-busy')
    expect(wire.face.calls.at(-1)?.given).to.have.property('server')
    expect((await wire.ask('/api/clusters/demo/top?serverName=nobody')).status).to.equal(500)
    await wire.close()
  })
})
