// Replication that was left stopped by a manager: whom it starts again, and until when it remembers.
import { expect } from 'chai'
import {
  forgetStarted,
  keepPause,
  leavePauses,
  leaveUnstarted,
  recallPaused,
} from '../../../../lib/decide/repair/paused.js'
import { recallInterrupted } from '../../../../lib/decide/repair/recover.js'
import { planRepair } from '../../../../lib/decide/repair/repair.js'
import { freshMemory, type Memory, type Pause } from '../../../../lib/model/memory.js'
import type { OperationStep } from '../../../../lib/model/operation/operation.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { channel, NOW, primary, running, server, situation, stateOf } from '../../../support/simulator/situation.js'

const follower = (draft: Partial<Parameters<typeof channel>[0]> = {}, more: Partial<ServerSnapshot> = {}) =>
  server(2, { state: stateOf(2, { channels: [channel({ source: 1, ...draft })] }), sourceId: 'db1', ...more })
const LIMIT = 1_000
const bothStopped = { io: 'stopped', sql: 'stopped' } as const
const left: Pause = { since: NOW - 1_000, left: true }
const remembering = (pause: Pause): Memory => ({ ...freshMemory, primary: 'db1', paused: { db2: pause } })

const started = (pause: Pause | undefined, one: ServerSnapshot) =>
  planRepair(situation([primary(), one], pause ? { memory: { paused: { db2: pause } } } : {}))?.commands.flatMap(
    (command) => (command.type === 'start-replication' ? [command.channels] : []),
  )

function unanswered() {
  return { io: 'stopped', ioError: { code: 2003, message: "Can't connect to server on 'db1' (111)" } } as const
}

describe('startPaused', () => {
  for (const [claim, expected, pause, one] of [
    ['starts what a manager left stopped', [['']], left, follower(bothStopped)],
    ['starts it when only receiving was stopped', [['']], left, follower({ io: 'stopped' })],
    ['starts it when its source did not answer as it was stopped', [['']], left, follower(unanswered())],
    ['starts one in maintenance, from which it was taken', [['']], left, follower(bothStopped, { maintenance: true })],
    [
      'leaves alone what a person stopped while the source did not answer',
      undefined,
      undefined,
      follower(unanswered()),
    ],
    ['leaves alone what a person stopped', undefined, undefined, follower(bothStopped)],
    ['leaves alone what is being worked on', undefined, { since: NOW - 1_000 }, follower(bothStopped)],
    ['leaves alone what runs', undefined, left, follower()],
    ['leaves channels alone that were not paused', undefined, { ...left, channels: ['other'] }, follower(bothStopped)],
    ['starts one that has the source that it was to get', [['']], { ...left, source: 'db1' }, follower(bothStopped)],
    ['leaves one alone that has another one', undefined, { ...left, source: 'db3' }, follower(bothStopped)],
    ['waits for one that does not answer', undefined, left, follower(bothStopped, { observation: 'silent' })],
  ] as const)
    it(claim, () => expect(started(pause, one)).to.deep.equal(expected))
})

describe('forgetStarted', () => {
  const settings = situation([]).settings
  const kept = (pause: Pause, one: ServerSnapshot) =>
    Object.keys(forgetStarted(remembering(pause), [primary(), one], settings).paused ?? {})

  for (const [claim, expected, pause, one] of [
    ['keeps what is still stopped', ['db2'], left, follower(bothStopped, { stateAt: NOW })],
    ['keeps what was stopped while its source did not answer', ['db2'], left, follower(unanswered(), { stateAt: NOW })],
    ['forgets what was seen to run', [], left, follower({}, { stateAt: NOW })],
    ['forgets what an error stopped', [], left, follower(refused(), { stateAt: NOW })],
    ['keeps what has no source yet', ['db2'], { ...left, source: 'db1' }, server(2, { stateAt: NOW })],
    ['forgets what has none and was to keep it', [], left, server(2, { stateAt: NOW })],
    [
      'forgets what was seen to run with its new source',
      [],
      { ...left, source: 'db1' },
      follower({}, { stateAt: NOW }),
    ],
    ['ignores earlier probes', ['db2'], left, follower({}, { stateAt: left.since })],
    ['keeps what is worked on', ['db2'], { since: 0 }, follower({}, { stateAt: NOW })],
    ['keeps it for one that is away', ['db2'], left, follower({}, { stateAt: NOW, observation: 'refused' })],
  ] as const)
    it(claim, () => expect(kept(pause, one)).to.deep.equal(expected))

  it('forgets who is a member no more', () => {
    expect(forgetStarted(remembering(left), [primary()], settings)).to.not.have.property('paused')
  })

  function refused() {
    return { io: 'stopped', ioError: { code: 1236, message: 'not in the binary log' } } as const
  }
})

describe('leaveUnstarted', () => {
  const repoint = { type: 'repoint', server: 'db2', source: 'db1' } as const
  const leftBy = (...steps: readonly OperationStep[]) => leaveUnstarted(freshMemory, running({ steps }), NOW).paused

  it('remembers whose change of the source did not end in its time, and the source', () => {
    expect(leftBy({ command: repoint, state: 'failed' })).to.deep.equal({
      db2: { since: NOW, source: 'db1', left: true },
    })
  })

  it('remembers nothing of what went through, at the second try too', () => {
    expect(leftBy({ command: repoint, state: 'done' })).to.equal(undefined)
    expect(leftBy({ command: repoint, state: 'failed' }, { command: repoint, state: 'done' })).to.equal(undefined)
  })
})

describe('what is paused', () => {
  it('is read from the journal of an interrupted rejoin, with the source', () => {
    const commands = [{ type: 'repoint', server: 'db2', source: 'db1' }] as const
    const plan = { kind: 'rejoin', reason: 'story', commands, undo: [], deadlineMs: LIMIT } as const
    const { paused } = recallInterrupted(
      { plan, entries: [{ type: 'started', list: 'commands', index: 0 }] },
      freshMemory,
    )
    expect(paused).to.deep.equal({ db2: { since: 0, source: 'db1', left: true } })
  })

  it('is left when a manager starts', () => {
    const memory = keepPause(freshMemory, 'db2', { channels: ['a'], since: 5 })
    expect(leavePauses(memory).paused).to.deep.equal({ db2: { channels: ['a'], since: 5, left: true } })
    expect(keepPause(memory, 'db2', undefined)).to.deep.equal(freshMemory)
  })

  it('is read from the journal of an interrupted repair', () => {
    const commands = [
      { type: 'stop-replication', server: 'db2' },
      { type: 'set-variables', server: 'db2', values: {} },
      { type: 'start-replication', server: 'db2' },
    ] as const
    const plan = { kind: 'repair', reason: 'story', commands, undo: [], deadlineMs: 1_000 } as const
    const begun = [{ type: 'started', list: 'commands', index: 0 }] as const
    expect(recallInterrupted({ plan, entries: begun }, freshMemory).paused).to.have.all.keys('db2')
    expect(recallInterrupted({ plan, entries: [] }, freshMemory)).to.equal(freshMemory)
    expect(recallPaused([commands[1]], freshMemory)).to.equal(freshMemory)
  })
})
