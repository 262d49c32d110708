import { expect } from 'chai'
import { clusterBehaviour } from '../../../../actors/cluster/handlers/behaviour.js'
import type { ActorCommand } from '../../../../actors/cluster/state/message/command.js'
import type { RuntimeProtocol } from '../../../../actors/cluster/state/message/messages.js'
import { initialState } from '../../../../actors/cluster/state/start.js'
import type { ClusterState } from '../../../../actors/cluster/state/state.js'
import { endOperation, hasMoved, stepOperation } from '../../../../actors/cluster/state/step/operation.js'
import type { Postponed } from '../../../../actors/kernel/behaviour.js'
import { type Result, unwrap } from '../../../../lib/base/result.js'
import { secret } from '../../../../lib/base/secret.js'
import { freshMemory, type LogOutcome } from '../../../../lib/model/memory.js'
import type { Operation } from '../../../../lib/model/operation/operation.js'
import type { ServiceAction } from '../../../../lib/model/operation/services.js'
import { markOf } from '../../../../lib/model/plan-id.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { proxyServices } from '../../../../lib/proxy/kit/services.js'
import { defaultSettings, exportSettings, withSettings } from '../../../../lib/settings/index.js'
import { cutOff, NOW, primary, refused, replica, silent, situation } from '../../../support/simulator/situation.js'

const settings = defaultSettings({
  'db-servers-hosts': ['db1', 'db2', 'db3'],
  'failover-mode': 'automatic',
  // Plans wait for no login: logins.spec.ts has those that do.
  'replication-credential': secret(''),
})
type Moment = number | readonly [now: number, since: number]
/** Each handler by the clock of the test; replies are numbered 1. */
const behaviour = Object.fromEntries(
  Object.entries(clusterBehaviour).map(([type, handle]) => [
    type,
    (state: ClusterState, payload: never, when: Moment = NOW) => {
      const [now, since] = typeof when === 'number' ? [when, when] : when
      return (handle as (...args: unknown[]) => unknown)(state, payload, { now, since, reply: 1 })
    },
  ]),
) as {
  [T in keyof RuntimeProtocol]: (
    state: ClusterState,
    payload: RuntimeProtocol[T]['in'],
    when?: Moment,
  ) => ReturnType<(typeof clusterBehaviour)[T]>
}
/** A reply that was given at once. */
const given = <T>(reply: Result<T> | 'deferred' | Postponed): Result<T> => {
  if (typeof reply === 'object' && 'ok' in reply) return reply
  throw new Error('the reply is to come later')
}
const healthy = [primary(), replica(2), replica(3)]
const reading = {
  server: 'db2',
  at: NOW,
  tookMs: 1,
  observation: 'answered',
  state: replica(2).state as never,
} as const
const dead = [primary(1, {}, refused), replica(2, cutOff), replica(3, cutOff)]

/** A state that knows these servers, as if they had been probed. */
function stateWith(
  servers: readonly ServerSnapshot[],
  { operation, ...draft }: Partial<ClusterState> & { operation?: Operation } = {},
): ClusterState {
  const { snapshot, memory } = situation(servers)
  const start = initialState(
    { name: 'c1', directory: '/nowhere', settings: exportSettings(settings) },
    { memory: freshMemory, damage: [] },
    NOW,
  )
  const running = operation ? { ...snapshot, operation } : snapshot
  return { ...start, snapshot: running, memory, ready: true, ...draft }
}

const types = (commands: readonly ActorCommand[] = []): readonly string[] => commands.map(({ type }) => type)

const request = (action: ServiceAction) => ({ user: 'ann', server: 'db1', action, force: false, dry: false })

describe('clusterBehaviour', () => {
  it('begins a failover when the evidence is complete, and only one', () => {
    const first = behaviour.tick(stateWith(dead), {}, NOW)
    expect(first.state.snapshot.operation).to.include({
      kind: 'failover',
      owner: 'manager',
      phase: 'running',
      oldPrimary: 'db1',
    })
    expect(types(first.commands)).to.include('operate')
    expect(types(behaviour.tick(first.state, {}, NOW + 10).commands)).not.to.include('operate')
  })

  it('decides nothing before every server had its first probe', () => {
    expect(behaviour.tick(stateWith(dead, { ready: false }), {}, NOW).state.snapshot.operation).to.equal(undefined)
  })

  it('ends a rejoin early when the primary dies meanwhile, and fails over when it has ended', () => {
    const rejoin: Operation = {
      id: 'rejoin-1',
      kind: 'rejoin',
      owner: 'manager',
      reason: '',
      startedAt: NOW,
      deadlineAt: NOW + 1,
      phase: 'running',
      steps: [],
    }
    const interrupted = behaviour.tick(stateWith(dead, { operation: rejoin }), {}, NOW)
    expect(types(interrupted.commands)).to.include('abort')
    const ended = behaviour.ended(interrupted.state, { operation: { ...rejoin, phase: 'failed' } }, NOW)
    expect(ended.state.snapshot.operation?.kind).to.equal('failover')
  })

  it('does not repeat a repair that failed before it has rested', () => {
    const writable = [primary(), replica(2, { state: { readOnly: false } }), replica(3)]
    const started = behaviour.tick(stateWith(writable), {}, NOW).state.snapshot.operation
    if (!started) throw new Error('a repair is due')
    const ended = behaviour.ended(
      stateWith(writable, { operation: started }),
      {
        operation: { ...started, phase: 'failed' },
      },
      NOW,
    )
    expect(ended.state.snapshot.operation).to.equal(undefined)
    expect(behaviour.tick(ended.state, {}, NOW + 6_000).state.snapshot.operation?.kind).to.equal('repair')
  })

  it('repairs nothing while the cluster is paused', () => {
    const writable = [primary(), replica(2, { state: { readOnly: false } }), replica(3)]
    const paused = withSettings(settings, { 'monitoring-pause': true })
    expect(behaviour.tick(stateWith(writable, { settings: paused }), {}, NOW).state.snapshot.operation).to.equal(
      undefined,
    )
  })

  it('retries its own switchover late when it failed', () => {
    const preferred = [primary(), replica(2, { server: { rating: 'preferred' } }), replica(3)]
    const request = withSettings(settings, { 'failover-switch-to-prefered': true })
    const started = behaviour.tick(stateWith(preferred, { settings: request }), {}, NOW).state.snapshot.operation
    expect(started).to.include({ kind: 'switchover', owner: 'manager', newPrimary: 'db2' })
    const ended = behaviour.ended(
      stateWith(preferred, { settings: request, operation: started as Operation }),
      {
        operation: { ...(started as Operation), phase: 'rolled-back' },
      },
      NOW,
    ).state
    expect(behaviour.tick(ended, {}, NOW + 500_000).state.snapshot.operation).to.equal(undefined)
    expect(behaviour.tick(ended, {}, NOW + 700_000).state.snapshot.operation?.kind).to.equal('switchover')
  })

  const switchoverOf = (steps: Operation['steps']): Operation => ({
    ...{ id: 'switchover-1', kind: 'switchover', owner: 'ann', reason: '', phase: 'running' },
    ...{ startedAt: NOW - 100, deadlineAt: NOW + 1, newPrimary: 'db1', steps },
  })
  const endingAfter = (steps: Operation['steps']): string => {
    const switchover = switchoverOf(steps)
    const operation = { ...switchover, phase: 'succeeded' } as const
    const ended = behaviour.ended(stateWith(healthy, { operation: switchover }), { operation }, NOW)
    return JSON.stringify(ended.commands)
  }
  const routeStep = (state: 'done' | 'failed', message: string): Operation['steps'][number] => ({
    ...{ command: { type: 'route-writes', bestEffort: true }, state, message },
  })

  it('names a step once that failed twice, with what it met last', () => {
    const text = endingAfter([routeStep('failed', 'lb1 is late'), routeStep('failed', 'lb1 refuses')])
    expect(text).to.include('after 100 ms, without route-writes (lb1 refuses)"')
  })

  it('names no step that went through later', () => {
    const text = endingAfter([routeStep('failed', 'lb1 is late'), routeStep('done', '1 proxy sends writes to db1')])
    expect(text).to.include('after 100 ms"')
  })

  it('names a script that failed, though another one went through later', () => {
    const script = (file: string) => ({ type: 'run-script', script: file, args: [] }) as const
    const text = endingAfter([
      { command: script('/opt/before'), state: 'failed', message: 'status 1' },
      { command: script('/opt/after'), state: 'done' },
    ])
    expect(text).to.include('after 100 ms, without run-script /opt/before (status 1)"')
  })

  it('reports moments and durations in whole milliseconds', () => {
    const operation = switchoverOf([{ ...routeStep('done', ''), startedAt: NOW - 5.25, tookMs: 3.75 }])
    const stepped = behaviour.stepped(stateWith(healthy), { operation }, NOW + 0.4)
    expect(JSON.stringify(stepped.commands)).to.include('"tookMs":4').and.to.include(`"at":${NOW}`)
  })

  it('notes when a reading was that changes nothing, and does not judge again', () => {
    const state = stateWith(healthy)
    expect(behaviour.observed(state, { reading }, NOW).commands).to.deep.equal([{ type: 'note-answer', server: 'db2' }])
  })

  it('keeps no reading of a proxy that was dropped while it was probed', () => {
    const having = withSettings(settings, { proxysql: true, 'proxysql-servers': ['lb1:6032'] })
    const [{ id, name, host, port } = { id: '', name: '', host: '', port: 0 }] = proxyServices(having)
    const reading = {
      ...{ id, name, host, port, kind: 'proxysql', at: NOW, alive: true, version: '2.5.5', backends: [] },
    }
    const seen = behaviour['observed-proxy'](stateWith(healthy, { settings: having }), { reading }).state
    expect(seen.proxies.map((proxy) => proxy.id)).to.deep.equal([id])
    const dropped = behaviour.reconfigure(seen, { settings: exportSettings(settings) }).state
    expect(dropped.proxies).to.deep.equal([])
    expect(behaviour['observed-proxy'](dropped, { reading }).state.proxies).to.deep.equal([])
  })

  it('judges again for every probe of a replica while the primary is silent and not proven dead', () => {
    const hanging = { observation: 'silent', failures: 2, failingSince: NOW - 500, stateAt: NOW - 800 } as const
    const state = stateWith([primary(1, {}, hanging), replica(2), replica(3)])
    expect(types(behaviour.observed(state, { reading }, NOW).commands)).to.include('publish')
  })

  it('forgets a reading of a server that has left', () => {
    const state = stateWith(healthy)
    const reading = { server: 'gone', at: NOW, tookMs: 1, observation: 'refused' } as const
    expect(behaviour.observed(state, { reading }, NOW).state).to.equal(state)
  })

  it('takes a switchover when asked, names the plan in a dry run, and changes nothing there', () => {
    const state = stateWith(healthy)
    const asked = behaviour.switchover(state, { user: 'ann', candidate: 'db3', wait: false })
    expect(unwrap(given(asked.reply)).operation).to.include({ kind: 'switchover', owner: 'ann', newPrimary: 'db3' })
    const dry = behaviour['plan-switchover'](state, { candidate: 'db3' })
    expect(unwrap(given(dry.reply))).to.include({ kind: 'switchover', possible: true, newPrimary: 'db3' })
    expect(dry.state).to.equal(state)
  })

  it('begins the switchover that was confirmed, and none that is another one by then', () => {
    const state = stateWith(healthy)
    const plan = unwrap(given(behaviour['plan-switchover'](state, { candidate: 'db3' }).reply))
    const wish = { user: 'ann', wait: false, confirmed: markOf(plan) }
    const begun = behaviour.switchover(state, { ...wish, candidate: 'db3' })
    expect(unwrap(given(begun.reply)).operation.newPrimary).to.equal('db3')
    const other = behaviour.switchover(state, { ...wish, candidate: 'db2' })
    const refusal = given(other.reply)
    expect(refusal.ok ? '' : refusal.failure.code).to.equal('plan-changed')
    expect(other.state.snapshot.operation).to.equal(undefined)
  })

  it('refuses a failover while the primary lives', () => {
    const refusal = given(behaviour.failover(stateWith(healthy), { user: 'ann', wait: false }).reply)
    expect(refusal).to.deep.include({ ok: false })
    expect(refusal.ok ? '' : refusal.failure.code).to.equal('primary-alive')
  })

  it('refuses to stop the primary of others', () => {
    const reply = given(behaviour['permit-service'](stateWith(healthy), request('stop')).reply)
    expect(reply.ok ? '' : reply.failure.code).to.equal('is-primary')
  })

  it('notes that a server is away on request, until what was asked has failed or brings it back', () => {
    const away = (state: ReturnType<typeof stateWith>) => state.memory.stoppedOnRequest
    const stopped = behaviour['permit-service'](stateWith(healthy), { ...request('stop'), server: 'db2' }).state
    expect(away(stopped)).to.deep.equal(['db2'])
    const acted = (stays: boolean) =>
      behaviour['service-acted'](stopped, { server: 'db2', action: 'stop', stays }, 1).state
    expect(away(acted(true))).to.deep.equal(['db2'])
    expect(away(acted(false))).to.deep.equal([])
    expect(away(behaviour['permit-service'](stopped, { ...request('start'), server: 'db2' }).state)).to.deep.equal([])
  })

  it('takes a server for back that answers after it was down, or to a new manager, unless an action is under way', () => {
    const awayAfter = (observation: ServerSnapshot['observation'], isUnderWay = false) => {
      const state = stateWith([primary(), { ...replica(2), observation }, replica(3)])
      const begun = behaviour['permit-service'](state, { ...request('stop'), server: 'db2' }).state
      const ended = { server: 'db2', action: 'stop', stays: true } as const
      const stopped = isUnderWay ? begun : behaviour['service-acted'](begun, ended, 1).state
      expect(stopped.memory.stoppedOnRequest).to.deep.equal(['db2'])
      const { memory, snapshot } = behaviour.observed(stopped, { reading }).state
      expect(snapshot.servers.filter((server) => server.stoppedOnRequest).map(({ id }) => id)).to.deep.equal(
        memory.stoppedOnRequest,
      )
      return memory.stoppedOnRequest
    }
    expect(awayAfter('refused'), 'started by hand').to.deep.equal([])
    expect(awayAfter('unseen'), 'by a job that ended with its manager').to.deep.equal([])
    expect(awayAfter('answered'), 'as it is being stopped').to.deep.equal(['db2'])
    expect(awayAfter('silent'), 'as it is being stopped').to.deep.equal(['db2'])
    expect(awayAfter('refused', true), 'started by the action, which may stop it again').to.deep.equal(['db2'])
  })

  it('only says whether when it is only asked', () => {
    const state = stateWith(healthy)
    const asked = behaviour['permit-service'](state, { ...request('stop'), server: 'db2', dry: true }).state
    // What every judgement notes anyway.
    const { condition: _, ...memory } = asked.memory
    expect(memory).to.deep.equal(state.memory)
  })

  it('opens no server on request that is missing what others hold, unless that is accepted', () => {
    const state = stateWith([primary(1, { readOnly: true }), replica(2, { received: '0-1-104' })])
    const open = (force: boolean) => behaviour['toggle-read-only'](state, { user: 'ann', server: 'db1', force })
    expect(given(open(false).reply)).to.have.nested.property('failure.code', 'wrong-state')
    expect(types(open(false).commands)).to.not.include('run-command')
    expect(types(open(true).commands)).to.include('run-command')
  })

  it('gives up what was held when it is accepted, or when the binary log was deleted on request', () => {
    const { memory, ...rest } = stateWith(healthy)
    const held = { primary: 'db1', set: {}, at: 0, forked: { '0-1': [[101, 104]] } } as const
    const state = { ...rest, memory: { ...memory, held } }
    const ambiguous = { db2: { since: 1, primary: 'db1', set: {}, at: {}, passed: true } } as const
    const marked = { ...state, memory: { ...state.memory, ambiguous } }
    const accepted = behaviour['reset-failover-control'](marked, { user: 'ann' }).state.memory
    expect(accepted.held?.forked).to.equal(undefined)
    expect(accepted.ambiguous).to.equal(undefined)
    const ended = (server: string, outcome: LogOutcome) => {
      const begun = behaviour['history-reset'](state, { server }).state
      expect(begun.memory.deleting).to.have.keys([server])
      const { memory } = behaviour['history-reset'](begun, { server, outcome }).state
      expect(memory.deleting).to.equal(undefined)
      return memory.held
    }
    expect(ended('db1', 'continued')?.forked).to.equal(undefined)
    expect(ended('db1', 'begun-again')).to.deep.include({ set: {} })
    expect(ended('db1', 'unknown')).to.equal(held)
    expect(ended('db2', 'begun-again')).to.equal(held)
  })

  it('keeps what is to be asked where the outcome of a deletion was not heard, until the server has said it', () => {
    const begun = behaviour['history-reset'](stateWith(healthy), { server: 'db1', history: '0-1-104' }).state
    const unheard = behaviour['history-reset'](begun, { server: 'db1', outcome: 'unknown' }).state
    expect(unheard.memory.deleting?.db1).to.deep.include({ history: '0-1-104', unread: true })
    for (const outcome of ['continued', 'begun-again', 'unknown'] as const)
      expect(behaviour['history-reset'](unheard, { server: 'db1', outcome }).state.memory.deleting).to.equal(undefined)
  })

  it('remembers maintenance across restarts and notifies the proxies', () => {
    const { state, commands, reply } = behaviour['set-maintenance'](stateWith(healthy), {
      user: 'ann',
      server: 'db2',
      mode: 'toggle',
    })
    expect(unwrap(given(reply))).to.equal(true)
    expect(state.memory.maintenance).to.deep.equal(['db2'])
    expect(types(commands)).to.include.members(['persist', 'align-proxies'])
  })

  it('keeps the primary when servers are added and removed', () => {
    const fewer = exportSettings(defaultSettings({ 'db-servers-hosts': ['db1'] }))
    const { state, commands } = behaviour.reconfigure(stateWith(healthy), { settings: fewer })
    expect(state.snapshot.servers).to.have.length(1)
    expect(types(commands)).to.include('reconfigure')
  })

  it('settings of a named test hold until it ends, over saved changes too', () => {
    const wait = (state: ClusterState) => state.settings['switchover-wait-trx']
    const begun = behaviour['try-settings'](stateWith(healthy), { settings: { 'switchover-wait-trx': 1 } }).state
    const more = behaviour['try-settings'](begun, { settings: { 'switchover-at-sync': true } }).state
    expect([wait(more), more.settings['switchover-at-sync']]).to.deep.equal([1, true])
    const saved = exportSettings(withSettings(settings, { 'switchover-wait-trx': 7, 'failover-limit': 2 }))
    const changed = behaviour.reconfigure(more, { settings: saved }).state
    expect([wait(changed), changed.settings['failover-limit']]).to.deep.equal([1, 2])
    const ended = behaviour['try-settings'](changed, {}).state
    expect([wait(ended), ended.settings['switchover-at-sync'], ended.trial]).to.deep.equal([7, false, undefined])
    expect(exportSettings(ended.settings)).to.deep.equal(saved)
  })
})

describe('requests', () => {
  const repair: Operation = {
    ...{ id: 'repair-1', kind: 'repair', owner: 'manager', reason: '', phase: 'running' },
    ...{ startedAt: NOW, deadlineAt: NOW + 1, steps: [] },
  }

  it('end a minor operation in the way first, for three seconds at most', () => {
    const busy = stateWith(healthy, { operation: repair })
    const request = { user: 'ann', candidate: 'db3', wait: false }
    const waiting = behaviour.switchover(busy, request)
    expect(waiting.reply).to.deep.equal({ until: NOW + 3_000 })
    expect(types(waiting.commands)).to.deep.equal(['abort'])
    expect(
      unwrap(given(behaviour.switchover(stateWith(healthy), request, [NOW + 20, NOW]).reply)).operation.owner,
    ).to.equal('ann')
  })

  it('wait for the first probes right after a start, for three seconds at most', () => {
    const request = { user: 'ann', candidate: 'db3', wait: false }
    const started = stateWith(healthy, { ready: false })
    expect(behaviour.switchover(started, request)).to.deep.include({ reply: { until: NOW + 3_000 }, commands: [] })
    const probed = behaviour.switchover(stateWith(healthy), request, [NOW + 20, NOW])
    expect(unwrap(given(probed.reply)).operation).to.include({ kind: 'switchover', owner: 'ann' })
    const late = given(behaviour.switchover(started, request, [NOW + 3_000, NOW]).reply)
    expect(late.ok ? '' : late.failure.code).to.equal('wrong-state')
  })

  it('are refused while a repair does not end, or was asked for by a person; a failover ends that one too', () => {
    const request = { user: 'ann', wait: false }
    const late = given(
      behaviour.switchover(stateWith(healthy, { operation: repair }), request, [NOW + 3_000, NOW]).reply,
    )
    const asked = stateWith(healthy, { operation: { ...repair, owner: 'bob' } })
    const beside = given(behaviour.switchover(asked, request).reply)
    for (const refusal of [late, beside]) expect(refusal.ok ? '' : refusal.failure.code).to.equal('operation-running')
    expect(types(behaviour.failover(asked, request).commands)).to.deep.equal(['abort'])
  })

  it('that are refused while a server missed a probe wait until it has answered or failed', () => {
    const late = { ...silent(100), failures: 1 }
    const request = { user: 'ann', candidate: 'db3', wait: false }
    const doubtful = stateWith([primary(1, {}, late), replica(2), replica(3)])
    expect(behaviour.switchover(doubtful, request).reply).to.deep.equal({ until: NOW + 3_000 })
    const { operation } = unwrap(given(behaviour.switchover(stateWith(healthy), request, [NOW + 20, NOW]).reply))
    expect(operation.newPrimary).to.equal('db3')
    for (const reply of [
      behaviour.switchover(doubtful, request, [NOW + 3_000, NOW]).reply,
      behaviour.switchover(stateWith([primary(1, {}, silent()), replica(2), replica(3)]), request).reply,
    ]) {
      const refusal = given(reply)
      expect(refusal.ok ? '' : refusal.failure.code).to.equal('primary-failed')
    }
  })

  it('are answered when the operation that they wait for has ended', () => {
    const started = behaviour.switchover(stateWith(healthy), { user: 'ann', wait: true })
    expect(started.reply).to.equal('deferred')
    const operation = { ...(started.state.snapshot.operation as Operation), phase: 'succeeded' } as const
    const ended = behaviour.ended(started.state, { operation })
    expect(ended.commands).to.deep.include({
      type: 'reply-probed',
      reply: 1,
      result: { ok: true, value: { operation } },
    })
    expect(ended.state.waiting).to.deep.equal([])
  })

  it('wait for the first probe of a server, and take one that is down as it is', () => {
    const unseen = stateWith([primary(), replica(2, { server: { observation: 'unseen' } }), replica(3)])
    const request = { server: 'db2', what: 'status' } as const
    expect(behaviour.read(unseen, request).reply).to.deep.equal({ until: NOW + 3_000 })
    for (const [state, now] of [
      [unseen, NOW + 3_000],
      [stateWith(dead), NOW],
    ] as const) {
      const refusal = given(
        behaviour.read(state, { ...request, server: now === NOW ? 'db1' : 'db2' }, [now, NOW]).reply,
      )
      expect(refusal.ok ? '' : refusal.failure.code).to.equal('sql-refused')
    }
    const unknown = given(behaviour.read(unseen, { ...request, server: 'db9' }).reply)
    expect(unknown.ok ? '' : unknown.failure.code).to.equal('unknown-server')
  })

  it('leave as one command with what the effect needs, and the number of the reply', () => {
    const outcome = behaviour['kill-statement'](stateWith(healthy), {
      ...{ user: 'ann', server: 'db2', target: '17', end: 'session' },
    })
    expect(outcome.reply).to.equal('deferred')
    const [command] = outcome.commands ?? []
    expect(command).to.deep.include({ type: 'kill', reply: 1, user: 'ann', target: '17', end: 'session' })
  })

  it('wait for every database, until the time is over', () => {
    expect(given(behaviour['wait-databases'](stateWith(healthy), { seconds: 5 }).reply).ok).to.equal(true)
    expect(behaviour['wait-databases'](stateWith(dead), { seconds: 5 }).reply).to.deep.equal({ until: NOW + 5_000 })
    const late = given(behaviour['wait-databases'](stateWith(dead), { seconds: 5 }, [NOW + 5_000, NOW]).reply)
    expect(late.ok ? '' : late.failure.code).to.equal('deadline-passed')
  })

  it('have every server probed as the wait for databases begins, and not each time that it is asked again', () => {
    const begun = behaviour['wait-databases'](stateWith(dead), { seconds: 5 })
    expect(types(begun.commands)).to.deep.equal(['probe-now'])
    const again = behaviour['wait-databases'](stateWith(dead), { seconds: 5 }, [NOW + 1_000, NOW])
    expect(types(again.commands)).to.deep.equal([])
    expect(types(behaviour['wait-databases'](stateWith(healthy), { seconds: 5 }).commands)).to.deep.equal([])
  })

  it('save that replication is as was asked for, before the command', () => {
    const { commands } = behaviour['stop-replication'](stateWith(healthy), { user: 'ann', server: 'db2' })
    expect(types(commands)).to.deep.equal(['persist', 'run-command'])
  })
})

describe('stepOperation', () => {
  const started = behaviour.tick(stateWith(dead), {}, NOW).state
  const operation = started.snapshot.operation as Operation
  const opened: Operation = {
    ...operation,
    steps: operation.steps.map((step) => ({
      ...step,
      state: step.command.type === 'make-writable' ? 'done' : 'waiting',
    })),
  }

  it('moves the primary with the step that opens the new one', () => {
    expect(hasMoved(operation)).to.equal(false)
    expect(hasMoved(opened)).to.equal(true)
    expect(stepOperation(started, opened, NOW).state.memory.primary).to.equal(operation.newPrimary)
  })

  it('has moved by a plan that was made when the new one was open, whatever becomes of its steps', () => {
    const failed: Operation = { ...operation, opened: true, phase: 'failed' }
    expect(hasMoved(failed)).to.equal(true)
    expect(endOperation(started, { operation: failed, now: NOW }).state.memory.primary).to.equal(operation.newPrimary)
  })

  it('reports each settled step once', () => {
    const first = stepOperation(started, opened, NOW)
    const emitted = first.commands.flatMap((command) => (command.type === 'emit' ? command.events : []))
    expect(emitted.map(({ kind }) => kind)).to.deep.equal(['step'])
    expect(types(stepOperation(first.state, opened, NOW).commands)).to.deep.equal(['publish'])
  })
})

describe('endOperation', () => {
  it('counts a failover that moved the primary, and remembers its crash', () => {
    const started = behaviour.tick(stateWith(dead), {}, NOW).state
    const command = started.snapshot.operation?.steps.find((step) => step.command.type === 'record-crash')?.command
    if (!started.snapshot.operation || command?.type !== 'record-crash')
      throw new Error('a failover with a crash record')
    const operation: Operation = {
      ...started.snapshot.operation,
      phase: 'succeeded',
      steps: started.snapshot.operation.steps.map((step) => ({ ...step, state: 'done' })),
    }
    const { memory, figures } = endOperation(started, { operation, crash: command.crash, now: NOW + 200 }).state
    expect(memory).to.include({ primary: operation.newPrimary, failoverCount: 1, lastFailoverAt: NOW + 200 })
    expect(memory.crashes.map(({ oldPrimary }) => oldPrimary)).to.deep.equal(['db1'])
    expect(figures.failovers.succeeded).to.equal(1)
  })

  it('names what an operation is short of, and speaks of no losses', () => {
    const started = behaviour.tick(stateWith(dead), {}, NOW).state
    const { operation: begun } = started.snapshot
    if (!begun) throw new Error('a failover')
    const losses = [
      { command: 'repoint', server: 'db3', message: 'error 1045' },
      { command: 'route-writes', message: 'no answer' },
    ] as const
    const { commands } = endOperation(started, { operation: { ...begun, phase: 'succeeded', losses }, now: NOW + 200 })
    const [text = ''] = commands.flatMap((command) =>
      command.type === 'emit' ? command.events.map((event) => event.text) : [],
    )
    expect(text)
      .to.match(
        /^Failover succeeded after \d+ ms, but db3 does not follow the new primary as intended and a proxy does not send writes to the new primary/,
      )
      .and.not.include('losses')
  })

  it('leaves the primary where it was when the operation was rolled back', () => {
    const started = behaviour.switchover(stateWith(healthy), { user: 'ann', wait: false }).state
    const operation: Operation = { ...(started.snapshot.operation as Operation), phase: 'rolled-back' }
    expect(endOperation(started, { operation, now: NOW }).state.memory.primary).to.equal('db1')
  })
})
