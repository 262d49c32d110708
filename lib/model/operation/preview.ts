// A dry run: the steps of a plan in order with their expected durations. Plain data for API and client.

import type { ServerId } from '../server/server.js'
import type { ServerAct } from '../server/server-act.js'
import type { Command } from './command.js'
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
}

export interface Preview {
  /** Kind of the operation, or of the work: `switchover`, `rolling-restart`, `stop`. */
  readonly kind: string
  readonly possible: boolean
  /** Reason of the refusal, if it would be refused. */
  readonly refusal?: string
  readonly oldPrimary?: ServerId
  readonly newPrimary?: ServerId
  readonly steps: readonly PreviewStep[]
  /** Absent where it cannot be said. */
  readonly expectedBlockedMs?: number
  readonly risks: readonly string[]
}

/** Work that can be listed before it is done, besides switchovers and failovers. */
export type Work =
  | { readonly type: 'roll'; readonly kind: RollKind; readonly only?: ServerId; readonly force: boolean }
  | { readonly type: 'services'; readonly action: ServiceAction; readonly service?: ServerId; readonly force: boolean }
  | { readonly type: 'act'; readonly server: ServerId; readonly act: ServerAct }
  | { readonly type: 'replication'; readonly server: ServerId; readonly run: boolean }
  | { readonly type: 'read-only'; readonly server: ServerId; readonly on?: boolean }
  | { readonly type: 'optimize'; readonly server: ServerId; readonly force: boolean }
  | { readonly type: 'cleanup'; readonly force: boolean }
  | { readonly type: 'relocate'; readonly server: ServerId; readonly source: ServerId }
  | { readonly type: 'bootstrap'; readonly topology: string }
  | { readonly type: 'traffic'; readonly run: boolean }
