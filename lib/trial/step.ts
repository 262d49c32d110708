// What named tests are made of: a few steps, each with what takes it back.
import type { FailureCode } from '../base/failures.js'
import type { Before, TrialUndo } from '../model/trial/trial.js'
import type { Settings } from '../settings/table/index.js'
import type { Fact } from './fact.js'

/** Settings that a test may change, in the memory of the manager only. */
export type TrialSettings = Partial<
  Pick<
    Settings,
    | 'failover-at-sync'
    | 'failover-max-slave-delay'
    | 'failover-readonly-state'
    | 'switchover-at-equal-gtid'
    | 'switchover-at-sync'
    | 'switchover-max-slave-delay'
    | 'switchover-wait-trx'
    | 'switchover-wait-write-query'
  >
>

/**
 * What a session holds until it is ended. open-transaction: changed rows, not committed, idle; busy-transaction: the same while a
 * statement runs that only reads; long-write: one statement that writes; applier: each replica's, by a lock on the table.
 */
export type Hold = 'open-transaction' | 'busy-transaction' | 'long-write' | 'applier'

export type TrialStep =
  | { readonly do: 'set'; readonly settings: TrialSettings }
  /** Rows into a table of a schema of its own, on the primary. */
  | { readonly do: 'write'; readonly rows: number }
  | { readonly do: 'hold'; readonly what: Hold }
  | { readonly do: 'release' }
  | { readonly do: 'stop-replicas' }
  | { readonly do: 'start-replicas' }
  | { readonly do: 'maintain-replicas' }
  /** `home`: back to the server that was the primary. `refused`: it must be refused, for one of these reasons. */
  | { readonly do: 'switchover'; readonly to?: 'home'; readonly refused?: readonly FailureCode[] }
  /** Waits until all of them hold. */
  | { readonly do: 'expect'; readonly facts: readonly Fact[] }
  /** All rows that were written are on every server. */
  | { readonly do: 'expect-rows' }

/** What the step may change, as what takes it back; none: it changes nothing. A switchover that must be refused may not be. */
export function undoOf(step: TrialStep, { home, replicas }: Before): TrialUndo | undefined {
  switch (step.do) {
    case 'set':
      return { type: 'settings' }
    case 'write':
      return { type: 'schema' }
    case 'hold':
      return { type: 'sessions' }
    case 'stop-replicas':
      return { type: 'replication', servers: replicas }
    case 'maintain-replicas':
      return { type: 'maintenance', servers: replicas }
    case 'switchover':
      return { type: 'role', server: home }
    // They take back what an earlier step did; that stays recorded until the end.
    case 'release':
    case 'start-replicas':
    case 'expect':
    case 'expect-rows':
      return undefined
  }
}

const holds: Readonly<Record<Hold, string>> = {
  'open-transaction': 'Leave a transaction on the primary open that has changed a row',
  'busy-transaction': 'Run a long statement on the primary in a transaction that has changed a row',
  'long-write': 'Run a long statement on the primary that writes',
  applier: 'Hold up the appliers of all replicas by a lock on the table of the test',
}

/** One sentence, without the full stop. */
export function describeStep(step: TrialStep): string {
  switch (step.do) {
    case 'set':
      return `Set ${Object.entries(step.settings)
        .map(([name, value]) => `${name} = ${String(value)}`)
        .join(', ')} in the memory of the manager`
    case 'write':
      return `Write ${step.rows} rows on the primary`
    case 'hold':
      return holds[step.what]
    case 'release':
      return 'End the sessions of the test'
    case 'stop-replicas':
      return 'Stop replication on all replicas'
    case 'start-replicas':
      return 'Start replication on all replicas'
    case 'maintain-replicas':
      return 'Set all replicas to maintenance'
    case 'switchover':
      return `${step.to === 'home' ? 'Switch over to the server that was the primary' : 'Switch over'}${
        step.refused ? `; it must be refused (${step.refused.join(', ')})` : ''
      }`
    case 'expect':
      return `Expect: ${step.facts.join(', ')}`
    case 'expect-rows':
      return 'Expect all rows on every server'
  }
}

const undos: Readonly<Record<TrialUndo['type'], string>> = {
  settings: 'Use the saved settings again',
  sessions: 'End the sessions of the test',
  schema: 'Remove the schema of the test',
  replication: 'Start replication where it was stopped',
  maintenance: 'End maintenance of the replicas',
  role: 'Give the role back to the server that was the primary',
}

export const describeUndo = ({ type }: TrialUndo): string => undos[type]
