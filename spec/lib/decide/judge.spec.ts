// Roles, states, topology, the primary, findings and memory of whole clusters.
import { expect } from 'chai'
import { SECOND } from '../../../lib/base/time.js'
import { judgeCluster } from '../../../lib/decide/judge.js'
import { noteFences } from '../../../lib/decide/situation/snapshot/fences.js'
import { freshMemory, type Memory } from '../../../lib/model/memory.js'
import type { Operation } from '../../../lib/model/operation/operation.js'
import { parseState } from '../../../lib/model/server/gtid.js'
import { named, nothingNamed } from '../../../lib/model/server/named.js'
import type { ServerSnapshot } from '../../../lib/model/snapshot.js'
import {
  acknowledgedSource,
  acknowledgingReplica,
  channel,
  crash,
  cutOff,
  NOW,
  primary,
  refused,
  replica,
  running,
  type ServerDraft,
  type SituationDraft,
  server,
  settings,
  silent,
  stateOf,
} from '../../support/simulator/situation.js'

interface Draft extends SituationDraft {
  /** When the last operation ended, and who was to be the primary then. */
  readonly lastEndedAt?: number
  readonly lastMovedTo?: string
}

function build(servers: readonly ServerSnapshot[], draft: Draft = {}) {
  const { lastEndedAt: endedAt, lastMovedTo: newPrimary } = draft
  return judgeCluster({
    cluster: 'c1',
    servers,
    memory: { ...freshMemory, ...draft.memory },
    settings: { ...settings, ...draft.settings },
    now: NOW,
    ...(draft.operation ? { operation: draft.operation } : {}),
    ...(endedAt === undefined
      ? {}
      : { lastOperation: running({ endedAt, ...(newPrimary === undefined ? {} : { newPrimary }) }) }),
  })
}

const open = { readOnly: false }
const known: Partial<Memory> = { primary: 'db1', discovered: true }
const standalone = (number: number, readOnly = true) => server(number, { state: stateOf(number, { readOnly }) })
/** One of a pair or ring. */
const half = (
  number: number,
  other: number,
  { readOnly = true, ...draft }: { readOnly?: boolean } & ServerDraft = {},
) => server(number, { state: stateOf(number, { readOnly, channels: [channel({ source: other })] }), ...draft })
const primaryOf = (servers: readonly ServerSnapshot[], draft: SituationDraft = {}) =>
  build(servers, draft).snapshot.primary
/** With one variable as a slow probe reads it. */
const varied = (server: ServerSnapshot, connections: string): ServerSnapshot => ({
  ...server,
  slow: {
    ...{ server: server.id, at: 0, tookMs: 0, status: nothingNamed, plugins: [], binlogFile: '', binlogPosition: 0 },
    ...{ binlogDoDb: '', binlogIgnoreDb: '', dumpThreads: 0, statementHistory: false },
    binlogs: { count: 0, oldest: '', files: [] },
    variables: named({ max_connections: connections }),
  },
})

const codes = (servers: readonly ServerSnapshot[], draft: SituationDraft = {}) =>
  build(servers, draft).snapshot.findings.map(({ code, server: id }) => (id === undefined ? code : `${code}@${id}`))

describe('the primary', () => {
  for (const [claim, expected, servers, draft] of [
    ['is the server the others follow', 'db1', [primary(), replica(2), replica(3)], {}],
    ['is the only server', 'db1', [standalone(1)], {}],
    ['is the only writer when no server replicates', 'db2', [standalone(1), standalone(2, false)], {}],
    ['is unknown with two writers without followers', undefined, [standalone(1, false), standalone(2, false)], {}],
    [
      'is none while a server without followers might be joined by one that is down',
      undefined,
      [standalone(1, false), server(2, silent())],
      {},
    ],
    [
      'is none before every server was probed',
      undefined,
      [primary(), replica(2), server(3, { observation: 'unseen' })],
      {},
    ],
    [
      'is the dead server that all replicas follow',
      'db1',
      [server(1, silent()), replica(2, cutOff), replica(3, cutOff)],
      {},
    ],
    [
      'is none when replicas follow different dead servers',
      undefined,
      [server(1, silent()), server(4, silent()), replica(2, cutOff), replica(3, { ...cutOff, source: 4 })],
      {},
    ],
    ['stays while it is down', 'db1', [primary(1, {}, refused), replica(2, cutOff)], { memory: known }],
    [
      'stays when an old one returns and takes writes',
      'db2',
      [primary(1), primary(2), replica(3, { source: 2 })],
      { memory: { primary: 'db2', crashes: [crash()] } },
    ],
    [
      'stays when it is down and an old one returns',
      'db2',
      [primary(1), primary(2, {}, silent()), replica(3, { ...cutOff, source: 2 })],
      { memory: { primary: 'db2', crashes: [crash()] } },
    ],
    [
      'stays when it is down and a writable server without followers appears',
      'db1',
      [primary(1, {}, silent()), standalone(2, false)],
      { memory: known },
    ],
    [
      'is the new one when someone moved the role by other means',
      'db2',
      [replica(1, { source: 2 }), primary(2), replica(3, { source: 2 })],
      { memory: known },
    ],
    [
      'is the new one when the old one is down and all follow a writable server',
      'db2',
      [primary(1, {}, silent()), primary(2), replica(3, { source: 2 })],
      { memory: known },
    ],
    [
      'is the server that a person moved the role to while the old one was down and came back closed',
      'db2',
      [primary(1, { readOnly: true }), primary(2, { executed: '0-1-90,0-2-95' }), replica(3, { source: 2 })],
      { memory: known },
    ],
    [
      'is the server that a person moved the role to while the manager was down, though the old one came back open',
      'db2',
      [primary(1, {}), primary(2, { executed: '0-1-90,0-2-95' }), replica(3, { source: 2 })],
      { memory: { ...known, discovered: false } },
    ],
    [
      'stays when it was seen open all the time and someone opens another one with a replica',
      'db1',
      [primary(1, {}), primary(2, { executed: '0-1-90,0-2-95' }), replica(3, { source: 2 })],
      { memory: known },
    ],
    [
      'stays when a server that is merely behind it has a replica and is open',
      'db1',
      [primary(1, {}), primary(2, { executed: '0-1-90' }), replica(3, { source: 2 })],
      { memory: { ...known, discovered: false } },
    ],
    [
      'is the server that replicas follow when both are closed and it has everything',
      'db2',
      [
        primary(1, { readOnly: true }),
        primary(2, { readOnly: true, executed: '0-1-100,0-2-105' }),
        replica(3, { source: 2 }),
      ],
      { memory: known },
    ],
    [
      'stays when an old one that was replaced returns open, with a replica that missed it',
      'db2',
      [primary(1), primary(2, { readOnly: true }), replica(3, { source: 1 })],
      { memory: { ...known, primary: 'db2', crashes: [crash()] } },
    ],
    [
      'is the old one again when a person gave it back the role, with what its successor wrote',
      'db1',
      [
        primary(1, { executed: '0-1-100,0-2-110,0-1-111' }),
        primary(2, { readOnly: true, executed: '0-1-100,0-2-110' }),
        replica(3, { source: 1 }),
      ],
      {
        memory: {
          ...{ ...known, primary: 'db2', crashes: [crash({ byOrigin: parseState('0-1-100') })] },
          identities: { db2: { serverNumber: 2 } },
        },
      },
    ],
    ['is the writing half of a pair', 'db2', [half(1, 2), half(2, 1, open)], {}],
    ['is the believed half of a pair', 'db1', [half(1, 2, open), half(2, 1, open)], { memory: known }],
    [
      'is the preferred half of a pair that both write',
      'db2',
      [half(1, 2, open), half(2, 1, { readOnly: false, rating: 'preferred' })],
      {},
    ],
    [
      'is unknown in a pair in which both write and none is preferred',
      undefined,
      [half(1, 2, open), half(2, 1, open)],
      {},
    ],
  ] as readonly (readonly [string, string | undefined, readonly ServerSnapshot[], SituationDraft])[])
    it(claim, () => expect(primaryOf(servers, draft)).to.equal(expected))

  it('is remembered once it was observed as primary, not when only reported', () => {
    expect(build([primary(), replica(2)]).memory.primary).to.equal('db1')
    expect(build([server(1, silent()), replica(2, cutOff)]).memory.primary).to.equal(undefined)
  })

  it('is found by what its replicas call their source: address, uuid or server id', () => {
    const by = (source: Partial<ReturnType<typeof channel>['source']>) => {
      const follower = half(2, 1)
      const main = channel({ source: 1 })
      const moved = { ...main, source: { ...main.source, host: 'other', serverNumber: 0, ...source } }
      const state = follower.state && { ...follower.state, channels: [moved] }
      return build([
        { ...primary(), ...(primary().state ? { state: { ...stateOf(1, { readOnly: false }), uuid: 'u1' } } : {}) },
        { ...follower, ...(state ? { state } : {}) },
      ]).snapshot.servers[1]?.sourceId
    }
    expect(by({ host: 'DB1' })).to.equal('db1')
    expect(by({ uuid: 'u1' })).to.equal('db1')
    expect(by({ serverNumber: 1 })).to.equal('db1')
    expect(by({})).to.equal(undefined)
  })
})

describe('a replica whose receiver a failover stopped after its source died', () => {
  const halted = (code: number) => replica(2, { io: 'stopped', sql: 'stopped', ioError: { code, message: 'x' } })
  const nameOf = (one: ServerSnapshot, draft: Draft) =>
    build([primary(1, {}, refused), one], { memory: known, ...draft }).snapshot.servers[1]?.stateName

  it('is no broken one while the role moves, nor until it was probed after that', () => {
    const moving = { operation: running({ kind: 'failover', oldPrimary: 'db1' }) }
    for (const code of [0, 2003, 2013]) expect(nameOf(halted(code), moving), `${code}`).to.equal('replica')
    expect(nameOf(halted(1236), moving)).to.equal('replica-error')
    const { stateAt = 0 } = halted(2003)
    expect(nameOf(halted(2003), { lastEndedAt: stateAt + 1 })).to.equal('replica')
    expect(nameOf(halted(2003), { lastEndedAt: stateAt - SECOND })).to.equal('replica-error')
  })
})

describe('states and roles', () => {
  const nameOf = (one: ServerSnapshot, others: readonly ServerSnapshot[] = [primary()]) => {
    const found = build([...others, one], { memory: known }).snapshot.servers.find(({ id }) => id === one.id)
    return found?.stateName
  }

  for (const [expected, one] of [
    ['replica', replica(2)],
    ['replica', replica(2, { io: 'connecting' })],
    ['replica-error', replica(2, { sql: 'stopped', sqlError: { code: 1062, message: 'duplicate' } })],
    ['replica-error', replica(2, { io: 'stopped' })],
    ['replica-late', replica(2, { lagSeconds: 31 })],
    ['replica', replica(2, { lagSeconds: 630, delaySeconds: 600 })],
    ['standalone', standalone(2)],
    ['suspect', replica(2, { server: { ...refused, failures: 2 } })],
    ['failed', replica(2, { server: silent() })],
    [
      'auth-error',
      replica(2, { server: { observation: 'rejected', error: { code: '1045', message: 'Access denied' } } }),
    ],
    [
      'replica',
      replica(2, { server: { observation: 'rejected', error: { code: '1040', message: 'Too many connections' } } }),
    ],
    ['maintenance', replica(2, { server: { maintenance: true } })],
  ] as const)
    it(`${expected}: ${one.observation} ${one.state?.channels[0]?.io ?? ''} ${one.state?.channels[0]?.sql ?? ''}`, () => {
      expect(nameOf(one)).to.equal(expected)
    })

  it('calls a replica that others follow a relay', () => {
    const { snapshot } = build([primary(), replica(2), replica(3, { source: 2 })], { memory: known })
    expect(snapshot.servers.map(({ role }) => role)).to.deep.equal(['primary', 'relay', 'replica'])
    expect(snapshot.topology).to.equal('multi-tier')
  })

  it('keeps the name before', () => {
    expect(build([primary(), replica(2, { server: { stateName: 'failed' } })]).snapshot.servers[1]).to.include({
      stateName: 'replica',
      previousStateName: 'failed',
    })
  })

  for (const [topology, servers] of [
    ['primary-replica', [primary(), replica(2)]],
    ['active-passive', [standalone(1)]],
    ['multi-primary', [half(1, 2, open), half(2, 1)]],
    ['ring', [half(1, 3, open), half(2, 1), half(3, 2)]],
    ['unknown', [standalone(1, false), standalone(2, false)]],
  ] as const)
    it(`knows the topology ${topology}`, () => expect(build(servers).snapshot.topology).to.equal(topology))
})

describe('open findings', () => {
  for (const [code, servers, draft] of [
    ['ERR00012', [standalone(1, false), standalone(2, false)], {}],
    ['ERR00063@db1', [standalone(1, false), standalone(2, false)], {}],
    ['ERR00063@db3', [primary(), replica(2), standalone(3, false)], { memory: known }],
    ['ERR00010', [standalone(1, false), standalone(2)], {}],
    ['ERR00012', [server(1, silent()), server(2, silent())], {}],
    ['ERR00021', [server(1, silent()), server(2, silent())], {}],
    ['ERR00077', [server(1, silent()), server(2, silent())], {}],
    [
      'ERR00004@db2',
      [primary(), replica(2, { server: { observation: 'rejected', error: { code: '1045', message: 'denied' } } })],
      {},
    ],
    [
      'ERR00076@db2',
      [
        primary(),
        replica(2, { server: { observation: 'rejected', error: { code: '1040', message: 'Too many connections' } } }),
      ],
      {},
    ],
    ['ERR00011', [half(1, 2, open), half(2, 1)], {}],
    ['WARN0003', [half(1, 2, open), half(2, 1, open)], { memory: known }],
    ['WARN0006', [half(1, 2, open), half(2, 1, open)], {}],
    ['ERR00064@db2', [primary(), replica(2, { source: 9 }), replica(3)], { memory: known }],
    ['ERR00042@db2', [primary(), replica(2, { sql: 'stopped' })], {}],
    ['WARN0087@db2', [primary(), replica(2, { state: { serverNumber: 1 } })], {}],
    ['WARN0084@db2', [varied(primary(), '100'), varied(replica(2), '50')], {}],
    ['WARN0091@db2', [primary(), replica(2, { state: { executed: '0-1-100,0-2-101' } })], {}],
    [
      'WARN0186@db1',
      [primary(1, { executed: '0-1-103' }), primary(2, { executed: '0-1-100,0-2-110' }), replica(3, { source: 2 })],
      { memory: { primary: 'db2', crashes: [crash()] } },
    ],
    [
      'WARN0022@db1',
      [primary(1), primary(2, { executed: '0-1-100,0-2-110' }), replica(3, { source: 2 })],
      { memory: { primary: 'db2', crashes: [crash()] } },
    ],
    ...(['autorejoin', 'monitoring-pause', 'monitoring-observe'] as const).map(
      (setting): readonly [string, readonly ServerSnapshot[], SituationDraft] => [
        'WARN0251@db1',
        [primary(1), primary(2, { executed: '0-1-100,0-2-110' }), replica(3, { source: 2 })],
        {
          memory: { primary: 'db2', crashes: [crash()] },
          settings: { [setting]: setting !== 'autorejoin' },
        },
      ],
    ),
    ['WARN0060@db1', [primary(), replica(2)], {}],
    ['WARN0048@db2', [primary(), replica(2)], {}],
    [
      'WARN0230@db1',
      [primary(1, { semiSync: { ...acknowledgedSource(), waitPoint: 'after-commit' } }), replica(2)],
      {},
    ],
    ['WARN0231@db2', [primary(), replica(2, { state: { semiSync: acknowledgedSource(0) } })], {}],
    ['WARN0233@db2', [primary(), replica(2, { sql: 'stopped', state: { semiSync: acknowledgingReplica } })], {}],
    ['WARN0050@db2', [primary(), replica(2, { heartbeatPeriodSeconds: 30 })], {}],
    ['WARN0051@db2', [primary(), replica(2, { usesGtid: false })], {}],
    ['WARN0235@db2', [primary(), replica(2, { state: { readOnly: false } })], { memory: known }],
    [
      'ERR00002',
      [primary(1, {}, refused), replica(2, cutOff)],
      { memory: known, settings: { 'failover-mode': 'manual' } },
    ],
    ['ERR00016', [primary(1, {}, silent()), replica(2)], { memory: known }],
    ['ERR00028', [primary(1, {}, silent()), replica(2)], { memory: known }],
    ['ERR00032', [primary(1, {}, refused), replica(2, { ...cutOff, sql: 'stopped' })], { memory: known }],
    ['ERR00085', [primary(), replica(2, { sql: 'stopped' })], {}],
    ['ERR00100', [primary(), replica(2)], { memory: known, operation: running() }],
    ['ERR00001', [primary(), replica(2)], { memory: known, operation: running({ kind: 'failover' }) }],
  ] as readonly (readonly [string, readonly ServerSnapshot[], SituationDraft])[])
    it(`${code} opens`, () => expect(codes(servers, draft)).to.include(code))

  it('says nothing of replication where no server answers', () => {
    expect(codes([server(1, silent()), server(2, silent())])).to.not.include('ERR00010')
  })

  it('reports none of them for a healthy cluster', () => {
    const sound = [
      primary(1, { semiSync: acknowledgedSource(2) }),
      replica(2, { state: { semiSync: acknowledgingReplica } }),
      replica(3, { state: { semiSync: acknowledgingReplica } }),
    ]
    expect(codes(sound, { memory: known })).to.deep.equal([])
  })
})

describe('what is remembered', () => {
  const memoryOf = (servers: readonly ServerSnapshot[], draft: Draft = {}) =>
    build(servers, { ...draft, memory: { ...known, ...draft.memory } }).memory

  it('is the same object while nothing changes', () => {
    const servers = [primary(), replica(2)]
    const { memory } = build(servers, { memory: known })
    expect(judgeCluster({ cluster: 'c1', servers, memory, settings, now: NOW }).memory).to.equal(memory)
  })

  it('includes a total outage from when it began until the primary is seen', () => {
    const outage = memoryOf([server(1, silent(9 * SECOND)), server(2, silent(4 * SECOND))])
    expect(outage).to.include({ totalOutage: true, outageSince: NOW - 9 * SECOND })
    expect(memoryOf([server(1, silent()), replica(2, cutOff)], { memory: outage }).totalOutage).to.equal(true)
    expect(memoryOf([primary(), replica(2)], { memory: outage }).totalOutage).to.equal(false)
  })

  it('includes that a person closed the primary, and forgets it when it is opened', () => {
    const closed = primary(1, { readOnly: true }, { writableAt: NOW - SECOND })
    expect(memoryOf([closed, replica(2)]).closedByHand).to.equal(true)
    expect(memoryOf([primary(), replica(2)], { memory: { closedByHand: true } }).closedByHand).to.equal(false)
  })

  it('takes the intention of semi-sync from replicas that would acknowledge where the state file was lost', () => {
    const ready = replica(2, { state: { semiSync: acknowledgingReplica } })
    expect(memoryOf([primary(), ready], { memory: { recovered: true } }).semiSync).to.equal(true)
    expect(memoryOf([primary(), ready]).semiSync).to.equal(undefined)
    expect(memoryOf([primary(), replica(2)], { memory: { recovered: true } }).semiSync).to.equal(undefined)
  })

  it('forgets that a person closed the primary when it was opened between two probes, written to, and restarted', () => {
    const closed = primary(1, { readOnly: true }, { writableAt: NOW - SECOND })
    const memory = memoryOf([closed, replica(2)])
    const back = (executed: string) =>
      primary(1, { readOnly: true, executed }, { writableAt: NOW - SECOND, restartedAt: NOW })
    expect(memoryOf([back('0-1-100'), replica(2)], { memory }).closedByHand).to.equal(true)
    expect(memoryOf([back('0-1-120'), replica(2)], { memory }).closedByHand).to.equal(false)
    const byRoot = memoryOf(
      [primary(1, { readOnly: true, executed: '0-1-110' }, { writableAt: NOW - SECOND }), replica(2)],
      { memory },
    )
    expect(memoryOf([back('0-1-120'), replica(2)], { memory: byRoot }).closedByHand).to.equal(true)
  })

  it('forgets that a person closed the primary when another one has the role, closed or not', () => {
    const moved = [primary(1, { readOnly: true }, { writableAt: NOW - SECOND }), replica(2)]
    const byHand = (whose: string) =>
      memoryOf(moved, { memory: { closedByHand: true, primary: whose }, lastEndedAt: NOW - 500 }).closedByHand
    expect([byHand('db2'), byHand('db1')]).to.deep.equal([false, true])
  })

  it('distinguishes a primary that restarted read-only, or that an operation closed, from one closed manually', () => {
    const restarted = primary(1, { readOnly: true }, { writableAt: NOW - SECOND, restartedAt: NOW })
    expect(memoryOf([restarted, replica(2)]).closedByHand).to.equal(undefined)
    const closed = primary(1, { readOnly: true }, { writableAt: NOW - SECOND })
    expect(memoryOf([closed, replica(2)], { lastEndedAt: NOW - 500 }).closedByHand).to.equal(undefined)
  })

  it('does not take its own fence for a person, however late a server carries it out', () => {
    const open = primary(1, {}, { writableAt: NOW - SECOND, stateAt: NOW - SECOND })
    const closed = primary(1, { readOnly: true }, { writableAt: NOW - SECOND })
    const sent = noteFences({ ...freshMemory, ...known }, [{ type: 'fence', server: 'db1' }], NOW - 5 * SECOND)
    const waiting = memoryOf([open, replica(2)], { memory: sent })
    const landed = memoryOf([closed, replica(2)], { memory: waiting })
    expect(landed.closedByHand).to.equal(undefined)
    expect(landed.fenced).to.deep.equal({ db1: { at: NOW - 5 * SECOND, landed: true } })
  })

  it('takes a fence for over when the server was closed and is open again', () => {
    const fenced = { fenced: { db1: { at: NOW - SECOND, landed: true } } } as const
    const opened = memoryOf([primary(1), replica(2)], { memory: fenced })
    expect(opened.fenced).to.deep.equal({})
    const closed = primary(1, { readOnly: true }, { writableAt: NOW - SECOND })
    expect(memoryOf([closed, replica(2)], { memory: opened }).closedByHand).to.equal(true)
  })

  it('knows a semi-sync that was switched off from one that a restart took', () => {
    const on = memoryOf([primary(1, { semiSync: acknowledgedSource() }), replica(2)])
    expect(on.semiSync).to.equal(true)
    expect(memoryOf([primary(1, {}, { semiSourceAt: NOW - SECOND }), replica(2)], { memory: on }).semiSync).to.equal(
      false,
    )
    expect(
      memoryOf([primary(1, {}, { semiSourceAt: NOW - SECOND, restartedAt: NOW }), replica(2)], { memory: on }).semiSync,
    ).to.equal(true)
  })

  it('does not mistake the end of an earlier term for intent: semi-sync stays intended', () => {
    const returned = primary(1, {}, { semiSourceAt: NOW - 2 * SECOND })
    const history = [crash({ oldPrimary: 'db2', newPrimary: 'db1' })]
    expect(memoryOf([returned, replica(2)], { memory: { semiSync: true, history } }).semiSync).to.equal(true)
    const moved = { lastEndedAt: NOW - SECOND, lastMovedTo: 'db1' }
    expect(memoryOf([returned, replica(2)], { memory: { semiSync: true }, ...moved }).semiSync).to.equal(true)
  })

  it('does not mistake a change by a fence for intent: semi-sync stays intended after a failover that was undone', () => {
    const opened = primary(1, {}, { semiSourceAt: NOW - 2 * SECOND })
    const undone = { memory: { semiSync: true }, lastEndedAt: NOW - SECOND }
    expect(memoryOf([opened, replica(2)], undone).semiSync).to.equal(true)
  })

  it('drops a crash record when its server follows the primary again', () => {
    const crashed = { primary: 'db2', crashes: [crash()] }
    expect(memoryOf([replica(1, { source: 2 }), primary(2)], { memory: crashed }).crashes).to.deep.equal([])
    expect(memoryOf([standalone(1), primary(2)], { memory: crashed }).crashes).to.have.length(1)
  })
})

describe('a primary that an operation opens', () => {
  // Formed of servers without a transaction; the others were read after the first one was written.
  const asRead = (stateAt: number) => [
    primary(1, { executed: '', readOnly: true }, { stateAt, probeMs: 2, writableAt: 0 }),
    replica(2, { applied: '0-1-1', server: { stateAt: NOW } }),
    replica(3, { applied: '0-1-1', server: { stateAt: NOW } }),
  ]
  const memory: Partial<Memory> = { primary: 'db1', discovered: true }
  const opening = (startedAt: number, phase: 'running' | 'succeeded') =>
    running({
      ...{ kind: 'repair', phase },
      steps: [{ command: { type: 'make-writable', server: 'db1' }, state: 'done', startedAt, tookMs: 20 }],
    })

  it('is not judged by a reading from before, during a repair and when it has ended', () => {
    const servers = asRead(NOW - 100)
    const judged = (operations: { operation?: Operation; lastOperation?: Operation }) =>
      judgeCluster({
        ...{ cluster: 'c1', servers, now: NOW },
        memory: { ...freshMemory, ...memory },
        settings,
        ...operations,
      }).verdict
    expect(judged({}).wouldFailOver).to.equal(true)
    expect(judged({ operation: opening(NOW - 80, 'running') }).wouldFailOver).to.equal(false)
    expect(judged({ lastOperation: opening(NOW - 80, 'succeeded') }).wouldFailOver).to.equal(false)
    expect(judged({ lastOperation: opening(NOW - 500, 'succeeded') }).wouldFailOver).to.equal(true)
  })
})
