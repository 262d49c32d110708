// What can be done to one running database over SQL on request, beside replication and orchestrators: plain data.

/** What a server can be told to watch about itself, and not to. */
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
  /** The slow log is a table instead of a file. */
  'slow-table',
] as const

export type ToggleName = (typeof toggles)[number]

/** What the slow log was set to before a capture began. */
export interface SlowSettings {
  readonly seconds: number
  readonly logging: boolean
}

export type ServerAct =
  | { readonly type: 'toggle'; readonly what: ToggleName }
  | { readonly type: 'set-slow-limit'; readonly seconds: number }
  | { readonly type: 'reset-digests' }
  | { readonly type: 'flush-logs' }
  /** Waits until the list of changes that are kept for old readers is no longer than this. */
  | { readonly type: 'await-purge'; readonly length: number; readonly timeoutMs: number }
  | { readonly type: 'reset-binlogs'; readonly force: boolean }
  | { readonly type: 'forget-source'; readonly force: boolean }
  | { readonly type: 'skip-event' }

export interface ActAnswer {
  /** What was done and what is so now: one line for people. */
  readonly text: string
  /** Of a toggle: what it is now. */
  readonly on?: boolean
  /** The transaction that was passed over. */
  readonly skipped?: string
}
