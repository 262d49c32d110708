// Changes of the primary over the wire: candidate, dry run, waiting, and what an ended operation is answered with.
import { expect } from 'chai'
import { operation } from '../../../../support/http/scripted-face.js'
import { openWire, type Wire } from '../../../../support/http/wire.js'

describe('cluster.switchover', () => {
  let wire: Wire
  before(async () => {
    wire = await openWire()
  })
  after(() => wire.close())
  beforeEach(() => {
    wire.face.calls.length = 0
    wire.face.replies.clear()
    wire.face.failure = undefined
  })

  const address = '/api/clusters/demo/actions/switchover'
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }

  it('names no candidate when none is asked for, and waits for the end', async () => {
    const { status, body } = await wire.ask(address, { method: 'POST' })
    expect(status).to.equal(200)
    expect(JSON.parse(body).operation.phase).to.equal('succeeded')
    expect(wire.face.calls).to.deep.equal([{ name: 'switchover', given: { user: 'admin', wait: true } }])
  })

  for (const [kind, ask] of [
    ['form', { method: 'POST', headers: form, body: 'prefmaster=db2%3A3306' }],
    ['JSON', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"prefmaster":"db2"}' }],
  ] as const)
    it(`takes the candidate from a ${kind} body`, async () => {
      await wire.ask(address, ask)
      expect(wire.face.calls[0]?.given).to.include({ candidate: 'db2' })
    })

  it('takes the candidate from the query of a GET', async () => {
    await wire.ask(`${address}?prefmaster=db3:3306`)
    expect(wire.face.calls[0]?.given).to.include({ candidate: 'db3' })
  })

  it('refuses a candidate that is not a server of the cluster, and asks nothing', async () => {
    const { status, body } = await wire.ask(`${address}?prefmaster=db9:3306`)
    expect([status, body]).to.deep.equal([400, 'prefmaster: db9:3306 is not a server of demo\n'])
    expect(wire.face.calls).to.deep.equal([])
  })

  it('only plans when asked for the plan', async () => {
    const { body } = await wire.ask(`${address}?plan=true&prefmaster=db2`, { method: 'POST' })
    expect(JSON.parse(body)).to.include({ possible: true, expectedBlockedMs: 30 })
    expect(wire.face.calls).to.deep.equal([{ name: 'plan-switchover', given: { candidate: 'db2' } }])
  })

  it('answers at the start when asked not to wait', async () => {
    wire.face.replies.set('switchover', { operation: { ...operation, phase: 'running' } })
    const { body } = await wire.ask(`${address}?wait=false`)
    expect(JSON.parse(body).operation.phase).to.equal('running')
    expect(wire.face.calls[0]?.given).to.include({ wait: false })
  })

  it('refuses a plan that is neither true nor false', async () => {
    expect((await wire.ask(`${address}?plan=perhaps`)).status).to.equal(400)
    expect(wire.face.calls).to.deep.equal([])
  })

  it('answers an operation that was undone or failed as a failure with its message', async () => {
    for (const phase of ['rolled-back', 'failed'] as const) {
      wire.face.replies.set('switchover', { operation: { ...operation, phase, message: `${phase} at catch-up` } })
      const { status, body } = await wire.ask(address)
      expect([status, body]).to.deep.equal([500, `${phase} at catch-up\n`])
    }
  })

  it('says that the master has failed, each route in its own words', async () => {
    wire.face.failure = { code: 'primary-failed', message: 'db1 does not answer' }
    const cluster = await wire.ask(address)
    const server = await wire.ask('/api/clusters/demo/servers/db2/actions/switchover')
    expect([cluster.status, cluster.body]).to.deep.equal([400, 'Master failed\n'])
    expect([server.status, server.body]).to.deep.equal([500, 'Master failed, cannot initiate switchover\n'])
  })

  it('hands the role to the server of the path', async () => {
    await wire.ask('/api/clusters/demo/servers/db3/actions/switchover', { method: 'POST' })
    expect(wire.face.calls).to.deep.equal([
      { name: 'switchover', given: { user: 'admin', wait: true, candidate: 'db3' } },
    ])
  })
})

describe('cluster.failover', () => {
  let wire: Wire
  before(async () => {
    wire = await openWire()
  })
  after(() => wire.close())

  it('refuses while the master is alive, with the reason', async () => {
    wire.face.failure = { code: 'primary-alive', message: 'db1 answers' }
    const { status, body } = await wire.ask('/api/clusters/demo/actions/failover', { method: 'POST' })
    expect([status, body]).to.deep.equal([400, 'db1 answers\n'])
  })

  it('only plans when asked for the plan', async () => {
    wire.face.failure = undefined
    wire.face.calls.length = 0
    await wire.ask('/api/clusters/demo/actions/failover?plan=true')
    expect(wire.face.calls).to.deep.equal([{ name: 'plan-failover', given: {} }])
  })
})
