// What is remembered of how read_only of a process was set first: later statements hide what its files have.
import { expect } from 'chai'
import { SECOND } from '../../../../../lib/base/time.js'
import { applyReading } from '../../../../../lib/decide/situation/health.js'
import { rememberReadOnlyStarts } from '../../../../../lib/decide/situation/snapshot/read-only-start.js'
import { freshMemory, type Memory } from '../../../../../lib/model/memory.js'
import { nothingNamed } from '../../../../../lib/model/server/named.js'
import type { Reading, ReadOnlySet, SlowReading } from '../../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../../lib/model/snapshot.js'
import { NOW, refused, replica, silent, stateOf } from '../../../../support/simulator/situation.js'

/** A reading that took no time to speak of. */
const INSTANT = 1

const slow = (readOnlySet: ReadOnlySet, at = NOW): SlowReading => ({
  ...{ server: 'db2', at, tookMs: INSTANT, variables: nothingNamed, status: nothingNamed, plugins: [], readOnlySet },
  ...{ binlogFile: '', binlogPosition: 0, binlogDoDb: '', binlogIgnoreDb: '', dumpThreads: 0, statementHistory: false },
  ...{ binlogs: { count: 0, oldest: '', files: [] } },
})
const byStatement = { on: true, byStatement: true }

/** Its process started 1,000 s ago. */
const read = (set: ReadOnlySet, server: Partial<ServerSnapshot> = {}): ServerSnapshot =>
  replica(2, { state: { readOnly: set.on, uptimeSeconds: 1_000 }, server: { slow: slow(set), ...server } })

const remember = (server: ServerSnapshot, memory: Memory = freshMemory): Memory => ({
  ...memory,
  ...rememberReadOnlyStarts({ memory }, [server]),
})
const opens = ({ readOnlyStarts }: Memory): boolean | undefined => readOnlyStarts?.db2?.open

describe('rememberReadOnlyStarts', () => {
  for (const [open, set] of [
    [false, { on: true, byStatement: false }],
    [true, { on: false, byStatement: false }],
    [true, byStatement],
    [false, { on: false, byStatement: true }],
  ] as const)
    it(`takes its next start for ${open ? 'open' : 'closed'} by read_only ${set.on ? 'on' : 'off'} of ${set.byStatement ? 'a statement' : 'its start'}`, () => {
      expect(opens(remember(read(set)))).to.equal(open)
    })

  it('keeps the first that a process showed, whatever statements set since, also in a manager that starts', () => {
    const first = remember(read({ on: true, byStatement: false }))
    const opened = remember(read({ on: false, byStatement: true }), first)
    const again = remember(read(byStatement), opened)
    expect([opened.readOnlyStarts, again.readOnlyStarts]).to.deep.equal([first.readOnlyStarts, first.readOnlyStarts])
    expect(rememberReadOnlyStarts({ memory: again }, [read(byStatement)]), 'nothing new').to.deep.equal({})
  })

  it('keeps it while the server does not answer', () => {
    const first = remember(read(byStatement))
    expect(opens(remember(read(byStatement, silent(60 * SECOND)), first))).to.equal(true)
  })

  it('begins again with another process, also one that was started seconds after the one before', () => {
    const first = remember(read({ on: true, byStatement: false }))
    const later = read(byStatement, { restartedAt: NOW + 1, stateAt: NOW + 2, observedAt: NOW + 2 })
    const unread = remember(later, first)
    expect(unread.readOnlyStarts, 'of that one nothing was read').to.deep.equal({})
    expect(opens(remember({ ...later, slow: slow(byStatement, NOW + 2) }, unread))).to.equal(true)
    const elsewhen = read(byStatement, { stateAt: NOW + 1_100 * SECOND, observedAt: NOW + 1_100 * SECOND })
    expect(opens(remember(elsewhen, first)), 'while no manager watched').to.equal(true)
  })

  it('knows the process again whose clock is not that of the manager', () => {
    const first = remember(read({ on: true, byStatement: false }))
    for (const stateAt of [NOW + 900 * SECOND, NOW - 60 * SECOND])
      expect(opens(remember(read(byStatement, { stateAt }), first))).to.equal(false)
  })

  it('waits for the end of an operation, which may just set it', () => {
    const operation = { kind: 'repair', steps: [] } as never
    expect(rememberReadOnlyStarts({ memory: freshMemory, operation }, [read(byStatement)])).to.deep.equal({})
    const byStart = rememberReadOnlyStarts({ memory: freshMemory, operation }, [read({ on: true, byStatement: false })])
    expect(byStart.readOnlyStarts?.db2?.open).to.equal(false)
  })

  it('takes the first answer of a process that was seen to start', () => {
    const answer = (at: number, readOnly: boolean): Reading => ({
      ...{ server: 'db2', at, tookMs: INSTANT, observation: 'answered' },
      state: stateOf(2, { uptimeSeconds: 0, readOnly }),
    })
    const away = replica(2, { server: { ...refused, ended: true } })
    const started = (readOnly: boolean) => applyReading(away, answer(NOW + 100, readOnly), NOW + 100)
    expect([true, false].map((on) => opens(remember(started(on))))).to.deep.equal([false, true])
    const unseen = applyReading(replica(2, { server: silent(60 * SECOND) }), answer(NOW + 100, false), NOW + 100)
    expect(opens(remember(unseen)), 'not seen to start').to.equal(undefined)
  })
})
