// What a manager does beside another one that acts on the same servers, and between two failovers that fail.
import { expect } from 'chai'
import { Backups } from '../../../../actors/cluster/backups/backups.js'
import { LogWatch } from '../../../../actors/cluster/backups/binlogs.js'
import { beginScheduled } from '../../../../actors/cluster/backups/scheduled.js'
import { Checksums } from '../../../../actors/cluster/checksums/checksums.js'
import { Schemas } from '../../../../actors/cluster/checksums/schemas.js'
import { clusterBehaviour } from '../../../../actors/cluster/handlers/behaviour.js'
import { HostJobs } from '../../../../actors/cluster/hosts/host-jobs.js'
import type { RuntimeProtocol } from '../../../../actors/cluster/state/message/messages.js'
import { initialState } from '../../../../actors/cluster/state/start.js'
import type { ClusterState } from '../../../../actors/cluster/state/state.js'
import { mayNotify, mayRoute, messageEffects, passes } from '../../../../actors/cluster/state/step/observed.js'
import { beginOperation, endOperation } from '../../../../actors/cluster/state/step/operation.js'
import { done } from '../../../../lib/base/result.js'
import { secret } from '../../../../lib/base/secret.js'
import { SECOND } from '../../../../lib/base/time.js'
import { RIVAL_MS } from '../../../../lib/decide/situation/snapshot/rival.js'
import { freshMemory } from '../../../../lib/model/memory.js'
import type { Operation } from '../../../../lib/model/operation/operation.js'
import { type ScheduledJob, scheduledJobs } from '../../../../lib/model/operation/scheduled.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { defaultSettings, exportSettings } from '../../../../lib/settings/index.js'
import { cutOff, NOW, primary, refused, replica, situation } from '../../../support/simulator/situation.js'

const settings = defaultSettings({
  'db-servers-hosts': ['db1', 'db2', 'db3'],
  'failover-mode': 'automatic',
  'replication-credential': secret(''),
})
const theirs = { presence: { holds: false, other: '10.0.0.9' } } as const
const dead = [primary(1, {}, refused), replica(2, cutOff), replica(3, cutOff)]
const healthy = [primary(), replica(2), replica(3)]
const besides = healthy.map((one) => ({ ...one, ...theirs }))

function stateWith(servers: readonly ServerSnapshot[], draft: Partial<ClusterState> = {}): ClusterState {
  const { snapshot, memory } = situation(servers)
  const kept = { memory: freshMemory, damage: [] }
  const start = initialState({ name: 'c1', directory: '/nowhere', settings: exportSettings(settings) }, kept, NOW)
  return { ...start, snapshot, memory, ready: true, ...draft }
}

const send = <T extends keyof RuntimeProtocol>(
  state: ClusterState,
  type: T,
  { at = NOW, ...payload }: Partial<RuntimeProtocol[T]['in']> & { readonly at?: number } = {},
) => clusterBehaviour[type](state, payload as unknown as RuntimeProtocol[T]['in'], { now: at, since: at, reply: 1 })

const changing = Object.entries(messageEffects).flatMap(([type, effect]) => (effect === 'changes' ? [type] : []))

describe('A cluster on which another manager acts', () => {
  const state = stateWith(besides)

  it('refuses every message that changes something, names the other manager, and changes nothing', () => {
    expect(changing.length).to.be.greaterThan(20)
    for (const type of changing) {
      const { reply, state: after, commands = [] } = send(state, type as 'switchover')
      const failure = typeof reply === 'object' && 'ok' in reply && !reply.ok ? reply.failure : undefined
      expect(failure?.code, type).to.equal('other-manager')
      expect(failure?.message, type).to.include('10.0.0.9')
      expect(after, type).to.equal(state)
      expect(commands, type).to.deep.equal([])
    }
  })

  it('begins nothing of its schedule, and what it has in a queue from before no more', async () => {
    const begun: string[] = []
    const queue = { redo: () => undefined, list: () => [], begin: () => begun.push('job') }
    const note = (what: string) => () => {
      begun.push(what)
      return done
    }
    const actorOf = (its: ClusterState) => ({
      ...{
        context: { signal: AbortSignal.abort() },
        state: its,
        queue,
        backups: { begin: note('backup') },
        schemas: { begin: note('schemas') },
      },
      ...{
        checksums: { begin: note('checksum') },
        hostJobs: { beginOnAll: note('host') },
        recovery: { ask: note('proof') },
      },
    })
    const kinds = Object.keys(scheduledJobs) as ScheduledJob[]
    for (const kind of kinds) {
      const given = await beginScheduled(actorOf(state) as never, kind, 'scheduler')
      expect(given, kind).to.have.nested.property('failure.code', 'other-manager')
    }
    const actor = actorOf(state) as never
    for (const given of [
      new Checksums(actor).begin({ user: 'scheduler' }),
      new Schemas(actor).begin({ user: 'scheduler' }),
      new Backups(actor).begin({ kind: 'logical' }, { user: 'scheduler' }),
      await new HostJobs(actor).beginOnAll('logs', 'scheduler'),
    ])
      expect(given).to.have.nested.property('failure.code', 'other-manager')
    expect(begun).to.deep.equal([])
    for (const kind of kinds) await beginScheduled(actorOf(stateWith(healthy)) as never, kind, 'scheduler')
    expect(begun).to.have.lengthOf(kinds.length)
  })

  it('gives proxies no routes', () => {
    expect([state, stateWith(healthy)].map(mayRoute)).to.deep.equal([false, true])
  })

  it('calls the scripts of operators for what concerns this manager alone', () => {
    const notices = (its: ClusterState) =>
      (['ERR00021', 'ERR00022'] as const).map((code) =>
        passes(its, { type: 'notify-finding', finding: { code, detail: '' }, opened: true }),
      )
    expect(notices(state)).to.deep.equal([false, true])
    expect(notices(stateWith(healthy))).to.deep.equal([true, true])
    const change = { type: 'notify-state', server: 'db1', from: 'primary', to: 'failed' } as const
    expect([state, stateWith(healthy)].map((its) => passes(its, change))).to.deep.equal([false, true])
    expect([state, stateWith(healthy)].map((its) => mayNotify(its))).to.deep.equal([false, true])
  })

  it('reads no binary logs to store, and ends what reads them', async () => {
    const ended: string[] = []
    const actor = {
      ...{ state: { ...state, settings: { ...settings, 'backup-binlogs': true } }, init: { name: 'c1' } },
      tell: (type: string) => ended.push(type),
    }
    const logs = new LogWatch(actor as never)
    logs.align()
    await logs.close()
    expect(ended).to.deep.equal([])
  })

  it('says the same in plans', () => {
    for (const type of ['plan-switchover', 'plan-failover'] as const) {
      const { reply } = send(
        stateWith(type === 'plan-failover' ? dead.map((one) => ({ ...one, ...theirs })) : besides),
        type,
      )
      const preview = typeof reply === 'object' && 'ok' in reply && reply.ok ? reply.value : undefined
      expect(preview, type).to.include({ possible: false })
      expect(preview?.refusal, type).to.include('10.0.0.9')
    }
    const work = { type: 'relocate', server: 'db3', source: 'db2' } as const
    const [command] = send(state, 'plan-work', { work }).commands ?? []
    expect(JSON.stringify(command)).to.include('"possible":false').and.to.include('10.0.0.9')
  })

  it('takes requests again when the other one gives way', () => {
    const gives = { presence: { holds: true, waiting: '10.0.0.9' } } as const
    const { state: after } = send(stateWith(healthy.map((one) => ({ ...one, ...gives }))), 'switchover', {
      user: 'ann',
      wait: false,
    })
    expect(after.snapshot.operation).to.include({ kind: 'switchover', owner: 'ann' })
  })
})

describe('A manager that becomes the one that acts', () => {
  it('closes and opens nothing before the last act of the other one can be seen', () => {
    const servers = [primary(), replica(2, { state: { readOnly: false } }), replica(3)]
    const state = stateWith(servers)
    const doneAfter = (actedAgo: number) => {
      const snapshot = { ...state.snapshot, rivalry: { seenAt: NOW, actedAt: NOW - actedAgo } }
      return send({ ...state, snapshot }, 'tick').state.snapshot.operation?.kind
    }
    expect(doneAfter(RIVAL_MS - 1)).to.equal(undefined)
    expect(doneAfter(RIVAL_MS)).to.equal('repair')
  })
})

describe('Failovers that fail', () => {
  /** The state after the running operation was undone. */
  function undone(state: ClusterState, now: number): ClusterState {
    const { operation } = state.snapshot
    if (!operation) throw new Error('an operation is running')
    const steps: Operation['steps'] = [
      ...operation.steps.map((step, index) => ({ ...step, state: index === 0 ? 'failed' : 'skipped' }) as const),
      { command: { type: 'start-replication', server: 'db2' }, state: 'done' },
    ]
    const ending = { operation: { ...operation, steps, phase: 'rolled-back', message: 'error 1226' } as const, now }
    return endOperation(state, ending).state
  }

  it('rest, and what undid them does not make another plan of them', () => {
    const first = send(stateWith(dead), 'tick').state
    expect(first.snapshot.operation?.kind).to.equal('failover')
    const rested = undone(first, NOW)
    expect(send(rested, 'tick', { at: NOW + 10 }).state.snapshot.operation).to.equal(undefined)
    expect(send(rested, 'tick', { at: NOW + SECOND }).state.snapshot.operation?.kind).to.equal('failover')
    const { findings } = send(rested, 'tick', { at: NOW + 10 }).state.snapshot
    expect(findings.map(({ code }) => code))
      .to.include('ERR00189')
      .and.not.to.include('WARN0238')
  })

  it('do not rest when a person asks', () => {
    const rested = undone(send(stateWith(dead), 'tick').state, NOW)
    const asked = send(rested, 'failover', { user: 'ann', wait: false, at: NOW + 10 })
    expect(asked.state.snapshot.operation).to.include({ kind: 'failover', owner: 'ann' })
  })

  it('are one line of the log each, from the second on', () => {
    const rested = undone(send(stateWith(dead), 'tick').state, NOW)
    const lines = rested.log.length
    const second = undone(send(rested, 'tick', { at: NOW + SECOND }).state, NOW + SECOND)
    const added = second.log.slice(0, second.log.length - lines).filter(({ text }) => /^Failover/.test(text))
    expect(added.map(({ text }) => text)).to.have.length(1)
    expect(added[0]?.text).to.include('Attempt 2; the next one at ')
  })

  it('end with new settings or a reset of the failover control', () => {
    const rested = undone(send(stateWith(dead), 'tick').state, NOW)
    expect(rested.attempts?.count).to.equal(1)
    const reset = send(rested, 'reset-failover-control', { user: 'ann', at: NOW + 10 }).state
    expect(reset.attempts).to.equal(undefined)
    const settled = send(rested, 'reconfigure', { settings: exportSettings(settings), at: NOW + 10 }).state
    expect(settled.attempts).to.equal(undefined)
  })

  it('a switchover of the manager that was undone rests by what it wanted', () => {
    const plan = {
      kind: 'switchover',
      ...{ reason: 'preferred', newPrimary: 'db2', deadlineMs: SECOND },
      commands: [{ type: 'freeze', server: 'db1' }],
      undo: [],
    } as const
    const begun = beginOperation(stateWith(healthy), { plan, owner: 'manager', now: NOW }).state
    expect(Object.keys(undone(begun, NOW).restUntil)).to.deep.equal(['switchover freeze:db1'])
  })
})
