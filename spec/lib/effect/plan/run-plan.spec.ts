import path from 'node:path'
import { expect } from 'chai'
import { fail, ok, type Result, unwrap } from '../../../../lib/base/result.js'
import { HOUR, MINUTE, now, type Timer } from '../../../../lib/base/time.js'
import { type Perform, runPlan, type TripMs } from '../../../../lib/effect/index.js'
import type { Command } from '../../../../lib/model/operation/command.js'
import type { Operation, Plan } from '../../../../lib/model/operation/operation.js'
import { type Journal, type JournalEntry, openJournal } from '../../../../lib/store/index.js'
import { beginning } from '../../../support/databases/effects.js'
import { alarm } from '../../../support/machine/alarm.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { eventually } from '../../../support/wait.js'

const plan: Plan = {
  kind: 'switchover',
  reason: 'asked',
  oldPrimary: 'db1',
  newPrimary: 'db2',
  commands: [
    { type: 'reprobe', candidate: 'db2' },
    { type: 'run-script', script: '/hook', args: [], bestEffort: true },
    { type: 'freeze', server: 'db1' },
    { type: 'catch-up', server: 'db2', source: 'db1' },
    { type: 'make-writable', server: 'db2' },
    { type: 'unfreeze', server: 'db1', writable: false },
    { type: 'repoint', server: 'db1', source: 'db2', demote: true, concurrent: true },
    { type: 'repoint', server: 'db3', source: 'db2', concurrent: true },
    { type: 'report', text: 'done' },
  ],
  undo: [
    { type: 'unfreeze', server: 'db1', writable: true },
    { type: 'set-events', server: 'db1', on: true },
  ],
  deadlineMs: 5_000,
}

type Answer = Result<string> | Promise<Result<string>>

/** Performs nothing; answers by the table, else ok. */
function fakePerform(answers: Record<string, (command: Command, signal: AbortSignal) => Answer> = {}) {
  const performed: string[] = []
  const perform: Perform = async (command, signal) => {
    const name = 'server' in command ? `${command.type} ${command.server}` : command.type
    performed.push(name)
    return (answers[name] ?? answers[command.type])?.(command, signal) ?? ok(name)
  }
  return { performed, perform }
}

const no = (): Result<string> => fail('sql-failed', 'no')
const names = (commands: readonly Command[]) =>
  commands.map((command) => ('server' in command ? `${command.type} ${command.server}` : command.type))

/** The clock is stopped, and no deadline passes, unless the spec says so: how long the machine takes changes nothing. */
const START = now()
const noDeadline: Timer = () => () => undefined

interface Change {
  readonly plan?: Partial<Plan>
  readonly signal?: AbortSignal
  readonly now?: () => number
  readonly wall?: () => number
  readonly timer?: Timer
  readonly tripMs?: TripMs
}

interface Ran {
  readonly operation: Operation
  readonly performed: readonly string[]
  readonly entries: readonly JournalEntry[]
  readonly journal: Journal
}

describe('runPlan', () => {
  const journals: Journal[] = []
  afterEach(() => Promise.all(journals.splice(0).map((journal) => journal.close())))

  const run = async (answers: Parameters<typeof fakePerform>[0] = {}, change: Change = {}): Promise<Ran> => {
    const journal = unwrap(await openJournal(newDirectory('run')))
    journals.push(journal)
    const { performed, perform } = fakePerform(answers)
    const entries: JournalEntry[] = []
    const changed = { ...plan, ...change.plan }
    const operation = await runPlan({
      plan: changed,
      operation: beginning(changed, START),
      perform,
      journal,
      signal: change.signal ?? new AbortController().signal,
      now: change.now ?? (() => START),
      wall: change.wall ?? (() => START),
      timer: change.timer ?? noDeadline,
      ...(change.tripMs ? { tripMs: change.tripMs } : {}),
      afterJournal: (entry) => entries.push(entry),
    })
    return { operation, performed, entries, journal }
  }

  it('performs the commands in order and succeeds', async () => {
    const { operation, performed } = await run()
    expect(performed).to.deep.equal(names(plan.commands))
    expect(operation).to.include({ phase: 'succeeded' })
    expect(operation.steps.map(({ state }) => state)).to.deep.equal(plan.commands.map(() => 'done'))
  })

  for (const clock of ['now', 'wall'] as const)
    it(`judges again what it opens when it was suspended since it was judged, by the clock ${clock}`, async () => {
      let late = 0
      const clocks = { [clock]: () => START + late }
      const sleeps = () => {
        late = 8_000
        return ok('')
      }
      const { operation, performed } = await run({ 'catch-up db2': sleeps }, clocks)
      expect(performed.slice(0, 7)).to.deep.equal([
        ...['reprobe', 'run-script', 'freeze db1', 'catch-up db2'],
        ...['reprobe', 'make-writable db2', 'unfreeze db1'],
      ])
      expect(operation.phase).to.equal('succeeded')
    })

  it('opens nothing when what is judged again does not hold any more, and does not go back either', async () => {
    let late = 0
    const answers = {
      'catch-up db2': () => {
        late = 8_000
        return ok('')
      },
      reprobe: (command: Command) =>
        command.type === 'reprobe' && command.outdated ? fail('vetoed', 'db3 has the role by now') : ok(''),
    }
    const { operation, performed } = await run(answers, { now: () => START + late })
    expect(performed).to.deep.equal([
      ...['reprobe', 'run-script', 'freeze db1', 'catch-up db2', 'reprobe', 'reprobe', 'unfreeze db1'],
    ])
    expect(operation.phase).to.equal('failed')
  })

  for (const [claim, late] of [
    ['since it was judged, before it begins', { begins: 5_000, stops: 0 }],
    ['while the replicas are stopped', { begins: 0, stops: 5_000 }],
  ] as const)
    it(`stops no replica and elects none when it was suspended ${claim} and another server has the role`, async () => {
      let at = START + late.begins
      const commands: readonly Command[] = [
        { type: 'stop-receiving', server: 'db2' },
        { type: 'stop-receiving', server: 'db3' },
        { type: 'reprobe', candidate: 'db2', frozen: true },
        { type: 'promote', server: 'db2' },
      ]
      const asked: Command[] = []
      const { operation, performed } = await run(
        {
          'stop-receiving db3': () => {
            at += late.stops
            return ok('')
          },
          reprobe: (command: Command) => {
            asked.push(command)
            return command.type === 'reprobe' && command.outdated ? fail('vetoed', 'db3 has the role by now') : ok('')
          },
        },
        { now: () => at, plan: { kind: 'failover', newPrimary: 'db2', commands, undo: [] } },
      )
      expect(asked).to.deep.equal([{ type: 'reprobe', candidate: 'db2', outdated: true }])
      expect(performed.slice(0, -1)).to.deep.equal(late.stops === 0 ? [] : ['stop-receiving db2', 'stop-receiving db3'])
      expect(operation.phase).to.equal('failed')
    })

  it('judges again what it opens when it was suspended while the servers were probed', async () => {
    let at = START
    const commands: readonly Command[] = [
      { type: 'reprobe', candidate: 'db2', frozen: true },
      { type: 'promote', server: 'db2' },
    ]
    const reprobe = (command: Command) => {
      at += 5_000
      return command.type === 'reprobe' && command.outdated ? fail('vetoed', 'db3 has the role by now') : ok('')
    }
    const change = { kind: 'failover', newPrimary: 'db2', commands, undo: [] } as const
    const { operation, performed } = await run({ reprobe }, { now: () => at, plan: change })
    expect(performed).to.deep.equal(['reprobe', 'reprobe'])
    expect(operation.phase).to.equal('failed')
  })

  it('writes the plan first, each start before the command, each end before the next start, and the end last', async () => {
    const journal = unwrap(await openJournal(newDirectory('run')))
    journals.push(journal)
    const seen: string[] = []
    await runPlan({
      plan,
      operation: beginning(plan, START),
      perform: async (command) => {
        seen.push(`perform ${command.type}`)
        return ok('')
      },
      journal,
      signal: new AbortController().signal,
      now: () => START,
      timer: noDeadline,
      afterJournal: (entry) => seen.push('index' in entry ? `${entry.type} ${entry.index}` : entry.type),
    })
    expect(seen.slice(0, 7)).to.deep.equal([
      'begin',
      'started 0',
      'perform reprobe',
      'settled 0',
      'started 1',
      'perform run-script',
      'settled 1',
    ])
    expect(seen.slice(-2)).to.deep.equal(['settled 8', 'end'])
  })

  it('leaves the plan and what was started of it when it ends half-way', async () => {
    for (const [index, command] of plan.commands.slice(0, 7).entries()) {
      const directory = newDirectory('run')
      const journal = unwrap(await openJournal(directory))
      journals.push(journal)
      const never = new Promise<Result<string>>(() => undefined)
      const reached = new Promise<void>((resolve) => {
        const perform: Perform = async (given) => {
          if (given !== command) return ok('')
          resolve()
          return never
        }
        const signal = new AbortController().signal
        const clocks = { now: () => START, timer: noDeadline }
        void runPlan({ plan, operation: beginning(plan, START), perform, journal, signal, ...clocks })
      })
      await reached
      const reader = unwrap(await openJournal(path.join(directory)))
      journals.push(reader)
      const unfinished = unwrap(await reader.readUnfinished())
      expect(unfinished?.plan).to.deep.equal(plan)
      const started = unfinished?.entries.flatMap((entry) => (entry.type === 'started' ? [entry.index] : []))
      expect(started?.slice(0, index + 1)).to.deep.equal(Array.from({ length: index + 1 }, (_, at) => at))
      const settled = unfinished?.entries.filter(({ type }) => type === 'settled')
      expect(settled).to.have.length(index)
    }
  })

  it('goes on after a best-effort command that failed', async () => {
    const { operation } = await run({ 'run-script': no })
    expect(operation.phase).to.equal('succeeded')
    expect(operation.steps[1]).to.include({ state: 'failed', message: 'no' })
  })

  for (const type of ['freeze', 'catch-up'] as const)
    it(`undoes everything when ${type} fails before the new primary is writable`, async () => {
      const { operation, performed, journal } = await run({ [type]: no })
      expect(performed.slice(-2)).to.deep.equal(names(plan.undo))
      expect(operation).to.include({ phase: 'rolled-back', failure: 'sql-failed', message: `${type}: no` })
      expect(operation.steps.filter(({ state }) => state === 'waiting')).to.deep.equal([])
      expect(unwrap(await journal.readUnfinished())).to.equal(undefined)
    })

  it('does not open the old primary again where another server has the role by then, and releases it', async () => {
    const released: Command[] = []
    const { operation, performed } = await run({
      freeze: no,
      unfreeze: (command) => {
        released.push(command)
        return ok('')
      },
      reprobe: (command) =>
        command.type === 'reprobe' && command.outdated ? fail('vetoed', 'db3 has the role by now') : ok(''),
    })
    expect(performed.slice(-3)).to.deep.equal(['freeze db1', 'reprobe', 'unfreeze db1'])
    expect(released.map((command) => 'writable' in command && command.writable)).to.deep.equal([false])
    expect(operation.phase).to.equal('failed')
    expect(operation.message).to.include('db3 has the role by now')
  })

  const refusesAgain = (command: Command) =>
    command.type === 'reprobe' && command.outdated ? fail('vetoed', 'db3 has the role by now') : ok('')

  it('does not send writes back to the old primary where another server has the role by then', async () => {
    const undo: readonly Command[] = [{ type: 'route-writes', primary: 'db1', bestEffort: true }]
    const { operation, performed } = await run({ 'catch-up': no, reprobe: refusesAgain }, { plan: { undo } })
    expect(performed.slice(-2)).to.deep.equal(['catch-up db2', 'reprobe'])
    expect(operation).to.include({
      phase: 'failed',
      message: 'catch-up: no; not undone: db3 has the role by now',
    })
  })

  for (const [claim, refuses] of [
    ['judges again whom it sends writes to when it was suspended since it was judged', false],
    ['does not send writes to a server that lost the role while the manager was suspended', true],
  ] as const)
    it(claim, async () => {
      let late = 0
      const sleeps = () => {
        late = 8_000
        return ok('')
      }
      const commands: readonly Command[] = [
        { type: 'make-writable', server: 'db2' },
        { type: 'route-writes', primary: 'db2', bestEffort: true },
      ]
      const { performed } = await run(
        { 'make-writable': sleeps, ...(refuses ? { reprobe: refusesAgain } : {}) },
        { now: () => START + late, plan: { commands } },
      )
      expect(performed).to.deep.equal(['make-writable db2', 'reprobe', ...(refuses ? [] : ['route-writes'])])
    })

  it('takes the role back first when the new primary may have been opened', async () => {
    const { operation, performed } = await run({ 'make-writable': () => fail('sql-silent', 'no answer') })
    expect(performed.slice(-4)).to.deep.equal(['take-back db2', 'reprobe', ...names(plan.undo)])
    expect(operation.phase).to.equal('rolled-back')
  })

  it('goes on where the role cannot be taken back, without a report, and the new primary counts as opened', async () => {
    const { operation, performed, entries } = await run({
      'make-writable': () => fail('sql-silent', 'no answer'),
      'take-back': () => fail('step-failed', 'db2 takes writes'),
    })
    expect(performed.slice(-5)).to.deep.equal([
      ...['take-back db2', 'make-writable db2', 'unfreeze db1', 'repoint db1', 'repoint db3'],
    ])
    expect(operation).to.include({ phase: 'failed', message: 'make-writable: no answer; take-back: db2 takes writes' })
    expect(operation.steps.find(({ command }) => command.type === 'make-writable')?.state).to.equal('done')
    expect(operation.steps.filter(({ state }) => state === 'waiting')).to.deep.equal([])
    expect(entries.filter(({ type }) => type === 'undo')).to.deep.equal([])
  })

  it('changes nothing when the second probe refuses', async () => {
    const { operation, performed } = await run({ reprobe: () => fail('vetoed', 'the primary answers again') })
    expect(performed).to.deep.equal(['reprobe'])
    expect(operation).to.include({ phase: 'rolled-back', failure: 'vetoed' })
  })

  it('goes through all of the undo whatever fails of it, and says so', async () => {
    const { operation, performed } = await run({ 'catch-up': no, 'unfreeze db1': no })
    expect(performed.slice(-2)).to.deep.equal(names(plan.undo))
    expect(operation.phase).to.equal('failed')
    expect(operation.message).to.equal('catch-up: no; not undone: unfreeze: no')
  })

  it('goes forward after the new primary is writable, whatever fails', async () => {
    const { operation, performed } = await run({ 'unfreeze db1': no, 'repoint db3': no })
    expect(performed).to.deep.equal(names(plan.commands))
    expect(operation).to.include({ phase: 'failed', message: 'unfreeze: no' })
  })

  it('runs concurrent neighbours together', async () => {
    const waiting: (() => void)[] = []
    const together = () =>
      new Promise<Result<string>>((resolve) => {
        waiting.push(() => resolve(ok('')))
        if (waiting.length === 2) for (const go of waiting) go()
      })
    const { operation } = await run({ repoint: together })
    expect(operation.phase).to.equal('succeeded')
  })

  const chained: Plan['commands'] = [
    { type: 'fence', server: 'db1', concurrent: true, bestEffort: true },
    { type: 'apply-received', server: 'db2', concurrent: true },
    { type: 'promote', server: 'db2', concurrent: true, after: 'neighbour' },
    { type: 'make-writable', server: 'db2', concurrent: true, after: 'group' },
    { type: 'repoint', server: 'db3', source: 'db2', concurrent: true },
  ]

  it('lets a command wait for its neighbour, and the last one of a group for all, without the journal', async () => {
    let promoted: () => void = () => undefined
    const fence = () =>
      new Promise<Result<string>>((resolve) => {
        promoted = () => resolve(no())
      })
    const promote = () => {
      setImmediate(promoted)
      return ok('')
    }
    const { operation, performed, entries } = await run({ fence, promote }, { plan: { commands: chained } })
    expect(operation.phase).to.equal('succeeded')
    expect(performed).to.deep.equal(names(chained))
    const first = entries.findIndex(({ type }) => type === 'settled')
    const started = entries.slice(0, first).flatMap((entry) => (entry.type === 'started' ? entry.index : []))
    expect(started).to.deep.equal([0, 1, 2, 3])
  })

  it('skips what waits for a command that failed, and undoes', async () => {
    const { operation, performed } = await run({ 'apply-received': no }, { plan: { commands: chained } })
    expect(performed).to.deep.equal(['fence db1', 'apply-received db2', 'reprobe', ...names(plan.undo)])
    expect(operation).to.include({ phase: 'rolled-back', message: 'apply-received: no' })
    expect(operation.steps.map(({ state }) => state).slice(0, 5)).to.deep.equal([
      'done',
      'failed',
      'skipped',
      'skipped',
      'skipped',
    ])
  })

  it('begins nothing more of a group when it is ended on request', async () => {
    const ending = new AbortController()
    const apply = () => {
      ending.abort()
      return ok('')
    }
    const change = { plan: { commands: chained.slice(0, 4) }, signal: ending.signal }
    const { operation, performed } = await run({ 'apply-received': apply }, change)
    expect(performed).to.not.include('promote db2')
    expect(operation).to.include({
      phase: 'rolled-back',
      message: 'the operation was ended early: another one is more urgent, or the manager stops',
    })
  })

  it('ends a command at the deadline and undoes', async () => {
    const { timer, ring } = alarm()
    const hang = (_command: Command, signal: AbortSignal) =>
      new Promise<Result<string>>((resolve) => {
        signal.addEventListener('abort', () => resolve(fail('sql-refused', 'closed')))
        ring(1_000)
      })
    const { operation, performed } = await run({ 'catch-up': hang }, { timer, plan: { deadlineMs: 1_000 } })
    expect(operation).to.include({ phase: 'rolled-back', failure: 'deadline-passed' })
    expect(operation.message).to.equal('not done within 1000 ms')
    expect(performed).to.include('unfreeze db1')
  })

  it('is ended on request before the point of no return', async () => {
    const ending = new AbortController()
    const freeze = () => {
      ending.abort()
      return ok('')
    }
    const { operation } = await run({ freeze }, { signal: ending.signal })
    expect(operation).to.include({
      phase: 'rolled-back',
      message: 'the operation was ended early: another one is more urgent, or the manager stops',
    })
  })

  it('is not ended by deadline or request after it', async () => {
    const ending = new AbortController()
    const { timer, ring } = alarm()
    const late = () => {
      ending.abort()
      ring(1_000)
      return ok('')
    }
    const change = { signal: ending.signal, timer, plan: { deadlineMs: 1_000 } }
    const { operation, performed } = await run({ 'unfreeze db1': late }, change)
    expect(operation.phase).to.equal('succeeded')
    expect(performed.at(-1)).to.equal('report')
  })

  it('gives servers that are far away the time of the way', async () => {
    const waits: number[] = []
    const timer: Timer = (ms) => {
      waits.push(ms)
      return () => undefined
    }
    const commands: readonly Command[] = [{ type: 'fence', server: 'db1', timeoutMs: MINUTE, trips: 2 }]
    const change = { timer, plan: { commands, undo: [], deadlineMs: HOUR } }
    const near = await run({}, change)
    const nearWaits = waits.splice(0)
    const far = await run({}, { ...change, tripMs: () => 300 })
    expect(far.operation.deadlineAt - near.operation.deadlineAt).to.equal(600)
    expect(waits.map((ms, index) => ms - (nearWaits[index] ?? 0)).filter((ms) => ms !== 0)).to.deep.equal([600, 600])
  })

  it('does not wait for a command that keeps no deadline', async () => {
    let isPerformed = false
    const never = () => {
      isPerformed = true
      return new Promise<Result<string>>(() => undefined)
    }
    const { timer, ring } = alarm()
    const timeoutMs = MINUTE
    const commands = plan.commands.map((command) => ({ ...command, timeoutMs }))
    const running = run({ 'catch-up': never }, { timer, plan: { commands, deadlineMs: HOUR } })
    await eventually(() => isPerformed && ring(2 * timeoutMs), 'it is waited for')
    const { operation } = await running
    expect(operation).to.include({ phase: 'rolled-back', message: 'catch-up: it did not end in time' })
  })

  it('takes a throwing command as failed', async () => {
    const thrower = () => {
      throw new Error('broken')
    }
    const { operation } = await run({ freeze: thrower })
    expect(operation).to.include({ phase: 'rolled-back', failure: 'internal', message: 'freeze: broken' })
  })

  it('reports every step that has ended', async () => {
    const journal = unwrap(await openJournal(newDirectory('run')))
    journals.push(journal)
    const states: string[] = []
    const { perform } = fakePerform()
    const short: Plan = { ...plan, commands: plan.commands.slice(0, 2) }
    await runPlan({
      plan: short,
      operation: beginning(short, START),
      perform,
      journal,
      signal: new AbortController().signal,
      now: () => START,
      timer: noDeadline,
      onStep: ({ steps }) => states.push(steps.map(({ state }) => state).join(' ')),
    })
    expect(states).to.include('done waiting')
    expect(states.at(-1)).to.equal('done done')
  })

  it('does not take a suspended thread for a disk that hangs', async () => {
    const { timer, ring } = alarm()
    let isAwaited = false
    const suspended = () => {
      isAwaited = ring(1_200)
      return ok('late')
    }
    const { entries } = await run({ freeze: suspended }, { timer })
    expect(isAwaited, 'the disk was waited for meanwhile').to.equal(true)
    expect(entries.at(-1)?.type).to.equal('end')
  })

  it('writes everything to a disk that hangs for a while, without waiting for it', async () => {
    const journal = unwrap(await openJournal(newDirectory('run')))
    journals.push(journal)
    let wake: () => void = () => undefined
    let turn: Promise<unknown> = new Promise<void>((resolve) => {
      wake = resolve
    })
    const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
      const result = turn.then(work)
      turn = result
      return result
    }
    const slow: Journal = {
      write: (entries) => inTurn(() => journal.write(entries)),
      sync: () => inTurn(() => journal.sync()),
      append: (entries) => inTurn(() => journal.append(entries)),
      readUnfinished: () => journal.readUnfinished(),
      history: () => journal.history(),
      compact: () => inTurn(() => journal.compact()),
      close: () => journal.close(),
    }
    const { perform } = fakePerform()
    const { timer, ring } = alarm()
    const changed: Plan = { ...plan, kind: 'failover' }
    let operation: Operation | undefined
    void runPlan({
      plan: changed,
      operation: beginning(changed, START),
      perform,
      journal: slow,
      signal: new AbortController().signal,
      now: () => START,
      timer,
    }).then((ended) => {
      operation = ended
    })
    await eventually(() => {
      ring(1_500)
      return operation
    }, 'it ends while the disk hangs')
    expect(operation?.phase).to.equal('succeeded')
    expect(unwrap(await journal.readUnfinished())).to.equal(undefined)
    wake()
    await turn
    expect(unwrap(await journal.readUnfinished())).to.equal(undefined)
    const [ended] = unwrap(await journal.history())
    expect(ended?.operation.steps.map(({ state }) => state)).to.deep.equal(plan.commands.map(() => 'done'))
  })

  for (const [kind, phase, count] of [
    ['switchover', 'failed', 0],
    ['failover', 'succeeded', plan.commands.length],
  ] as const)
    it(`${count === 0 ? 'does not begin' : 'begins'} a ${kind} that cannot be journaled`, async () => {
      const journal = unwrap(await openJournal(newDirectory('run')))
      await journal.close()
      const { performed, perform } = fakePerform()
      const changed = { ...plan, kind }
      const operation = await runPlan({
        plan: changed,
        operation: beginning(changed, START),
        perform,
        journal,
        signal: new AbortController().signal,
        now: () => START,
        timer: noDeadline,
      })
      expect(operation.phase).to.equal(phase)
      expect(performed).to.have.length(count)
    })
})
