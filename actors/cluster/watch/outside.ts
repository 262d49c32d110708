// The external check: asks an HTTP agent on the primary's host whether the primary lives, while the primary is suspect.
import { now } from '../../../lib/base/time.js'
import { findServer } from '../../../lib/model/snapshot.js'
import { askExternal, EXTERNAL_MS } from '../../../lib/probe/external.js'
import type { Cluster } from '../state/message/cluster.js'

export class OutsideCheck {
  readonly #actor: Pick<Cluster, 'state' | 'context' | 'tell'>
  #checking = false

  constructor(actor: Pick<Cluster, 'state' | 'context' | 'tell'>) {
    this.#actor = actor
  }

  /** Asks once, and again while the primary stays suspect; nothing when the check is off or already under way. */
  async check(): Promise<void> {
    if (this.#checking) return
    this.#checking = true
    while (this.#isWanted()) await this.#ask()
    this.#checking = false
  }

  #isWanted(): boolean {
    const { state, context } = this.#actor
    const primary = findServer(state.snapshot, state.memory.primary)
    return !context.signal.aborted && state.settings['failover-falsepositive-external'] && (primary?.failures ?? 0) > 0
  }

  async #ask(): Promise<void> {
    const { state, context } = this.#actor
    const host = findServer(state.snapshot, state.memory.primary)?.host ?? ''
    const port = state.settings['failover-falsepositive-external-port']
    const began = now()
    this.#actor.tell('observed-outside', await askExternal({ host, port }, context.signal))
    const pause = Math.max(0, EXTERNAL_MS / 2 - (now() - began))
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
