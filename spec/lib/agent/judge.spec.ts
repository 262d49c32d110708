import { expect } from 'chai'
import {
  type AgentMemory,
  type AgentRules,
  judgeAgent,
  judgeReader,
  type LocalReading,
  noteReading,
  takeStatement,
} from '../../../lib/agent/judge.js'
import type { Statement } from '../../../lib/agent/statement.js'

const rules: AgentRules = { cluster: 'shop', server: 'db1:3306', isolated: 'keep' }
const closing: AgentRules = { ...rules, isolated: 'close' }
const writable: LocalReading = { answers: true, readOnly: false, replicates: false, hasSource: false }
const readOnly: LocalReading = { ...writable, readOnly: true }

const named = (host: string) => ({ id: `id-${host}`, name: `${host}:3306`, host, port: 3306 })
const statement = (nonce: string, more: Partial<Statement> = {}): Statement => ({
  ...{ cluster: 'shop', primary: named('db1') },
  ...{ nonce, writable: true, probedMs: 5, validMs: 10_000 },
  ...more,
})
const fresh: AgentMemory = { validUntil: 10_000, closed: false }
/** Asked at a moment, and answered; the probe began 5 ms before. */
const taken = (memory: AgentMemory, at: number, host = 'db1') => answered(memory, at, { primary: named(host) })
/** It says that the primary is read-only. */
const takenClosed = (memory: AgentMemory, at: number) => answered(memory, at, { writable: false })
const answered = (memory: AgentMemory, askedAt: number, more: Partial<Statement> = {}) =>
  takeStatement(memory, statement(`n${askedAt}`, more), { rules, question: { nonce: `n${askedAt}`, askedAt } })

interface Case {
  readonly local?: LocalReading
  readonly by?: AgentRules
}

const judge = (memory: AgentMemory, now: number, { local = writable, by = rules }: Case = {}) => {
  const { primary, act } = judgeAgent(memory, { local, rules: by, now })
  return [primary, ...(act ? [act] : [])]
}

describe('judgeAgent', () => {
  it('calls no server primary before a manager has named one', () => {
    expect(judge(fresh, 100)).to.deep.equal([false])
  })

  it('calls a writable server primary that the last statement names, by any of its names', () => {
    const memory = taken(fresh, 100)
    for (const server of ['db1:3306', 'id-db1'])
      expect(judge(memory, 200, { by: { ...rules, server } })).to.deep.equal([true])
    expect(judge(memory, 200, { local: readOnly })).to.deep.equal([false])
    expect(judge(memory, 200, { local: { ...writable, answers: false } })).to.deep.equal([false])
  })

  it('obeys a later statement that names another server, and no earlier one', () => {
    const moved = taken(taken(fresh, 100), 2_000, 'db2')
    expect(judge(moved, 2_100)).to.deep.equal([false])
    expect(judge(taken(moved, 1_500), 2_200)).to.deep.equal([false])
    expect(answered(moved, 2_300, { cluster: 'other' })).to.equal(moved)
  })

  it('keeps the last answer when no statement is renewed, unless it must close', () => {
    const memory = taken(fresh, 100)
    expect(judge(memory, 10_094, { by: closing })).to.deep.equal([true])
    expect(judge(memory, 10_095, { by: closing })).to.deep.equal([false, 'close'])
    expect(judge(memory, 10_095, { local: readOnly, by: closing })).to.deep.equal([false])
    expect(judge(memory, 99_000)).to.deep.equal([true])
  })

  it('closes a replica never', () => {
    expect(judge(taken(fresh, 100, 'db2'), 99_000, { by: closing })).to.deep.equal([false])
  })

  it('opens what it closed itself once a fresh statement says that nothing else closed it', () => {
    const closed = { ...taken(fresh, 100), closed: true }
    expect(judge(closed, 11_000, { local: readOnly, by: closing })).to.deep.equal([false])
    const healed = takenClosed(closed, 12_000)
    expect(judge(healed, 12_100, { local: readOnly, by: closing })).to.deep.equal([false, 'open'])
    expect(judge({ ...healed, closed: false }, 12_100, { local: readOnly, by: closing })).to.deep.equal([false])
    expect(judge(healed, 13_001, { local: readOnly, by: closing }), 'the role may be about to move').to.deep.equal([
      false,
    ])
  })

  it('opens nothing on a statement that it remembers from an earlier life, or when another server is the primary', () => {
    const { askedAt: _, ...remembered } = { ...takenClosed(fresh, 100), closed: true }
    expect(judge(remembered, 200, { local: readOnly, by: closing })).to.deep.equal([false])
    expect(taken(remembered, 300, 'db2').closed).to.equal(false)
  })
})

describe('judgeAgent on a statement that it remembers from an earlier life', () => {
  const { askedAt: _, ...remembered } = taken(fresh, 100)

  it('keeps the last answer, but confirms nothing', () => {
    const { primary, renewed } = judgeAgent(remembered, { local: writable, rules, now: 200 })
    expect([primary, renewed]).to.deep.equal([true, false])
  })

  it('calls no server primary that it would have to close', () => {
    expect(judge(remembered, 200, { by: closing })).to.deep.equal([false])
    expect(judge(taken(remembered, 300), 400, { by: closing })).to.deep.equal([true])
  })
})

describe('noteReading', () => {
  const closed = { ...takenClosed(fresh, 100), closed: true }

  it('leaves closed what a person closes after someone opened it', () => {
    expect(judge(noteReading(closed, readOnly), 200, { local: readOnly, by: closing })).to.deep.equal([false, 'open'])
    const opened = noteReading(closed, writable)
    expect(opened.closed).to.equal(false)
    expect(judge(opened, 200, { local: readOnly, by: closing })).to.deep.equal([false])
  })

  it('learns nothing from a server that does not answer', () => {
    expect(noteReading(closed, { ...writable, answers: false }).closed).to.equal(true)
  })
})

describe('takeStatement', () => {
  const memory = taken(fresh, 100)
  const ends = ({ validUntil }: AgentMemory) => validUntil

  it('refuses what was signed for another question: repeated, or of another agent', () => {
    const question = { nonce: 'n2000', askedAt: 2_000 }
    for (const nonce of ['n100', 'n1999', ''])
      expect(takeStatement(memory, statement(nonce), { rules, question })).to.equal(memory)
    expect(takeStatement(memory, statement('n2000'), { rules, question })).to.not.equal(memory)
  })

  it('confirms nothing for longer than its validity from the probe, for every delay of probe, question and answer', () => {
    const delays = [0, 1, 400, 9_999, 60_000]
    for (const probedMs of delays)
      for (const onTheWay of delays) {
        const signedAt = 2_000 + onTheWay
        expect(ends(answered(memory, 2_000, { probedMs }))).to.equal(2_000 - probedMs + 10_000)
        expect(ends(answered(memory, 2_000, { probedMs }))).to.be.at.most(signedAt - probedMs + 10_000)
      }
  })

  it('prolongs nothing while the manager repeats what it saw in one probe', () => {
    const first = answered(memory, 2_000, { probedMs: 0 })
    for (const later of [1_000, 5_000, 20_000])
      expect(ends(answered(first, 2_000 + later, { probedMs: later }))).to.equal(ends(first))
  })

  it('prefers the answer to the later question, whichever comes first', () => {
    const later = answered(memory, 3_000, { primary: named('db2') })
    expect(answered(later, 2_000)).to.equal(later)
  })

  it('takes the shorter of both validities', () => {
    const question = { nonce: 'n', askedAt: 100 }
    const short = takeStatement(fresh, statement('n'), { rules: { ...rules, validMs: 3_000 }, question })
    expect(ends(short)).to.equal(3_095)
  })
})

describe('judgeReader', () => {
  it('bounds the lag, and an unknown one exceeds every bound', () => {
    const replica: LocalReading = { ...readOnly, replicates: true, hasSource: true, lagSeconds: 7 }
    expect([judgeReader(replica, undefined), judgeReader(replica, 7), judgeReader(replica, 6)]).to.deep.equal([
      ...[true, true, false],
    ])
    const { lagSeconds: _, ...unknown } = replica
    expect([judgeReader(unknown, undefined), judgeReader(unknown, 1_000)]).to.deep.equal([true, false])
    expect(judgeReader(writable, undefined)).to.equal(false)
  })

  it('sends no client to a server that is kept behind on purpose, as the manager does', () => {
    const behind: LocalReading = { ...readOnly, replicates: true, hasSource: true, lagSeconds: 0, keptBehind: true }
    expect([judgeReader(behind, undefined), judgeReader(behind, 30)]).to.deep.equal([false, false])
  })
})
