// A Galera cluster as the manager sees it: which member receives writes, the states of its members, and that no plan touches it.
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { planAhead } from '../../../../lib/decide/failover/ahead.js'
import { judgeFailover, planFailover } from '../../../../lib/decide/failover/failover.js'
import { planBootstrap } from '../../../../lib/decide/repair/bootstrap.js'
import { planCleanup } from '../../../../lib/decide/repair/cleanup.js'
import { decideRecovery } from '../../../../lib/decide/repair/recover.js'
import { planRejoin } from '../../../../lib/decide/repair/rejoin.js'
import { planRepair, urgentFences } from '../../../../lib/decide/repair/repair.js'
import type { Situation } from '../../../../lib/decide/situation/situation.js'
import { previewPlan } from '../../../../lib/decide/switchover/preview.js'
import { planReturn } from '../../../../lib/decide/switchover/return-role.js'
import { planSwitchover } from '../../../../lib/decide/switchover/switchover.js'
import { planRoll } from '../../../../lib/decide/upkeep/rolling.js'
import type { Plan } from '../../../../lib/model/operation/operation.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { sample } from '../../../support/run/soak.js'
import {
  alone,
  crash,
  donor,
  joining,
  member,
  primary,
  refused,
  replica,
  type SituationDraft,
  server,
  settings,
  silent,
  situation,
  stateOf,
  synced,
} from '../../../support/simulator/situation.js'

const down = (number: number) => member(number, synced, refused)
const closed = (number: number) => server(number, { state: stateOf(number, { galera: synced }) })

const targetOf = (servers: readonly ServerSnapshot[], believed = 'db1') =>
  situation(servers, { memory: { primary: believed } }).snapshot.primary
const statesOf = (servers: readonly ServerSnapshot[], draft: SituationDraft = {}) =>
  situation(servers, draft).snapshot.servers.map(({ role, stateName }) => `${role} ${stateName}`)
const codesOf = (servers: readonly ServerSnapshot[]) =>
  situation(servers).snapshot.findings.map(({ code, server }) => (server === undefined ? code : `${code} ${server}`))

describe('the target of writes in a Galera cluster', () => {
  for (const [reason, target, servers, believed] of [
    ['stays as long as it is synced', 'db2', [member(1), member(2), member(3)], 'db2'],
    ['stays though a preferred member is back', 'db2', [member(1, synced, { rating: 'preferred' }), member(2)], 'db2'],
    ['is the first synced member when none is known', 'db1', [member(1), member(2), member(3)], 'db9'],
    ['is the preferred one when none is known', 'db2', [member(1), member(2, synced, { rating: 'preferred' })], 'db9'],
    ['is the next synced one when it is down', 'db3', [down(1), member(2, joining), member(3)], 'db1'],
    ['is the next synced one when it becomes a donor', 'db2', [member(1, donor), member(2), member(3)], 'db1'],
    ['is the next synced one when it is cut off', 'db2', [member(1, alone), member(2), member(3)], 'db1'],
    ['is the next one when it is in maintenance', 'db2', [member(1, synced, { maintenance: true }), member(2)], 'db1'],
    ['is one that takes writes', 'db3', [down(1), closed(2), member(3)], 'db1'],
    [
      'is an ignored one only when there is no other',
      'db3',
      [down(1), member(2, synced, { rating: 'ignored' }), member(3)],
      'db1',
    ],
    ['stays a donor when none is synced', 'db2', [member(1, joining), member(2, donor), member(3, donor)], 'db2'],
    ['is a donor when no other is left', 'db2', [down(1), member(2, donor), member(3, joining)], 'db1'],
    ['is remembered when no member is in service', 'db1', [down(1), member(2, alone), down(3)], 'db1'],
  ] as const)
    it(reason, () => {
      expect(targetOf(servers, believed)).to.equal(target)
    })

  it('is no replica that follows the cluster', () => {
    const { snapshot } = situation([down(1), replica(2), down(3)])
    expect([snapshot.topology, snapshot.primary]).to.deep.equal(['galera', 'db1'])
  })
})

describe('members of a Galera cluster', () => {
  it('are called by their place in it', () => {
    expect(statesOf([member(1), member(2), member(3, donor), member(4, joining), member(5, alone)])).to.deep.equal([
      ...['primary primary', 'member synced', 'member donor', 'member unsynced', 'member unsynced'],
    ])
    expect(statesOf([down(1), member(2), member(3, synced, silent())])).to.deep.equal([
      ...['member suspect', 'primary primary', 'member failed'],
    ])
    expect(statesOf([member(1, donor), member(2, joining)])).to.deep.equal(['primary donor', 'member unsynced'])
    expect(statesOf([member(1), member(2, synced, { maintenance: true })])[1]).to.equal('member maintenance')
  })

  it('are no Galera cluster where one of them only replicates from a primary', () => {
    const { snapshot } = situation([primary(1), replica(2, { state: { galera: synced } }), replica(3)])
    expect([snapshot.topology, ...snapshot.servers.map(({ role }) => role)]).to.deep.equal([
      ...['primary-replica', 'primary', 'replica', 'replica'],
    ])
  })

  it('raise nothing while all are synced', () => {
    expect(codesOf([member(1), member(2), member(3)])).to.deep.equal([])
  })

  for (const [code, servers] of [
    ['WARN0241 db3', [member(1), member(2), member(3, donor)]],
    ['WARN0242 db3', [member(1), member(2), member(3, joining)]],
    ['WARN0171 db1', [down(1), member(2), member(3)]],
    ['ERR00083', [member(1), member(2, { ...synced, cluster: '7e1f5e8a-0000-11f1-9d3a-0242ac110002' })]],
    ['ERR00085', [member(1), member(2, joining), member(3, joining)]],
    ['ERR00123', [member(1, alone), down(2), down(3)]],
    ['WARN0004', [closed(1), closed(2), closed(3)]],
  ] as const)
    it(`raise ${code}`, () => {
      expect(codesOf(servers)).to.include(code)
    })

  it('of no cluster yet are not of another one', () => {
    const fresh = { ...joining, cluster: '00000000-0000-0000-0000-000000000000' }
    expect(codesOf([member(1), member(2), member(3, fresh)])).to.not.include('ERR00083')
  })
})

describe('a Galera cluster', () => {
  const kinds: readonly ((number: number) => ServerSnapshot)[] = [
    (number) => member(number),
    (number) => member(number, synced, { rating: 'preferred' }),
    (number) => member(number, donor),
    (number) => member(number, joining),
    (number) => member(number, alone),
    (number) => member(number, synced, { maintenance: true }),
    (number) => member(number, synced, { observation: 'rejected' }),
    (number) => member(number, synced, { restartedAt: 1 }),
    (number) => member(number, synced, silent()),
    (number) => member(number, synced, { ...refused, refusals: 1 }),
    closed,
    down,
  ]
  const others: readonly ((number: number) => ServerSnapshot)[] = [
    closed,
    (number) => primary(number),
    (number) => replica(number),
    (number) => replica(number, { io: 'stopped', sql: 'stopped', state: { readOnly: false } }),
    (number) => server(number, { observation: 'unseen' }),
  ]
  const every = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, typeof value === 'boolean' ? true : value]),
  ) as unknown as typeof settings
  const drafts: Readonly<Record<string, SituationDraft>> = {
    'as it is': {},
    'under settings that enforce': {
      settings: {
        ...every,
        ...{ 'monitoring-pause': false, 'replication-active-passive': false, 'failover-falsepositive-external': false },
        ...{ 'replication-multi-master': false, 'replication-multi-master-ring': false },
      },
    },
    'of a pair once': { settings: { 'replication-multi-master': true }, memory: { semiSync: true } },
    'after failovers of an earlier life': { memory: { crashes: [crash()], history: [crash()] } },
    'after an outage': { memory: { totalOutage: true, outageSince: 1 } },
    'of which none is known': { memory: { primary: 'nobody' } },
  }
  const interrupted: Plan = {
    ...{ kind: 'switchover', reason: 'asked', oldPrimary: 'db1', newPrimary: 'db2', undo: [], deadlineMs: 1 },
    commands: [{ type: 'make-writable', server: 'db2' }],
  }
  const decisions: Readonly<Record<string, (situation: Situation) => unknown>> = {
    failover: (given) => planIn(planFailover(given)),
    'failover on request': (given) => planIn(planFailover(given, { user: 'ann', forced: true })),
    'failover ahead of the proof': planAhead,
    'verdict to fail over': (given) => judgeFailover(given).wouldFailOver || undefined,
    rejoin: planRejoin,
    repair: planRepair,
    fence: (given) => urgentFences(given)[0],
    return: planReturn,
    cleanup: (given) => planIn(planCleanup(given, { force: true })),
    bootstrap: (given) => planIn(planBootstrap(given, { topology: 'master-slave' })),
    roll: (given) => planIn(planRoll(given, { id: 'roll-1', user: 'ann', kind: 'restart' })),
    recovery: (given) =>
      decideRecovery({ plan: interrupted, entries: [{ type: 'step', list: 'commands', index: 0 }] }, given),
  }

  for (const [name, draft] of Object.entries(drafts))
    it(`${name} is never planned for, whatever its members say`, () => {
      const planned = new Set<string>()
      const mixes = kinds.flatMap((first) =>
        kinds.flatMap((second) => others.map((third) => [first(1), second(2), third(3)])),
      )
      // The step from one to the next is no whole number: every kind has its turn in every place.
      for (const members of sample(mixes, 221)) {
        const given = situation(members, draft)
        expect(given.snapshot.topology).to.equal('galera')
        for (const [kind, decide] of Object.entries(decisions)) if (decide(given) !== undefined) planned.add(kind)
      }
      expect([...planned]).to.deep.equal([])
    })
})

describe('planGaleraSwitchover', () => {
  const asked = (servers: readonly ServerSnapshot[], candidate?: string) =>
    planSwitchover(situation(servers), { user: 'ann', ...(candidate === undefined ? {} : { candidate }) })

  it('only sends writes to another member', () => {
    const plan = unwrap(asked([member(1), member(2), member(3)], 'db3'))
    expect(plan.commands.map(({ type }) => type)).to.deep.equal([
      ...['reprobe', 'make-writable', 'route-writes', 'report'],
    ])
    expect(plan).to.deep.include({ kind: 'switchover', oldPrimary: 'db1', newPrimary: 'db3', undo: [] })
  })

  it('takes the next synced one where none is asked for, preferred ones first', () => {
    const ignored = member(2, synced, { rating: 'ignored' })
    const preferred = member(4, synced, { rating: 'preferred' })
    const chosen = (...servers: readonly ServerSnapshot[]) => unwrap(asked([member(1), ...servers])).newPrimary
    expect(chosen(ignored, member(3, donor), preferred)).to.equal('db4')
    expect(chosen(ignored, member(3))).to.equal('db3')
    expect(chosen(ignored, member(3, donor))).to.equal('db2')
  })

  it('blocks no writes', () => {
    const given = situation([member(1), member(2), member(3)])
    const { steps, expectedBlockedMs } = previewPlan(unwrap(planSwitchover(given, { user: 'ann' })), given)
    expect([expectedBlockedMs, steps.some(({ blocksWrites }) => blocksWrites)]).to.deep.equal([0, false])
  })

  for (const [code, reason, servers, candidate] of [
    ['is-primary', 'Writes are already sent to db1', [member(1), member(2), member(3)], 'db1'],
    ['unknown-server', 'No server is called db9', [member(1), member(2), member(3)], 'db9'],
    ['no-candidate', 'db2 is not synced (Donor/Desynced)', [member(1), member(2, donor), member(3)], 'db2'],
    ['no-candidate', 'db2 does not answer (refused)', [member(1), down(2), member(3)], 'db2'],
    ['no-candidate', 'db2 is read-only', [member(1), closed(2), member(3)], 'db2'],
    ['no-candidate', 'db2 is in maintenance', [member(1), member(2, synced, { maintenance: true })], undefined],
    ['no-candidate', 'db2 is not a member of the Galera cluster', [member(1), replica(2)], 'db2'],
  ] as const)
    it(`is refused: ${reason}`, () => {
      const refusal = asked(servers, candidate)
      expect(refusal).to.have.nested.property('failure.code', code)
      expect(refusal).to.have.nested.property('failure.message').that.contains(reason)
    })
})

const planIn = (result: { readonly ok: boolean }): unknown => (result.ok ? result : undefined)
