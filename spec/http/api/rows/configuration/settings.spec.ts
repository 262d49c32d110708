// Settings over the wire: where a value may stand, who may change what, and which scope a name belongs to.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../../../../../lib/base/package-root.js'
import { isSwitchName } from '../../../../../lib/settings/change/switch.js'
import { findSetting, settingRow } from '../../../../../lib/settings/table/index.js'
import { findRecognised } from '../../../../../lib/settings/table/recognised.js'
import { openWire, type Wire } from '../../../../support/http/wire.js'

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

  it('takes the account of proxies under one name, with the grant of its settings', async () => {
    await wire.ask(`${address}/proxysql-servers-credential/ops:s%2Fc:r`)
    expect(given()).to.deep.equal([
      { cluster: 'demo', name: 'proxysql-servers-credential', value: 'ops:s/c:r', user: 'admin' },
    ])
    wire.face.calls.length = 0
    const headers = await wire.bearer('viewer', 'see-only')
    expect((await wire.ask(`${address}/maxscale-servers-credential/a:b`, { headers })).status).to.equal(403)
    expect(wire.face.calls).to.deep.equal([])
  })

  it('refuses a request without a value', async () => {
    expect((await wire.ask(`${address}/failover-limit`, { method: 'POST' })).status).to.equal(400)
  })

  it('does not know a name that no setting has', async () => {
    const { status, body } = await wire.ask(`${address}/failover-limits/3`)
    expect([status, body]).to.deep.equal([501, 'Setting Not Found\n'])
    expect(wire.face.calls).to.deep.equal([])
  })

  it('takes a setting of the server scope on a cluster for the manager, from users who may change that', async () => {
    const asked = [
      ...['graphite-whitelist/x', 'graphite-blacklist/x', 'api-token-timeout/24', 'log-file-level/2'],
      ...['graphite-metrics', 'monitoring-save-config', 'log-syslog'],
    ]
    const actions = '/api/clusters/demo/settings/actions'
    for (const words of asked) {
      const [name = '', value] = words.split('/')
      const path = value === undefined ? `${actions}/switch/${name}` : `${actions}/set/${words}`
      expect((await wire.ask(path)).status, words).to.equal(200)
      const [call] = wire.face.calls.splice(0)
      expect(call, words).to.nested.include({ 'given[0].cluster': '', 'given[0].name': name, 'given[0].user': 'admin' })
      const headers = await wire.bearer('viewer', 'see-only')
      expect((await wire.ask(path, { headers })).status, words).to.equal(403)
      expect(wire.face.calls).to.deep.equal([])
    }
  })

  it('refuses a setting of the server scope to a user of the cluster', async () => {
    const headers = await wire.bearer('viewer', 'see-only')
    const global = '/api/clusters/settings/actions/set/api-token-timeout/24'
    expect((await wire.ask(global, { headers })).status).to.equal(403)
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

  it('shows origins when asked for details', async () => {
    const { body } = await wire.ask('/api/clusters/demo/settings?detail=true')
    expect(JSON.parse(body)[0]).to.deep.equal({ name: 'failover-limit', value: 3, origin: 'saved', immutable: false })
  })
})

describe('changes of settings', () => {
  let wire: Wire
  before(async () => {
    wire = await openWire()
  })
  after(() => wire.close())
  beforeEach(() => {
    wire.face.calls.length = 0
    wire.face.failure = undefined
  })

  const actions = '/api/clusters/demo/settings/actions'
  const line = async (target: string, ask = {}) => {
    const { status, body } = await wire.ask(target, ask)
    return `${status} ${body.trimEnd()}`
  }
  const target = (name: string, cluster = 'demo') => ({ cluster, name, user: 'admin' })

  it('take a cron pattern with its blanks encoded', async () => {
    const name = 'scheduler-rolling-restart-cron'
    await wire.ask(`${actions}/set-cron/${name}/0%2030%2011%20*%20*%20*`)
    expect(wire.face.calls[0]?.given).to.deep.equal([{ ...target(name), value: '0 30 11 * * *' }])
  })

  it('refuse a bad cron pattern, and a cron of what is no schedule', async () => {
    expect(await line(`${actions}/set-cron/failover-limit/0`)).to.equal('501 Setting Not Found')
    wire.face.failure = { code: 'wrong-value', message: 'reported by the manager' }
    expect(await line(`${actions}/set-cron/scheduler-rolling-restart-cron/x`)).to.equal('400 Bad cron pattern')
  })

  it('switch to a state, or to the other one', async () => {
    for (const word of ['autorejoin/on', 'autorejoin/off', 'autorejoin']) await wire.ask(`${actions}/switch/${word}`)
    expect(wire.face.calls.map(({ given }) => given)).to.deep.equal(
      [true, false, undefined].map((on) => [target('autorejoin'), on]),
    )
    expect(await line(`${actions}/switch/autorejoin/maybe`)).to.match(/^400 state: /)
  })

  it('switch the names that stand for a mode', async () => {
    await wire.ask(`${actions}/switch/force-slave-optimistic`)
    expect(wire.face.calls[0]?.given).to.deep.equal([target('force-slave-optimistic'), undefined])
  })

  it('take one change of the history back', async () => {
    await wire.ask(`${actions}/undo/17`, { method: 'POST' })
    expect(wire.face.calls[0]).to.deep.equal({ name: 'undoSetting', given: [{ ...target('failover-limit') }, 17] })
    expect(await line(`${actions}/undo/18`)).to.match(/^404 /)
    expect(await line(`${actions}/undo/last`)).to.match(/^400 change: /)
  })

  it('clear in the scope the setting belongs to', async () => {
    await wire.ask(`${actions}/clear/failover-limit`)
    await wire.ask('/api/clusters/settings/actions/clear/api-token-timeout')
    expect(wire.face.calls.map(({ given }) => given)).to.deep.equal([
      [target('failover-limit')],
      [target('api-token-timeout', '')],
    ])
  })
})

describe('names of settings that clients change', () => {
  type Names = Readonly<Record<'switched' | 'switchedGlobally' | 'set' | 'setGlobally', readonly string[]>>
  const names: Names = JSON.parse(readFileSync(path.join(packageRoot, 'spec/fixture/setting-names.json'), 'utf8'))
  const unknown = (list: readonly string[]) =>
    list.filter((name) => findSetting(name) === undefined && findRecognised(name) === undefined)
  const rows = (list: readonly string[]) => list.flatMap((name) => findSetting(name) ?? []).map(settingRow)

  it('are settings, recognised names, or words that a switch knows', () => {
    expect(unknown([...names.set, ...names.setGlobally, ...names.switchedGlobally])).to.deep.equal([])
    expect(unknown(names.switched).filter((name) => !isSwitchName(name))).to.deep.equal([])
  })

  it('can be switched where clients switch them', () => {
    const kinds = rows(names.switched).map(({ shape }) => shape.kind)
    expect(kinds.filter((kind) => kind !== 'boolean')).to.deep.equal(['choice'])
  })

  it('are of the scope of the server where clients change them there', () => {
    const scopes = rows([...names.setGlobally, ...names.switchedGlobally]).map(({ scope }) => scope)
    expect(new Set(scopes)).to.deep.equal(new Set(['server']))
  })
})
