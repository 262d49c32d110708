// Binary logs that were deleted on request without an outcome: the server is asked what became of its numbers as soon as it answers.
import { now, SECOND } from '../../../lib/base/time.js'
import { isReachable } from '../../../lib/decide/situation/channel.js'
import { judgeLogHead } from '../../../lib/decide/situation/history/deleted-log.js'
import { readLogHead } from '../../../lib/effect/acts/read-log-head.js'
import type { LogOutcome } from '../../../lib/model/memory.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer } from '../../../lib/model/snapshot.js'
import type { Cluster } from '../state/message/cluster.js'
import { effectServer } from '../state/message/wires.js'

/** After a server that did not answer. */
const REST_MS = 5 * SECOND

export class DeletedLogs {
  readonly #actor: Pick<Cluster, 'state' | 'tell'>
  #isAsking = false
  #restUntil = 0

  constructor(actor: Pick<Cluster, 'state' | 'tell'>) {
    this.#actor = actor
  }

  askWhenDue(): void {
    const { memory, snapshot } = this.#actor.state
    if (memory.deleting === undefined || this.#isAsking || now() < this.#restUntil) return
    for (const [id, { history, unread }] of Object.entries(memory.deleting)) {
      const server = findServer(snapshot, id)
      if (!unread || history === undefined || !server || !isReachable(server)) continue
      this.#isAsking = true
      void this.#ask(id, history).finally(() => {
        this.#isAsking = false
      })
      return
    }
  }

  async #ask(server: ServerId, history: string): Promise<void> {
    const outcome = await this.#outcomeOf(server, history)
    const isStill = this.#actor.state.memory.deleting?.[server]?.history === history
    if (outcome && isStill) this.#actor.tell('history-reset', { server, outcome })
  }

  /** Undefined: it does not answer, and is asked again. One that refuses does not tell it later either. */
  async #outcomeOf(id: ServerId, history: string): Promise<LogOutcome | undefined> {
    const server = effectServer(this.#actor.state, id)
    if (!server) return 'unknown'
    const head = await readLogHead(server)
    if (head.ok) return judgeLogHead(history, head.value, server.dialect.identity.flavour)
    if (head.failure.code === 'sql-failed' || head.failure.code === 'wrong-state') return 'unknown'
    this.#restUntil = now() + REST_MS
    return undefined
  }
}
