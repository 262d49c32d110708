import { expect } from 'chai'
import { parseCondition, parseDuration, type Seen } from '../../../../bin/cli/kit/condition.js'
import type { WireServer } from '../../../../http/client/wire.js'

const server = (name: string, state: string, other: Partial<WireServer> = {}): WireServer => ({
  ...{ id: `id-${name}`, name, host: `${name}.lan`, port: '3306', state, failCount: 0, readOnly: 'ON' },
  ...{ isMaintenance: false, prefered: false, ignored: false, semiSyncMasterStatus: false },
  ...{ semiSyncSlaveStatus: false, replicationHealth: '' },
  ...other,
})

const primary = server('db1', 'Master', { readOnly: 'OFF' })
const replica = server('db2', 'Slave')
const cluster = { isHealthy: true, healthFaults: [] }
const well: Seen = { servers: [primary, replica], primary, alerts: { errors: [], warnings: [] }, cluster, verdict: {} }
const ill = (...faults: readonly string[]) => ({ cluster: { isHealthy: false, healthFaults: faults } })
const running = { verdict: { operation: { id: 'switchover-1', kind: 'switchover' } } }
const broken = { alerts: { errors: [{ number: 'ERR00012', desc: 'No primary' }], warnings: [] } }
const warned = { alerts: { errors: [], warnings: [{ number: 'WARN0320', desc: 'rolling stopped' }] } }

describe('parseCondition', () => {
  for (const [text, seen, met, now] of [
    ['primary=db1', {}, true, 'the primary is db1.lan:3306, Master'],
    ['primary=db1.lan', {}, true, /db1/],
    ['primary=db1.lan:3306', {}, true, /db1/],
    ['primary=id-db1', {}, true, /db1/],
    ['primary=db2', {}, false, 'the primary is db1.lan:3306, Master'],
    ['primary=db1', { primary: { ...primary, state: 'Failed' } }, false, /Failed, and not writable/],
    ['primary=db1', { primary: { ...primary, readOnly: 'ON' } }, false, /not writable/],
    ['primary=db1', { primary: null }, false, 'there is no primary'],
    ['state=db2:Slave', {}, true, 'db2 is Slave'],
    ['state=db2.lan:3306:slave', {}, true, /Slave/],
    ['state=db2:Failed', {}, false, 'db2 is Slave'],
    ['state=db9:Slave', {}, false, 'there is no server db9'],
    ['healthy', {}, true, 'all checks passed'],
    [
      'healthy',
      ill('db2 is no valid replica', 'ERR00012 No primary'),
      false,
      'db2 is no valid replica; ERR00012 No primary',
    ],
    ['healthy', { cluster: {} }, false, 'the manager does not report whether it is healthy'],
    ['healthy', warned, true, 'all checks passed'],
    ['healthy=db2', { servers: [primary, server('db2', 'SlaveErr')] }, false, 'db2.lan:3306 is SlaveErr'],
    ['healthy=db2', broken, true, 'all checks passed'],
    ['healthy=db1', { servers: [{ ...primary, readOnly: 'ON' }] }, false, 'db1.lan:3306 is Master, and not writable'],
    ['healthy=db2', { servers: [server('db2', 'Wsrep', { readOnly: 'OFF' })] }, true, 'all checks passed'],
    ['healthy=db2', { servers: [server('db2', 'WsrepDonor')] }, false, 'db2.lan:3306 is WsrepDonor'],
    ['healthy=db7', {}, false, 'there is no server db7'],
    ['no-findings', {}, true, 'none is open'],
    ['no-findings', warned, false, 'WARN0320'],
    ['no-findings=err', warned, true, 'none is open'],
    ['no-findings=WARN0320', warned, false, 'WARN0320'],
    ['operation', {}, true, 'nothing is running'],
    ['operation', { verdict: { operation: null } }, true, 'nothing is running'],
    ['operation', running, false, 'switchover-1 is running'],
    ['operation=switchover-0', running, true, 'nothing is running'],
  ] as const)
    it(`${met ? 'holds' : 'does not hold'}: ${text} (${now})`, () => {
      const judged = parseCondition(text).judge({ ...well, ...seen } as Seen)
      expect(judged.met).to.equal(met)
      if (typeof now === 'string') expect(judged.now).to.equal(now)
      else expect(judged.now).to.match(now)
    })

  for (const text of ['primary=db9', 'state=db9:Slave', 'healthy=db9'])
    it(`knows that ${text} can never hold, once servers are known`, () => {
      const judge = (seen: Partial<Seen>) => parseCondition(text).judge({ ...well, ...seen } as Seen)
      expect(judge({})).to.deep.equal({ met: false, now: 'there is no server db9', stranger: true })
      expect(judge({ servers: [], primary: null }))
        .to.include({ met: false })
        .and.not.have.property('stranger')
    })

  for (const text of ['', 'moon', 'primary', 'primary=', 'state=db1', 'state=:Slave', 'constructor'])
    it(`refuses "${text}", and says what it takes`, () => {
      expect(() => parseCondition(text))
        .to.throw(/primary=SERVER|state=SERVER:STATE/)
        .that.has.property('status', 2)
    })

  it('reads only what is needed', () => {
    expect(parseCondition('primary=db1').needs).to.deep.equal(['servers', 'primary'])
    expect(parseCondition('operation').needs).to.deep.equal(['verdict'])
  })
})

describe('parseDuration', () => {
  for (const [text, ms] of [
    ['30s', 30_000],
    ['500ms', 500],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['1.5', 1_500],
  ] as const)
    it(`is ${ms} ms for ${text}`, () => expect(parseDuration(text)).to.equal(ms))

  for (const text of ['', 's', '-1s', '5 days', 'Infinity'])
    it(`refuses "${text}"`, () => expect(() => parseDuration(text)).to.throw('expected a duration such as 30s or 5m'))
})
