import { expect } from 'chai'
import { keepMemory } from '../../../../actors/cluster/operations/remember.js'
import { awaitsProbes, resume } from '../../../../actors/cluster/operations/resume.js'
import { initialState } from '../../../../actors/cluster/state/start.js'
import { unwrap } from '../../../../lib/base/result.js'
import { freshMemory, type Memory } from '../../../../lib/model/memory.js'
import type { Operation, Plan } from '../../../../lib/model/operation/operation.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { type JournalEntry, openJournal, type Unfinished } from '../../../../lib/store/index.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { crash } from '../../../support/simulator/situation.js'

const open = { type: 'make-writable', server: 'db2' } as const
const plan: Plan = {
  kind: 'failover',
  reason: 'it died',
  oldPrimary: 'db1',
  newPrimary: 'db2',
  commands: [open],
  undo: [],
  deadlineMs: 1_000,
  crash: crash(),
}

const head = (id: string): Omit<Operation, 'steps'> => ({
  id,
  kind: 'failover',
  owner: 'manager',
  reason: 'it died',
  startedAt: 1,
  deadlineAt: 2,
  phase: 'running',
  oldPrimary: 'db1',
  newPrimary: 'db2',
})

const whole = (id: string, endedAt: number): readonly JournalEntry[] => [
  { type: 'begin', operation: id, at: 1, head: head(id), plan },
  {
    type: 'end',
    operation: id,
    at: endedAt,
    result: { ...head(id), phase: 'succeeded', endedAt, steps: [{ command: open, state: 'done' }] },
  },
]

/** What an actor knows that starts with this memory on disk and this journal. */
async function resumed(memory: Memory, entries: readonly JournalEntry[]) {
  const directory = newDirectory('resume')
  const state = { ...initialState({ name: 'c1', directory, settings: {} }, { memory, damage: [] }, 1_000), memory }
  const keeper = keepMemory(directory, () => state, { onFailure: () => undefined })
  await keeper.close()
  const journal = unwrap(await openJournal(directory))
  unwrap(await journal.append(entries))
  const known = await resume(directory, journal)
  await journal.close()
  return known
}

describe('resume', () => {
  const before = { ...freshMemory, primary: 'db1' }

  it('remembers an operation whose end was written and whose memory was not', async () => {
    const { memory, interrupted } = await resumed(before, whole('a', 7_000))
    expect(memory).to.deep.include({ primary: 'db2', failoverCount: 1, lastFailoverAt: 7_000, crashes: [crash()] })
    expect(interrupted).to.equal(undefined)
  })

  it('remembers each operation once', async () => {
    const { memory } = await resumed(before, whole('a', 7_000))
    const again = await resumed(memory, whole('a', 7_000))
    expect(again.memory).to.deep.equal(memory)
    const later = await resumed(memory, [...whole('a', 7_000), ...whole('b', 9_000)])
    expect(later.memory).to.deep.include({ failoverCount: 2, lastFailoverAt: 9_000 })
  })

  it('trusts a memory that knows an end which the journal no longer holds', async () => {
    const memory = { ...before, lastEnded: 'z' }
    expect((await resumed(memory, whole('a', 7_000))).memory).to.deep.equal(memory)
  })

  it('reports what was interrupted, with the primary as it was by then', async () => {
    const [started] = whole('b', 0)
    const { memory, interrupted } = await resumed(freshMemory, started ? [started] : [])
    expect(memory.primary).to.equal('db1')
    expect(interrupted?.head.id).to.equal('b')
  })
})

describe('awaitsProbes', () => {
  const interrupted = { operation: 'failover-1', head: head('failover-1'), plan, entries: [] } as unknown as Unfinished
  const seen = (...observations: readonly ServerSnapshot['observation'][]) =>
    observations.map((observation, index) => ({ id: `db${index + 1}`, observation, failures: 1 }))

  it('waits for the servers that an interrupted plan is about, for others only a while', () => {
    expect(awaitsProbes(seen('refused', 'unseen', 'answered'), interrupted, 60_000)).to.equal(true)
    expect(awaitsProbes(seen('refused', 'answered', 'unseen'), interrupted, 60_000)).to.equal(false)
    expect(awaitsProbes(seen('unseen', 'answered', 'answered'), undefined, 60_000)).to.equal(false)
    expect(awaitsProbes(seen('unseen', 'answered', 'answered'), undefined, 100)).to.equal(true)
  })

  it('gives one of them that is silent some time, too, and an old primary that refuses none', () => {
    expect(awaitsProbes(seen('refused', 'silent'), interrupted, 100)).to.equal(true)
    expect(awaitsProbes(seen('refused', 'silent'), interrupted, 60_000)).to.equal(false)
    expect(awaitsProbes(seen('refused', 'answered'), interrupted, 0)).to.equal(false)
  })

  it('waits for a new primary that refuses, unless it is known to have been opened: its host may bring it back', () => {
    expect(awaitsProbes(seen('answered', 'refused'), interrupted, 14_000)).to.equal(true)
    expect(awaitsProbes(seen('answered', 'refused'), interrupted, 16_000)).to.equal(false)
    const opened = { ...interrupted, entries: [{ type: 'settled', list: 'commands', index: 0, state: 'done' }] }
    expect(awaitsProbes(seen('answered', 'refused'), opened as unknown as Unfinished, 0)).to.equal(false)
  })

  it('takes no single long probe of a silent new primary for its answer: it may be writable', () => {
    const silentFor = (failures: number) => [{ id: 'db2', observation: 'silent', failures }] as const
    expect(awaitsProbes(silentFor(1), interrupted, 5_100)).to.equal(true)
    expect(awaitsProbes(silentFor(6), interrupted, 5_100)).to.equal(false)
    expect(awaitsProbes([{ id: 'db1', observation: 'silent', failures: 1 }], interrupted, 5_100)).to.equal(false)
  })
})
