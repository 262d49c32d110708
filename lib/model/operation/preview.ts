// A dry run: the steps of a plan in order with their expected durations. Plain data for API and client.

import type { ServerId } from '../server/server.js'
import type { ServerAct } from '../server/server-act.js'
import type { Command } from './command.js'
import type { RecoveryWish } from './recovery.js'
import type { RollKind } from './roll.js'
import type { ServiceAction } from './services.js'

export interface PreviewStep {
  /** Of an operation. */
  readonly command?: Command
  /** Description, readable text. */
  readonly text: string
  /** Absent where it depends on the data. */
  readonly expectedMs?: number
  /** Writes are blocked while it runs. */
  readonly blocksWrites: boolean
  /** The server that it changes, where there is one. */
  readonly server?: ServerId
}

/** What would be gone afterwards; `removal`: data, accounts or history that the action itself removes. */
export interface PlanLoss {
  readonly kind: 'none' | 'at-most' | 'at-least' | 'unknown' | 'removal'
  readonly text: string
}

/** One value that would be another one. */
export interface PlanChange {
  /** A setting, the maintenance of a server, the access of a user. */
  readonly what: string
  /** Null: there is none. A secret is masked. */
  readonly before: string | null
  readonly after: string | null
}

export interface Preview {
  /** Of plans that are stored or compared by their own room; others get one of what they say (`plan-id.ts`). */
  readonly id?: string
  /** Kind of the operation, or of the work: `switchover`, `rolling-restart`, `stop`. */
  readonly kind: string
  readonly possible: boolean
  /** What could not be checked in time, and what to do. A plan that depends on it is not possible, nor is it refused. */
  readonly unchecked?: string
  /** Reason of the refusal, if it would be refused. */
  readonly refusal?: string
  readonly oldPrimary?: ServerId
  readonly newPrimary?: ServerId
  readonly steps: readonly PreviewStep[]
  /** Values now and then; absent where the steps are everything. */
  readonly changes?: readonly PlanChange[]
  /** What else follows: files that are delivered, servers that need a restart, who loses access. */
  readonly follows?: readonly string[]
  /** By the usual durations of steps; absent where it cannot be said. */
  readonly expectedBlockedMs?: number
  /** How long past runs of this cluster blocked writes; null when none was measured, absent where that is not known. */
  readonly pauseMs?: number | null
  /** Absent: nothing is lost. */
  readonly loss?: PlanLoss
  /** How it is taken back, where the plan knows better than the table of actions. */
  readonly undo?: string
  readonly risks: readonly string[]
}

/** How an action is confirmed: not at all, by a question, or by typing the name of what loses something. */
export type Confirmation = 'none' | 'yes' | 'name'

/** What `plan=true` answers: the preview of an action with everything that is needed to decide about it. */
export interface Plan extends Omit<Preview, 'undo'> {
  /** `unchecked`: it may be asked to run, and is refused then where the check says so. */
  readonly judgement: 'possible' | 'refused' | 'unchecked'
  /** `confirm=<id>` runs exactly this plan, or is refused. */
  readonly id: string
  /** Null for what concerns the manager as a whole. */
  readonly cluster: string | null
  readonly server?: ServerId
  readonly pauseMs: number | null
  readonly loss: PlanLoss
  /** How it is taken back; null where it is not. */
  readonly undo: string | null
  readonly changes: readonly PlanChange[]
  readonly follows: readonly string[]
  readonly lossy: boolean
  readonly confirm: Confirmation
}

/** Work that can be listed before it is done, besides switchovers and failovers. */
export type Work =
  | { readonly type: 'roll'; readonly kind: RollKind; readonly only?: ServerId; readonly force: boolean }
  | { readonly type: 'services'; readonly action: ServiceAction; readonly service?: ServerId; readonly force: boolean }
  | { readonly type: 'act'; readonly server: ServerId; readonly act: ServerAct }
  | { readonly type: 'replication'; readonly server: ServerId; readonly run: boolean }
  | { readonly type: 'read-only'; readonly server: ServerId; readonly on?: boolean }
  | { readonly type: 'optimize'; readonly server: ServerId; readonly force: boolean }
  | { readonly type: 'backup'; readonly kind: 'logical' | 'physical'; readonly server?: ServerId }
  | { readonly type: 'recovery'; readonly wish: RecoveryWish }
  | { readonly type: 'cleanup'; readonly force: boolean }
  | { readonly type: 'relocate'; readonly server: ServerId; readonly source: ServerId }
  | { readonly type: 'bootstrap'; readonly topology: string }
  | { readonly type: 'traffic'; readonly run: boolean }
  | { readonly type: 'maintenance'; readonly server: ServerId; readonly on?: boolean }
  | { readonly type: 'reset'; readonly what: 'failover-control' | 'sla' }
  | { readonly type: 'cancel-roll'; readonly kind: RollKind }
  | { readonly type: 'cancel-appointment' }
  | { readonly type: 'cancel-return'; readonly server: ServerId }
