// Alerts: what people are notified of, who silenced or acknowledged what, and what waits to be sent. Plain data.

/** ALERT: something needs attention. ALERTOK: what was reported is over. */
export type AlertLevel = 'ALERT' | 'ALERTOK'

/** `test`: sent on request. `escalation`: an alert that nobody acknowledged in time. */
export type AlertKind = 'alert' | 'escalation' | 'test'

/** The ways on which alerts leave the manager. */
export const alertChannels = ['mail', 'slack', 'teams', 'pushover', 'webhook', 'syslog', 'hosted', 'script'] as const

export type AlertChannel = (typeof alertChannels)[number]

/** What is reported while it lasts: an open finding, or a server in a state that is no normal one. */
export interface AlertCondition {
  /** `code`, or `code@server`. */
  readonly key: string
  /** Of a finding; the state of a server as clients know it otherwise, e.g. `Failed`. */
  readonly code: string
  readonly severity: 'error' | 'warning'
  /** Its name; absent when it concerns the cluster. */
  readonly server?: string
  /** What it is, without details. */
  readonly sentence: string
  readonly text: string
  /** What the operator can do. */
  readonly hint: string
}

/** A user takes care of it: it is not escalated. Ends with the condition. */
export interface Acknowledgement {
  readonly owner: string
  readonly reason: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Alerts that are not sent during a time. */
export interface AlertSilence {
  readonly id: string
  /** Empty: every cluster. */
  readonly cluster: string
  /** Codes, or their beginnings; empty: all. */
  readonly codes: readonly string[]
  /** Names of servers; empty: all, and what concerns no server. */
  readonly servers: readonly string[]
  readonly owner: string
  readonly reason: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly startsAt: number
  readonly endsAt: number
  /** Whose part of the silences it is in, where that is not its cluster's. */
  readonly countsFor?: string
}

/** A server changed its state: what `alert-script` is called with. */
export interface StateChange {
  /** Its name. */
  readonly server: string
  /** `host:port`. */
  readonly url: string
  /** As clients know them. */
  readonly from: string
  readonly to: string
}

/** One message, ready to be sent by any channel. */
export interface AlertMessage {
  /** Unique; receivers can recognise a repetition by it. */
  readonly id: string
  readonly at: number
  readonly level: AlertLevel
  readonly kind: AlertKind
  /** Empty: the manager itself. */
  readonly clusters: readonly string[]
  /** Codes that it is about, those that were open for a moment among them. */
  readonly codes: readonly string[]
  /** One line. */
  readonly title: string
  readonly text: string
  /** For `alert-script` only. */
  readonly state?: StateChange
}

/** A message that waits for one channel of one cluster; kept on disk until it is sent. */
export interface QueuedAlert {
  readonly id: string
  readonly channel: AlertChannel
  /** Whose settings say where it goes; empty: those of the server. */
  readonly cluster: string
  readonly message: AlertMessage
}
