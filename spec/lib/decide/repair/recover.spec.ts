// Which way an interrupted plan goes; convergence.spec.ts shows where it leads.
import { expect } from 'chai'
import { SECOND } from '../../../../lib/base/time.js'
import {
  decideRecovery,
  type Interrupted,
  recallInterrupted,
  recallSeen,
} from '../../../../lib/decide/repair/recover.js'
import { freshMemory } from '../../../../lib/model/memory.js'
import type { Command } from '../../../../lib/model/operation/command.js'
import type { Plan } from '../../../../lib/model/operation/operation.js'
import { parseState } from '../../../../lib/model/server/gtid.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import {
  acknowledgingReplica,
  channel,
  crash,
  NOW,
  primary,
  refused,
  replica,
  server,
  situation,
  stateOf,
} from '../../../support/simulator/situation.js'

const commands: readonly Command[] = [
  { type: 'promote', server: 'db2' },
  { type: 'make-writable', server: 'db2' },
]
const plan = (kind: Plan['kind']): Plan => ({
  kind,
  reason: 'asked by ann',
  oldPrimary: 'db1',
  newPrimary: 'db2',
  commands,
  undo: [],
  deadlineMs: 1,
  crash: crash(),
})

/** The first `done` commands are settled; with `begun` the next one was started. */
function cut(kind: Plan['kind'], done: number, begun = false): Interrupted {
  const settled = commands
    .slice(0, done)
    .map((_, index) => ({ type: 'settled', list: 'commands', index, state: 'done' }) as const)
  return {
    plan: plan(kind),
    entries: [...settled, ...(begun ? [{ type: 'started', list: 'commands', index: done } as const] : [])],
  }
}

const free = (readOnly = true): ServerSnapshot => server(2, { state: stateOf(2, { readOnly }) })
const closed = primary(1, { readOnly: true })
const dead = primary(1, {}, refused)

const way = (interrupted: Interrupted, servers: readonly ServerSnapshot[]) => {
  const found = decideRecovery(interrupted, situation(servers))
  if (!found) return 'nothing'
  return (
    found.commands.flatMap((command) => (command.type === 'make-writable' ? command.server : [])).join() ||
    'none opened'
  )
}

describe('decideRecovery', () => {
  it('stops nothing on a new primary that is open already: that would wait for its commits', () => {
    const found = decideRecovery(cut('switchover', 2), situation([closed, free(false)]))
    expect(found?.commands.map(({ type }) => type)).to.not.include('promote')
  })

  for (const [claim, expected, interrupted, servers] of [
    ['finishes when the new primary was opened', 'db2', cut('switchover', 2), [closed, free(false)]],
    ['finishes when it was opened and does not answer now', 'db2', cut('switchover', 2), [closed, server(2, refused)]],
    ['finishes when opening it was begun and shows', 'db2', cut('switchover', 1, true), [closed, free(false)]],
    ['undoes when opening it was begun and does not show', 'db1', cut('switchover', 1, true), [closed, free()]],
    ['undoes a switchover that only promoted', 'db1', cut('switchover', 1), [closed, free()]],
    ['finishes a switchover that promoted when the old primary is gone', 'db2', cut('switchover', 1), [dead, free()]],
    ['undoes a switchover that did nothing yet', 'db1', cut('switchover', 0), [closed, replica(2)]],
    ['finishes a failover that promoted', 'db2', cut('failover', 1), [dead, free()]],
    [
      'lets the judgement start again after a failover that did nothing yet',
      'nothing',
      cut('failover', 0),
      [dead, replica(2)],
    ],
    [
      'opens no other server when the old primary is back and open',
      'none opened',
      cut('failover', 1),
      [primary(), free()],
    ],
    [
      'finishes a failover that promoted when the old primary is back without what the new one has',
      'db2',
      cut('failover', 1),
      [closed, server(2, { state: stateOf(2, { executed: '0-1-104' }) })],
    ],
    [
      'opens none when the old primary is back without what others have and none was promoted',
      'none opened',
      cut('failover', 0),
      [closed, replica(2, { io: 'stopped', received: '0-1-104' })],
    ],
    ['leaves rejoins to the standing rules', 'nothing', cut('rejoin', 1), [closed, free()]],
  ] as const)
    it(claim, () => expect(way(interrupted, servers)).to.equal(expected))

  it('goes on where the manager that finished it died as well, though the new primary hangs by now', () => {
    const first = decideRecovery(cut('switchover', 1, true), situation([closed, free(false)]))
    expect(first?.opened).to.equal(true)
    const again: Interrupted = { plan: first ?? plan('switchover'), entries: [] }
    expect(way(again, [closed, server(2, { ...refused, observation: 'silent' })])).to.equal('db2')
    expect(recallInterrupted(again, { ...freshMemory, primary: 'db1' }).primary).to.equal('db2')
  })

  it('does not report an open new primary while it continues only because the old one is down', () => {
    expect(decideRecovery(cut('failover', 1), situation([dead, free()]))).to.not.have.property('opened')
  })

  it('lets the old primary wait for its replicas before it opens it again, where semi-sync is configured', () => {
    const acknowledging = replica(2, { io: 'connecting', state: { semiSync: acknowledgingReplica } })
    const found = decideRecovery(cut('failover', 0), situation([closed, acknowledging], { memory: { semiSync: true } }))
    expect(found?.commands.map(({ type }) => type)).to.deep.equal(['set-semi-sync', 'make-writable', 'route-writes'])
  })

  it('closes the candidate before it opens the old primary', () => {
    const undone = { ...cut('switchover', 1, true), entries: [{ type: 'undo' }] }
    const types = decideRecovery(undone, situation([closed, free(false)]))?.commands.map(({ type }) => type)
    expect(types?.slice(0, 2)).to.deep.equal(['fence', 'make-writable'])
  })

  it('starts again what the plan stopped', () => {
    const stopped = server(2, { state: stateOf(2, { channels: [channel({ source: 1, io: 'stopped' })] }) })
    expect(decideRecovery(cut('failover', 0), situation([dead, stopped]))?.commands).to.deep.include({
      type: 'start-replication',
      server: 'db2',
      bestEffort: true,
      concurrent: true,
      timeoutMs: 2000,
    })
  })
})

describe('decideRecovery of a plan that was cut while it was undone', () => {
  /** db1 executed 101 to 104 as the primary, and what it shows now is without them. */
  const memory = {
    ...{ primary: 'db1' },
    held: { primary: 'db1', opened: true, set: parseState('0-1-104'), at: NOW - SECOND },
  } as const
  const holding = (executed: string) => server(2, { state: stateOf(2, { executed }) })
  const undone = (servers: readonly ServerSnapshot[], kind: Plan['kind'] = 'switchover') => {
    const { plan: commanded, entries } = cut('switchover', 1)
    const interrupted = { plan: { ...commanded, kind }, entries: kind === 'repair' ? entries : [...entries, undoing] }
    return decideRecovery(interrupted, situation(servers, { memory }))?.commands ?? []
  }
  const undoing = { type: 'undo' } as const
  const opened = (found: readonly Command[]) =>
    found.flatMap((command) => (command.type === 'make-writable' ? command.server : []))
  const sources = (found: readonly Command[]) =>
    found.flatMap((command) => (command.type === 'repoint' ? [[command.server, command.source]] : []))

  for (const kind of ['switchover', 'repair'] as const)
    it(`goes forward where only the candidate has everything: ${kind}`, () => {
      expect(opened(undone([closed, holding('0-1-104')], kind))).to.deep.equal(['db2'])
    })

  it('opens none where the candidate is missing a part as well', () => {
    expect(opened(undone([closed, holding('0-1-103')]))).to.deep.equal([])
  })

  it('goes back where the old primary has everything, and lets the candidate follow it', () => {
    const found = undone([primary(1, { readOnly: true, executed: '0-1-104' }), holding('0-1-104')])
    expect(opened(found)).to.deep.equal(['db1'])
    expect(sources(found)).to.deep.equal([['db2', 'db1']])
  })

  it('does not go forward over an old primary that takes writes', () => {
    expect(opened(undone([primary(), holding('0-1-104')]))).to.deep.equal([])
  })

  it('lets the candidate follow no server that is missing a part of the history', () => {
    expect(sources(undone([closed, holding('0-1-103')]))).to.deep.equal([])
    expect(sources(undone([primary(), holding('0-1-104')]))).to.deep.equal([])
  })
})

describe('decideRecovery of a plan that fetched from a server in maintenance', () => {
  const away = (io: 'stopped' | 'connecting') =>
    server(3, { maintenance: true, state: stateOf(3, { channels: [channel({ source: 1, io })] }) })
  const starts = (type: 'stop-receiving' | 'apply-received') => {
    const fetching: Interrupted = { plan: { ...plan('failover'), commands: [{ type, server: 'db3' }] }, entries: [] }
    const found = decideRecovery(fetching, situation([dead, replica(2), away('stopped')]))
    return (found?.commands ?? []).flatMap((command) => (command.type === 'start-replication' ? command.server : []))
  }

  it('gives it back what the plan has stopped, and touches it for nothing else', () => {
    expect(starts('stop-receiving')).to.deep.equal(['db3'])
    expect(starts('apply-received')).to.deep.equal([])
  })
})

describe('decideRecovery where the candidate took writes and was closed to be asked', () => {
  const asked = cut('switchover', 1, true)
  const written = (executed = '0-1-100,0-2-103') => server(2, { state: stateOf(2, { executed }) })
  const recover = (interrupted: Interrupted, servers: readonly ServerSnapshot[], held = '0-1-100') => {
    const memory = { held: { primary: 'db1', opened: true, set: parseState(held), at: NOW - SECOND } } as const
    return decideRecovery(interrupted, situation(servers, { memory }))
  }
  const opened = (found: Plan | undefined) =>
    found?.commands.flatMap((command) => (command.type === 'make-writable' ? command.server : []))

  it('goes forward, and reports that it was open', () => {
    const found = recover(asked, [closed, written()])
    expect(opened(found)).to.deep.equal(['db2'])
    expect(found?.opened).to.equal(true)
  })

  it('goes forward although the plan was being undone', () => {
    const undone = { ...asked, entries: [...asked.entries, { type: 'undo' }] }
    expect(opened(recover(undone, [closed, written()]))).to.deep.equal(['db2'])
  })

  it('reports that it was open while the old primary is down, to the manager after this one', () => {
    expect(recover(asked, [server(1, refused), written()])?.opened).to.equal(true)
  })

  const hadThem = { ...plan('switchover'), crash: crash({ byOrigin: parseState('0-1-100,0-2-103') }) }
  const withThem = primary(1, { readOnly: true, executed: '0-1-100,0-2-103' })
  const whole = primary(1, { readOnly: true, executed: '0-1-104' })
  for (const [claim, expected, interrupted, servers, held] of [
    ['it was never sent the order', ['db1'], cut('switchover', 1), [closed, written()], undefined],
    ['the old primary has them', ['db1'], asked, [withThem, written()], undefined],
    ['it had them before', ['db1'], { ...asked, plan: hadThem }, [closed, written()], undefined],
    ['the old primary takes writes', [], asked, [primary(), written()], undefined],
    ['it is missing what the old primary has', ['db1'], asked, [whole, written('0-1-103,0-2-104')], '0-1-104'],
  ] as const)
    it(`goes back where ${claim}`, () => {
      expect(opened(recover(interrupted, servers, held))).to.deep.equal(expected)
    })

  it('is the primary from then on, whatever becomes of the rest', () => {
    const memory = { held: { primary: 'db1', opened: true, set: parseState('0-1-100'), at: NOW - SECOND } } as const
    expect(recallSeen(asked, situation([closed, written()], { memory })).primary).to.equal('db2')
  })
})

describe('recallSeen', () => {
  const seen = (interrupted: Interrupted, servers: readonly ServerSnapshot[]) =>
    recallSeen(interrupted, situation(servers, { memory: { primary: 'db1' } })).primary

  it('takes a new primary for the primary as soon as it is seen open, whatever becomes of the rest', () => {
    expect(seen(cut('switchover', 1, true), [closed, free(false)])).to.equal('db2')
  })

  it('leaves it at the old one while the new one is closed, or the old one is open', () => {
    expect(seen(cut('switchover', 1, true), [closed, free()])).to.equal('db1')
    expect(seen(cut('switchover', 1, true), [primary(), free(false)])).to.equal('db1')
  })
})

describe('recallInterrupted', () => {
  it('does not take the opening of the old primary for that of the new one', () => {
    const reopened: Plan = { ...plan('repair'), commands: [{ type: 'make-writable', server: 'db1' }] }
    const entries = [{ type: 'settled', list: 'commands', index: 0, state: 'done' }] as const
    expect(recallInterrupted({ plan: reopened, entries }, { ...freshMemory, primary: 'db1' }).primary).to.equal('db1')
  })

  it('moves the primary with the step that opened it, and only then', () => {
    const memory = { ...freshMemory, primary: 'db1' }
    expect(recallInterrupted(cut('failover', 1, true), memory)).to.equal(memory)
    expect(recallInterrupted(cut('failover', 2), memory)).to.deep.include({
      primary: 'db2',
      crashes: [crash()],
      history: [crash()],
    })
  })

  it('knows the old primary of an operation that began before the memory was saved', () => {
    expect(recallInterrupted(cut('failover', 1), freshMemory).primary).to.equal('db1')
    expect(recallInterrupted(cut('failover', 1), { ...freshMemory, primary: 'db2' }).primary).to.equal('db1')
  })

  it('remembers which replicas a failover had stopped, even if they cannot be reached when it is undone', () => {
    const stopping: Plan = { ...plan('failover'), commands: [{ type: 'stop-receiving', server: 'db3' }, ...commands] }
    const entries = [{ type: 'started', list: 'commands', index: 0 }] as const
    const { paused } = recallInterrupted({ plan: stopping, entries }, { ...freshMemory, primary: 'db1' })
    expect(paused).to.deep.equal({ db3: { since: 0, left: true } })
  })

  it('believes a memory that was saved when the opening was through and its end not yet written', () => {
    const memory = { ...freshMemory, primary: 'db2' }
    expect(recallInterrupted(cut('failover', 1, true), memory)).to.equal(memory)
  })

  it('knows by the plan that semi-synchronous replication is configured, unless it was switched off', () => {
    const semiSync = { type: 'set-semi-sync', server: 'db2', source: true, replica: true } as const
    const interrupted = { ...cut('failover', 1), plan: { ...plan('failover'), commands: [semiSync, ...commands] } }
    expect(recallInterrupted(interrupted, freshMemory).semiSync).to.equal(true)
    expect(recallInterrupted(interrupted, { ...freshMemory, semiSync: false }).semiSync).to.equal(false)
  })
})
