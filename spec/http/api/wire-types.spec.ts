// Types of the fields that existing clients decode: a wrong one fails their first request. The record is rewritten by
// UPDATE=1 and read by people before it is committed.
import { writeFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Busy } from '../../../actors/protocol/cluster.js'
import { renderClusterViews } from '../../../http/api/views/index.js'
import { renderConfig } from '../../../http/api/views/kit/config.js'
import { renderStatements } from '../../../http/api/views/server/statements.js'
import { renderTop } from '../../../http/api/views/server/top.js'
import type { Crash } from '../../../lib/model/operation/crash.js'
import { maskSettings, shownValue } from '../../../lib/settings/configuration/view.js'
import { defaultSettings, settingNames, settingRow } from '../../../lib/settings/index.js'
import { recordedTypes, recordFile } from '../../support/http/recorded-types.js'
import { job } from '../../support/http/scripted-face.js'
import { type Types, typesOf } from '../../support/http/types-of.js'
import { viewInput } from '../../support/http/view-input.js'
import { openWire, type Wire } from '../../support/http/wire.js'

const recorded = recordedTypes()

const crash: Crash = {
  ...{ oldPrimary: 'db1', newPrimary: 'db2', oldFile: 'binlog.000001', oldPosition: 400 },
  ...{
    newFile: 'binlog.000002',
    newPosition: 55,
    receivedText: '0-1-150',
    received: { '0': [[1, 150]] },
    byOrigin: {},
  },
  ...{ inSync: true, switchover: false, at: 1_795_246_812_345 },
}

/** Settings of the server scope with their defaults, as the manager shows them. */
const serverConfig = () => {
  const own = settingNames.filter((name) => settingRow(name).scope === 'server')
  return renderConfig(
    own.map((name) => ({ name, value: shownValue(name, defaultSettings()[name]) })),
    'server',
  )
}

const input = () => {
  const usual = viewInput({ jobs: [job], config: maskSettings(defaultSettings()) })
  const [upMs, failableMs, syncMs] = [8_100, 7_700, 1]
  const slaHistory = [{ since: 1_500, at: 9_900, upMs, failableMs, syncMs }]
  return { ...usual, slaHistory, memory: { ...usual.memory, history: [crash], crashes: [crash] } }
}

/** Sessions and rates as a server under load has them. */
const busy: Busy = { server: 'db1', url: 'db1:3306', processes: [{ Id: 7, User: 'app' }], rates: { com_select: 0.37 } }

const statement = { digest: 'a', statement: 'SELECT 1', executions: 3, seconds: 0.123_456_7, longest: 0.1 }

const render = (view: 'cluster' | 'servers' | 'crashes' | 'jobs' | 'proxies') =>
  JSON.parse(Buffer.from(renderClusterViews[view](input())).toString())

describe('types of the large objects', () => {
  let wire: Wire
  const found: Record<string, Types> = {}
  before(async () => {
    wire = await openWire()
    const { body } = await wire.ask('/api/monitor')
    found.monitor = typesOf({ ...JSON.parse(body), config: serverConfig() })
    for (const view of ['cluster', 'servers', 'crashes', 'jobs', 'proxies'] as const)
      found[view] = typesOf(render(view))
    found.top = typesOf(renderTop([busy]))
    found.statements = typesOf(renderStatements([statement]))
    if (process.env.UPDATE) writeFileSync(recordFile, `${JSON.stringify(found, undefined, 2)}\n`)
  })
  after(() => wire.close())

  for (const name of ['monitor', 'cluster', 'servers', 'crashes', 'jobs', 'proxies', 'top', 'statements'])
    it(`are those of the record: ${name}`, () => {
      // Fields may come; one that goes, or changes its type, breaks a client.
      expect(found[name]).to.include(recorded[name])
    })

  it('are what clients of the existing system decode', () => {
    const { monitor = {}, cluster = {}, servers = {}, crashes = {} } = found
    const plans = Object.entries(monitor).filter(([key]) => key.startsWith('.servicePlans[].'))
    expect(new Set(plans.map(([, type]) => type))).to.deep.equal(new Set(['text']))
    expect(monitor).to.include({ '.config.interactive': 'boolean', '.version': 'text', '.fullVersion': 'text' })
    expect(cluster).to.include({
      ...{ '.config.interactive': 'boolean', '.config.version': 'text', '.config.fullVersion': 'text' },
      ...{ '.LastDelayStatPrint': 'time', '.SlavesOldestMasterFile.OldestTimestamp': 'time' },
      ...{ '.uptime': 'text', '.slaHistory[].firsttime': 'number', '.slaHistory[].uptime': 'number' },
      ...{ '.slaHistory[].uptimeFailable': 'number', '.slaHistory[].uptimeSemisync': 'number' },
    })
    expect(found.top).to.include({ '[].header.*[].data[].value': 'number' })
    expect(found.statements).to.include({ '[].execTimeTotal': 'text', '[].execTimeMax.Float64': 'number' })
    expect(servers).to.include({
      ...{ '[].dbVersion.dist': 'null', '[].delayStat.currentDT': 'time', '[].delayStat.rotated': 'object' },
      ...{ '[].binaryLogFiles.*': 'number', '[].port': 'text', '[].serverId': 'number', '[].process': 'null' },
    })
    const gtid = { domainId: 'number', serverId: 'number', seqNo: 'number' }
    for (const [key, type] of Object.entries(gtid)) {
      expect(crashes[`[].FailoverIOGtid[].${key}`]).to.equal(type)
      expect(cluster[`.failoverHistory[].FailoverIOGtid[].${key}`]).to.equal(type)
    }
  })
})
