// What the routes can request about alerts: who is notified, silences, acknowledgements, tests.
import type { Holder } from '../../../lib/access/bound/index.js'
import type { Result } from '../../../lib/base/result.js'
import type { Acknowledgement, AlertChannel, AlertSilence } from '../../../lib/model/alert.js'

export interface SilenceRequest extends Omit<AlertSilence, 'id' | 'createdAt' | 'startsAt' | 'countsFor'> {
  /** Now, when absent. */
  readonly startsAt?: number
}

/** An open condition of a cluster that is an alert. */
export interface OpenAlert {
  readonly code: string
  readonly severity: 'error' | 'warning'
  readonly server?: string
  readonly text: string
  readonly hint: string
  /** Milliseconds since the epoch. */
  readonly since: number
  /** When receivers were notified; absent: they were not. */
  readonly notifiedAt?: number
  readonly escalatedAt?: number
  readonly acknowledged?: Acknowledgement
  /** Why it is not sent now. */
  readonly silenced?: { readonly by: string; readonly reason: string; readonly endsAt: number }
}

export interface AcknowledgeRequest {
  readonly cluster: string
  /** Empty: every open alert. */
  readonly code: string
  /** Empty: any. */
  readonly server: string
  readonly owner: string
  readonly reason: string
}

/** What became of a test. */
export interface TestedChannel {
  readonly channel: AlertChannel
  /** Where it goes, without secrets. */
  readonly receiver: string
  /** Why it was not sent; absent when it was. */
  readonly problem?: string
}

/** Where alerts of some clusters go, and what became of them since the manager started. */
export interface AlertReceiver {
  readonly channel: AlertChannel
  /** Where it goes, without secrets. */
  readonly receiver: string
  /** Names; empty: the manager itself. */
  readonly clusters: readonly string[]
  /** It receives what nobody acknowledged in time, and nothing else. */
  readonly onlyEscalations: boolean
  /** Messages that wait. */
  readonly waiting: number
  /** Milliseconds since the epoch; absent: nothing was sent yet. */
  readonly sentAt?: number
  readonly failedAt?: number
  /** Why the latest try failed; absent after one that did not. */
  readonly problem?: string
  readonly retryAt?: number
}

/** How long an error waits for an acknowledgement. */
export interface EscalationRule {
  /** Milliseconds; 0: never. */
  readonly afterMs: number
  readonly clusters: readonly string[]
}

export interface AlertsFace {
  /** Open alerts of the cluster; '' for those of the manager itself. */
  list(cluster: string): readonly OpenAlert[]
  /** Where the alerts of these clusters go; clusters of the same receiver share it. */
  receivers(clusters: readonly string[]): readonly AlertReceiver[]
  escalation(clusters: readonly string[]): readonly EscalationRule[]
  /** Those of the cluster, and of every cluster; ended ones of the last days among them. */
  silences(cluster: string): readonly AlertSilence[]
  /** `wrong-value` when the times make no sense, `bound-reached`, `file-unwritable`. */
  silence(request: SilenceRequest, holder: Holder): Promise<Result<AlertSilence>>
  /** Ends a silence early; `unknown-silence`. */
  endSilence(request: {
    readonly cluster: string
    readonly id: string
    readonly user: string
  }): Promise<Result<AlertSilence>>
  /** A user takes care of open alerts, which are not escalated then. The number of them; `unknown-alert` when there is none. */
  acknowledge(request: AcknowledgeRequest): Promise<Result<{ readonly acknowledged: number }>>
  /** Takes it back. */
  unacknowledge(request: Omit<AcknowledgeRequest, 'reason'>): Promise<Result<{ readonly acknowledged: number }>>
  /** Sends a test by one channel, or by all that are configured. `no-channel`; `alert-failed` names those that failed; `too-often`. */
  test(request: {
    readonly cluster: string
    readonly channel?: AlertChannel
    readonly user: string
  }): Promise<Result<readonly TestedChannel[]>>
}
