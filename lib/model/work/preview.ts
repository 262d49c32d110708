// A dry run: the steps of a plan in order with what they are expected to cost. Plain data for API and client.

import type { ServerId } from '../server/server.js'
import type { Command } from './command.js'
import type { OperationKind } from './operation.js'

export interface PreviewStep {
  readonly command: Command
  /** What it does, for people. */
  readonly text: string
  readonly expectedMs: number
  /** Nobody can write while it runs. */
  readonly blocksWrites: boolean
}

export interface Preview {
  readonly kind: OperationKind
  readonly possible: boolean
  /** Why it would be refused, when it would. */
  readonly refusal?: string
  readonly oldPrimary?: ServerId
  readonly newPrimary?: ServerId
  readonly steps: readonly PreviewStep[]
  readonly expectedBlockedMs: number
  readonly risks: readonly string[]
}
