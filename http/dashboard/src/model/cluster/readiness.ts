// Whether it would fail over, and what would be lost: the verdict of `failover/explain` with names in place of ids.

import { type Fields, fieldsOf, listOf, numberOf, present, textOf, wireOf } from '../wire.js'
import { type Operation, readOperation } from './operation.js'

export interface Rule {
  readonly rule: string
  readonly code: string
  readonly state: 'clear' | 'closed' | 'waiting' | 'off'
  readonly value?: string
  readonly limit?: string
  readonly ageMs?: number
  readonly sentence: string
}

export interface Ranked {
  readonly server: string
  readonly name: string
  readonly eligible: boolean
  readonly rank?: number
  readonly code?: string
  readonly reason: string
  /** What it waits for before it could take over. */
  readonly waits?: string
  readonly unapplied?: number
  readonly missing?: number
}

export interface Readiness {
  readonly at?: number
  readonly wouldFailOver: boolean
  readonly primaryDead: boolean
  readonly evidence: string
  readonly primary?: string
  readonly candidate?: string
  readonly rules: readonly Rule[]
  readonly ranking: readonly Ranked[]
  readonly loss: {
    readonly kind: 'none' | 'at-most' | 'at-least' | 'unknown'
    readonly transactions?: number
    readonly reason: string
  }
  readonly names: Readonly<Record<string, string>>
  readonly operation?: Operation
  readonly lastOperation?: Operation
}

/** Undefined for a reply that is no verdict. */
export function readReadiness(reply: unknown): Readiness | undefined {
  const wire = fieldsOf(wireOf<'GET /api/clusters/:cluster/failover/explain'>(reply))
  if (!Array.isArray(wire.rows)) return undefined
  const names = namesOf(wire.servers)
  const named = (id: unknown) => (textOf(id) === undefined ? undefined : (names[String(id)] ?? String(id)))
  const { kind = 'unknown', transactions, reason } = fieldsOf(wire.loss)
  return present<Readiness>({
    at: numberOf(wire.at),
    wouldFailOver: wire.wouldFailOver === true,
    primaryDead: wire.primaryDead === true,
    evidence: textOf(wire.evidence) ?? 'none',
    primary: named(wire.primary),
    candidate: named(wire.candidate),
    rules: listOf(wire.rows).map(readRule),
    ranking: listOf(wire.ranking)
      .map((row) => readRanked(row, names))
      .toSorted((a, b) => (a.rank ?? Number.POSITIVE_INFINITY) - (b.rank ?? Number.POSITIVE_INFINITY) || 0),
    loss: present<Readiness['loss']>({
      kind: kind as Readiness['loss']['kind'],
      transactions: numberOf(transactions),
      reason: textOf(reason) ?? '',
    }),
    names,
    operation: readOperation(wire.operation, names),
    lastOperation: readOperation(wire.lastOperation, names),
  })
}

const namesOf = (wire: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(fieldsOf(wire)).map(([id, name]) => [id, String(name)]))

const readRule = (wire: Fields): Rule =>
  present<Rule>({
    rule: textOf(wire.rule) ?? '',
    code: textOf(wire.code) ?? '',
    state: wire.state as Rule['state'],
    value: textOf(wire.value),
    limit: textOf(wire.limit),
    ageMs: numberOf(wire.ageMs),
    sentence: textOf(wire.sentence) ?? '',
  })

const readRanked = (wire: Fields, names: Readonly<Record<string, string>>): Ranked =>
  present<Ranked>({
    server: textOf(wire.server) ?? '',
    name: names[String(wire.server)] ?? String(wire.server),
    eligible: wire.eligible === true,
    rank: numberOf(wire.rank),
    code: textOf(wire.code),
    reason: textOf(wire.reason) ?? '',
    waits: textOf(wire.waits),
    unapplied: numberOf(wire.unapplied),
    missing: numberOf(wire.missing),
  })

/** What the candidate waits for before it could take over; undefined where for nothing. */
export const waitsOf = ({ candidate, ranking }: Readiness): string | undefined =>
  ranking.find(({ name, eligible }) => eligible && name === candidate)?.waits

/** "0 transactions", "at most 12 transactions", "an unknown number of transactions". */
export function lossText({ kind, transactions }: Readiness['loss']): string {
  const count = transactions === undefined ? undefined : `${transactions} transaction${transactions === 1 ? '' : 's'}`
  if (kind === 'none') return '0 transactions'
  if (kind === 'unknown' || count === undefined) return 'an unknown number of transactions'
  return `${kind === 'at-most' ? 'at most' : 'at least'} ${count}`
}
