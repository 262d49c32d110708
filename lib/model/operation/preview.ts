// A dry run: the steps of a plan in order with their expected durations. Plain data for API and client.

import type { ServerId } from '../server/server.js'
import type { Command } from './command.js'
import type { OperationKind } from './operation.js'

export interface PreviewStep {
  readonly command: Command
  /** Description, readable text. */
  readonly text: string
  readonly expectedMs: number
  /** Writes are blocked while it runs. */
  readonly blocksWrites: boolean
}

export interface Preview {
  readonly kind: OperationKind
  readonly possible: boolean
  /** Reason of the refusal, if it would be refused. */
  readonly refusal?: string
  readonly oldPrimary?: ServerId
  readonly newPrimary?: ServerId
  readonly steps: readonly PreviewStep[]
  readonly expectedBlockedMs: number
  readonly risks: readonly string[]
}
