// Settings over the wire: where a value may stand, who may change what, and which scope a name belongs to.
import { expect } from 'chai'
import { openWire, type Wire } from '../../support/wire.js'

describe('settings.set', () => {
  let wire: Wire
  before(async () => {
    wire = await openWire()
  })
  after(() => wire.close())
  beforeEach(() => {
    wire.face.calls.length = 0
  })

  const address = '/api/clusters/demo/settings/actions/set'
  const given = () => wire.face.calls[0]?.given

  it('takes an encoded value from the path, slashes and all', async () => {
    const { body } = await wire.ask(`${address}/monitoring-ignore-errors/ERR00041%2CWARN%2F1`)
    expect(given()).to.deep.equal([
      { cluster: 'demo', name: 'monitoring-ignore-errors', value: 'ERR00041,WARN/1', user: 'admin' },
    ])
    expect(JSON.parse(body)).to.include({ name: 'failover-limit', origin: 'saved' })
  })

  it('takes the value from the body, numbers and booleans too', async () => {
    const headers = { 'Content-Type': 'application/json' }
    await wire.ask(`${address}/failover-limit`, { method: 'POST', headers, body: '{"value":3}' })
    expect(given()).to.deep.equal([{ cluster: 'demo', name: 'failover-limit', value: '3', user: 'admin' }])
  })

  it('refuses a request without a value', async () => {
    expect((await wire.ask(`${address}/failover-limit`, { method: 'POST' })).status).to.equal(400)
  })

  it('does not know a name that no setting has', async () => {
    const { status, body } = await wire.ask(`${address}/failover-limits/3`)
    expect([status, body]).to.deep.equal([501, 'Setting Not Found\n'])
    expect(wire.face.calls).to.deep.equal([])
  })

  it('takes a setting of the server scope where it belongs', async () => {
    await wire.ask(`${address}/api-token-timeout/24`)
    expect(given()).to.deep.equal([{ cluster: '', name: 'api-token-timeout', value: '24', user: 'admin' }])
  })

  it('refuses a setting of the server scope to a user of the cluster', async () => {
    const headers = await wire.bearer('viewer', 'see-only')
    expect((await wire.ask(`${address}/api-token-timeout/24`, { headers })).status).to.equal(403)
    expect(wire.face.calls).to.deep.equal([])
  })

  it('leaves the words of the server scope to its own address', async () => {
    await wire.ask('/api/clusters/settings/actions/set/api-token-timeout/24', { method: 'POST' })
    expect(given()).to.deep.equal([{ cluster: '', name: 'api-token-timeout', value: '24', user: 'admin' }])
  })
})

describe('settings.list', () => {
  let wire: Wire
  before(async () => {
    wire = await openWire()
  })
  after(() => wire.close())

  it('is one flat object with the keys clients read', async () => {
    wire.face.known.push({ name: 'failover-falsepositive-ping-counter', value: 5, origin: 'default', immutable: false })
    const { body } = await wire.ask('/api/clusters/demo/settings')
    expect(JSON.parse(body)).to.include({ failoverLimit: 3, failoverFalsePositivePingCounter: 5 })
  })

  it('tells origins when asked for details', async () => {
    const { body } = await wire.ask('/api/clusters/demo/settings?detail=true')
    expect(JSON.parse(body)[0]).to.deep.equal({ name: 'failover-limit', value: 3, origin: 'saved', immutable: false })
  })
})
