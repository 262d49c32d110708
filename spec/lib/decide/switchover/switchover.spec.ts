// A switchover that was asked for: its order, its way back, and when it is refused.
import { expect } from 'chai'
import { previewPlan } from '../../../../lib/decide/switchover/preview.js'
import { planSwitchover } from '../../../../lib/decide/switchover/switchover.js'
import type { Command } from '../../../../lib/model/operation/command.js'
import type { SlowReading } from '../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { slowReading } from '../../../support/http/view-input.js'
import {
  acknowledgedSource,
  acknowledgingReplica,
  channel,
  primary,
  refused,
  replica,
  running,
  type SituationDraft,
  type StateDraft,
  server,
  situation,
  stateOf,
} from '../../../support/simulator/situation.js'

const inWords = (commands: readonly Command[]): readonly string[] =>
  commands.map((command) => ('server' in command ? `${command.type} ${command.server}` : command.type))

const plan = (servers: readonly ServerSnapshot[], draft: SituationDraft = {}, candidate?: string) =>
  planSwitchover(situation(servers, draft), { user: 'ann', ...(candidate === undefined ? {} : { candidate }) })

function planned(servers: readonly ServerSnapshot[], draft: SituationDraft = {}) {
  const found = plan(servers, draft)
  if (!found.ok) throw new Error(found.failure.message)
  return found.value
}

const noPrivileges = { account: '', names: [] }

const usual = [primary(), replica(2), replica(3)]
const semiSync = [
  primary(1, { semiSync: acknowledgedSource(2) }),
  replica(2, { state: { semiSync: acknowledgingReplica } }),
  replica(3, { state: { semiSync: acknowledgingReplica } }),
]

describe('planSwitchover', () => {
  it('compares the binary logs of a candidate that replicates from another cluster, too, before anything else', () => {
    const position = '0-1-100,7-9-500'
    const channels = [channel({ source: 1 }), channel({ source: 9, name: 'x', received: position })]
    const shared = replica(2, { received: position, state: { channels } })
    expect(inWords(planned([primary(), shared]).commands).slice(0, 4)).to.deep.equal([
      'reprobe',
      'check-login db2',
      'check-logs db2',
      'guard-long-writes db1',
    ])
  })

  it('guards, freezes, catches up, promotes, opens, and repoints', () => {
    expect(inWords(planned(usual).commands)).to.deep.equal([
      'reprobe',
      'check-login db2',
      'guard-long-writes db1',
      'route-writes',
      'freeze db1',
      'catch-up db2',
      'promote db2',
      'make-writable db2',
      'route-writes',
      'unfreeze db1',
      'repoint db3',
      'repoint db1',
      'mark-primary db2',
      'record-crash',
      'report',
    ])
  })

  it('moves the sides of semi-sync: the new source before it is opened, the old one before it follows', () => {
    const words = inWords(planned(semiSync).commands)
    expect(words.indexOf('set-semi-sync db2')).to.be.within(
      words.indexOf('promote db2'),
      words.indexOf('make-writable db2'),
    )
    expect(words.indexOf('set-semi-sync db1')).to.be.within(words.indexOf('unfreeze db1'), words.indexOf('repoint db1'))
  })

  it('counts the old primary among those who will acknowledge', () => {
    expect(planned(semiSync.slice(0, 2)).commands).to.deep.include({
      type: 'set-semi-sync',
      server: 'db2',
      source: true,
      replica: true,
      bestEffort: true,
      concurrent: true,
      after: 'neighbour',
    })
  })

  it('does not let the commits of the new primary wait for a replica that still applies', () => {
    const repoint = planned(usual).commands.find((command) => command.type === 'repoint' && command.server === 'db3')
    expect(repoint).to.include({ source: 'db2', atOnce: true })
  })

  it('leaves the old primary closed when it is released', () => {
    expect(planned(usual).commands.find(({ type }) => type === 'unfreeze')).to.include({ writable: false })
  })

  it('goes back by opening the old primary first: the candidate was not open yet', () => {
    const { undo } = planned(semiSync)
    expect(inWords(undo)).to.deep.equal([
      'unfreeze db1',
      'make-writable db1',
      'route-writes',
      'set-semi-sync db2',
      'repoint db2',
    ])
    expect(undo.every(({ bestEffort }) => bestEffort)).to.equal(true)
  })

  it('moves the event scheduler when the cluster is set so, and back', () => {
    const settings = { 'failover-event-scheduler': true }
    const found = planned([primary(1, { eventScheduler: true }), replica(2)], { settings })
    const words = inWords(found.commands)
    expect(words.indexOf('set-events db1')).to.be.below(words.indexOf('freeze db1'))
    expect(words.indexOf('set-events db2')).to.be.above(words.indexOf('make-writable db2'))
    expect(inWords(found.undo)).to.include('set-events db1')
  })

  const held = (...names: readonly string[]) => ({ own: { account: 'm@h', names }, replication: noPrivileges })
  const tick = { schema: 'app', name: 'tick', definer: 'root@%' }

  it('is refused while events write through read-only and the account may not stop them, with the grant', () => {
    const refusedWith = (change: Partial<SlowReading>, state: StateDraft = { eventScheduler: true }) => {
      const old = primary(1, state, { slow: slowReading('db1', change) })
      const answer = planSwitchover(situation([old, replica(2)]), { user: 'ann' })
      return answer.ok ? 'planned' : `${answer.failure.code}: ${answer.failure.message}`
    }
    const grants = held('PROCESS')
    const events = [{ ...tick, privileged: true as const }]
    expect(refusedWith({ events, grants })).to.match(
      /^event-scheduler: .*app\.tick of root@%.*GRANT SUPER ON \*\.\* TO m@h;/,
    )
    expect(refusedWith({ events, grants: held('SUPER') })).to.equal('planned')
    expect(refusedWith({ events: [tick], grants })).to.equal('planned')
    expect(refusedWith({ events, grants }, { eventScheduler: false })).to.equal('planned')
    // What was not read is judged by the step itself.
    expect(refusedWith({ grants })).to.equal('planned')
  })

  it('stops events before all else that it changes, and does not go on where that fails', () => {
    const settings = { 'failover-pre-script': '/move/address' }
    const { commands } = planned([primary(1, { eventScheduler: true }), replica(2)], { settings })
    const [stop] = commands.filter(({ type }) => type === 'set-events')
    expect(stop).to.deep.equal({ type: 'set-events', server: 'db1', on: false })
    const changes = inWords(commands).filter((word) => !/^(reprobe|check-login|guard-long-writes)/.test(word))
    expect(changes[0]).to.equal('set-events db1')
  })

  it('enables on the new primary what was enabled on the old one, and nothing else', () => {
    const settings = { 'failover-event-status': true }
    const enabling = (servers: readonly ServerSnapshot[], memory = {}) =>
      planned(servers, { settings, memory: { primary: 'db1', ...memory } }).commands.find(
        ({ type }) => type === 'enable-events',
      )
    const names = [{ schema: 'app', name: 'tick' }]
    const read = primary(1, {}, { slow: slowReading('db1', { events: [tick] }) })
    expect(enabling([read, replica(2)])).to.deep.include({
      server: 'db2',
      from: 'db1',
      events: names,
      bestEffort: true,
    })
    expect(enabling([primary(1), replica(2)])).to.not.have.property('events')
    const events = { server: 'db1', list: names }
    expect(enabling([primary(1), replica(2)], { events })).to.deep.include({ events: names })
    expect(enabling([primary(1), replica(2)], { events: { ...events, server: 'db2' } })).to.not.have.property('events')
  })

  it('ends sessions on the old primary when the new one takes writes, and only where that is asked for', () => {
    const words = (settings = {}) => inWords(planned([primary(1), replica(2)], { settings }).commands)
    expect(words().filter((word) => word.startsWith('end-sessions'))).to.deep.equal([])
    const asked = words({ 'switchover-end-sessions': true })
    expect(asked.indexOf('end-sessions db1')).to.be.above(asked.indexOf('make-writable db2'))
  })

  it('stops the replication of a pair’s writer, so that nothing comes in behind its back', () => {
    const half = (number: number, other: number, readOnly: boolean) =>
      server(number, { state: stateOf(number, { readOnly, channels: [channel({ source: other })] }) })
    const words = inWords(
      planned([half(1, 2, false), half(2, 1, true)], { settings: { 'replication-multi-master': true } }).commands,
    )
    expect(words.indexOf('stop-replication db1')).to.be.within(0, words.indexOf('freeze db1'))
  })

  it('bounds every step that waits, and itself', () => {
    const { commands, deadlineMs } = planned(usual)
    for (const command of commands)
      if (['guard-long-writes', 'freeze', 'catch-up', 'promote', 'make-writable'].includes(command.type))
        expect(command.timeoutMs).to.be.within(1, deadlineMs)
  })

  for (const [code, servers, draft, candidate] of [
    ['primary-failed', [primary(1, {}, refused), replica(2)], {}, undefined],
    ['operation-running', usual, { operation: running() }, undefined],
    ['wrong-state', [primary(1, { readOnly: true }), replica(2)], {}, undefined],
    ['no-candidate', [primary(), replica(2, { sql: 'stopped' })], {}, undefined],
    ['no-candidate', [primary(), replica(2), replica(3, { server: { maintenance: true } })], {}, 'db3'],
    ['is-primary', usual, {}, 'db1'],
    ['unknown-server', usual, {}, 'db9'],
  ] as const satisfies readonly (readonly [string, readonly ServerSnapshot[], SituationDraft, string | undefined])[])
    it(`is refused with ${code}${candidate ? ` for ${candidate}` : ''}`, () => {
      expect(plan(servers, draft, candidate)).to.have.nested.property('failure.code', code)
    })

  it('asks to try again while the manager has not connected to the primary yet', () => {
    const found = plan([primary(1, {}, { observation: 'unseen' }), replica(2)])
    expect(found).to.have.nested.property('failure.code', 'wrong-state')
    expect(found).to.have.nested.property('failure.message').that.includes('has not connected to db1 yet')
  })

  it('takes the requested server', () => {
    const found = plan(usual, {}, 'db3')
    expect(found).to.have.nested.property('value.newPrimary', 'db3')
  })
})

describe('previewPlan', () => {
  const preview = (servers: readonly ServerSnapshot[]) => previewPlan(planned(servers), situation(servers))

  it('gives every step a sentence and a time', () => {
    for (const { text, expectedMs } of preview(usual).steps) {
      expect(text).to.match(/^[A-Zd]\S* .*/)
      expect(expectedMs).to.be.at.least(0)
    }
  })

  it('counts as blocked what lies between the freeze and the opening', () => {
    const { steps, expectedBlockedMs } = preview(usual)
    const blocking = steps.filter(({ blocksWrites }) => blocksWrites)
    expect(blocking[0]?.command?.type).to.equal('freeze')
    expect(blocking.at(-1)?.command?.type).to.equal('make-writable')
    expect(expectedBlockedMs).to.equal(blocking.reduce((sum, { expectedMs }) => sum + (expectedMs ?? 0), 0))
  })

  it('adds the delay of the candidate and names it as a risk', () => {
    const late = [primary(), replica(2, { lagSeconds: 7 })]
    expect(preview(late).expectedBlockedMs).to.be.above(7_000)
    expect(preview(late).risks.join(' ')).to.include('db2 has a delay of 7 s')
  })

  it('names who will be left behind', () => {
    const gone = [primary(), replica(2), replica(3, { server: { ...refused } })]
    expect(preview(gone).risks.join(' ')).to.include('db3 does not answer')
  })
})
