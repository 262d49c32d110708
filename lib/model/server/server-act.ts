// Actions on one running database over SQL on request, besides replication and orchestrators: plain data.

/** Diagnostics of a server that can be enabled and disabled. */
export const toggles = [
  /** The storage engine's monitor in the error log. */
  'engine-monitor',
  'lock-list',
  'response-times',
  'error-statements',
  'statement-history',
  'slow-log',
  /** Every statement counts as slow. */
  'slow-capture',
  /** The slow log is written to a table instead of a file. */
  'slow-table',
] as const

export type ToggleName = (typeof toggles)[number]

/** Slow log settings before a capture started. */
export interface SlowSettings {
  readonly seconds: number
  readonly logging: boolean
}

export type ServerAct =
  /** Without `on` its state is reversed. */
  | { readonly type: 'toggle'; readonly what: ToggleName; readonly on?: boolean }
  | { readonly type: 'set-slow-limit'; readonly seconds: number }
  | { readonly type: 'reset-digests' }
  | { readonly type: 'flush-logs' }
  /** Waits until the history list (undo records kept for old readers) is no longer than this. */
  | { readonly type: 'await-purge'; readonly length: number; readonly timeoutMs: number }
  | { readonly type: 'reset-binlogs'; readonly force: boolean }
  | { readonly type: 'forget-source'; readonly force: boolean }
  | { readonly type: 'skip-event' }

export interface ActAnswer {
  /** Action and resulting state, one readable line. */
  readonly text: string
  /** Of a toggle: the new state. */
  readonly on?: boolean
  /** The skipped transaction. */
  readonly skipped?: string
}
