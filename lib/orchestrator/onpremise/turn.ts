// One action while it has its turn on a host.
import type { Result } from '../../base/result.js'
import type { ServiceSpec } from '../../model/operation/services.js'
import type { Act, Run } from '../index.js'
import type { Host, HostFacts } from './host.js'

export interface Turn {
  readonly host: Host
  /** The state of the host when the turn began. */
  readonly facts: HostFacts
  readonly service: ServiceSpec
  readonly run: Run
}

/** What an action does once it has its turn and knows the host. */
export type Work = (turn: Turn) => Promise<Result<void>>

/** An action that waits for its turn, stops at its deadline (`onpremise-ssh-deadline` when absent) and never throws. */
export type InTurn = (work: Work, deadlineMs?: number) => Act
