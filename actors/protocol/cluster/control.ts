// Messages that change something on a cluster or on one of its servers at once.
import type { KilledThread } from '../../../lib/effect/statements/kill.js'
import type { Finding } from '../../../lib/model/finding.js'
import type { StatementOutcome } from '../../../lib/model/server/configuration.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { ActAnswer, ServerAct } from '../../../lib/model/server/server-act.js'
import type { Cookie } from '../../../lib/store/index.js'

export type ControlMessages = {
  'reset-failover-control': { in: { user: string }; out: void }
  'reset-sla': { in: { user: string }; out: void }
  'set-maintenance': { in: { user: string; server: ServerId; mode: 'on' | 'off' | 'toggle' }; out: boolean }
  'start-replication': { in: { user: string; server: ServerId }; out: void }
  'stop-replication': { in: { user: string; server: ServerId }; out: void }
  /** Without `on` its state is reversed. `force` opens a server that is missing part of the history. */
  'toggle-read-only': { in: { user: string; server: ServerId; on?: boolean; force: boolean }; out: boolean }
  /** One action on a running database over SQL; one at a time on each. */
  act: { in: { user: string; server: ServerId; act: ServerAct }; out: ActAnswer }
  /** Ends what runs a statement (its digest), or a thread (its number): the statement, or the session with it; `dry`: only names them. */
  'kill-statement': {
    in: { user: string; server: ServerId; target: string; end: 'statement' | 'session'; dry?: boolean }
    out: readonly KilledThread[]
  }
  /** Runs statements that change a server at run time, unlogged; how each ended. */
  'run-statements': { in: { server: ServerId; statements: readonly string[] }; out: readonly StatementOutcome[] }
  /** Raises and clears flags of a server. */
  'change-cookies': { in: { server: ServerId; set: readonly Cookie[]; clear: readonly Cookie[] }; out: void }
  /** Findings of the manager itself, shown among those of the cluster until replaced. */
  announce: { in: { findings: readonly Finding[] }; out: void }
  /**
   * New settings: servers added, removed or re-rated, credentials, thresholds. The primary and the memory stay.
   * `settled`: they describe what the servers run on already, so none of them needs a restart.
   */
  reconfigure: { in: { settings: Readonly<Record<string, unknown>>; settled?: boolean }; out: void }
}
