// The external check: asks an HTTP agent on the primary's host whether the primary lives, while the primary is suspect.
import { now, SECOND } from '../../../lib/base/time.js'
import { httpAsk } from '../../../lib/connect/http/request.js'
import { findServer } from '../../../lib/model/snapshot.js'
import type { ClusterCore } from '../state/core.js'

const TIMEOUT_MS = SECOND
/** An answer in the affirmative. */
const ALIVE = 200

export class OutsideCheck {
  readonly #actor: ClusterCore
  #looking = false

  constructor(actor: ClusterCore) {
    this.#actor = actor
  }

  /** Asks once, and again while the primary stays suspect; nothing when the check is off or already under way. */
  async look(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    while (this.#isWanted()) await this.#ask()
    this.#looking = false
  }

  #isWanted(): boolean {
    const { state, context } = this.#actor
    const primary = findServer(state, state.memory.primary)
    return !context.signal.aborted && state.settings['failover-falsepositive-external'] && (primary?.failures ?? 0) > 0
  }

  async #ask(): Promise<void> {
    const { state, context } = this.#actor
    const host = findServer(state, state.memory.primary)?.host ?? ''
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${state.settings['failover-falsepositive-external-port']}/`
    const began = now()
    const answer = await httpAsk({ url, timeoutMs: TIMEOUT_MS, signal: context.signal })
    const alive = answer.ok && answer.value.status === ALIVE
    const detail = answer.ok ? `${url} answers ${answer.value.status}` : answer.failure.message
    this.#actor.tell('observed-outside', { alive, detail, now: now() })
    const pause = Math.max(0, TIMEOUT_MS / 2 - (now() - began))
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
