// Who acts on a server, by the lock that managers take on it. Plain data; read by lib/probe, judged by lib/decide.

/** Names that every manager takes, whatever it calls the cluster. Nothing is written: a lock ends with its session. */
export const managerLocks = {
  acts: 'manager.acts',
  /** Taken by a manager that found the first one held, so that its holder sees that there is another manager. */
  waits: 'manager.waits',
} as const

export interface Presence {
  /** This manager holds the lock. */
  readonly holds: boolean
  /** Another manager holds it and is running: the host that it connects from, as the server sees it. */
  readonly other?: string
  /** Another manager is running and waits for the lock: its host. */
  readonly waiting?: string
}

/** Another manager that probes servers of this cluster. */
export interface Rival {
  readonly hosts: readonly string[]
  /** It holds more servers than this one, which therefore changes nothing. */
  readonly acts: boolean
}

/** What is remembered of another manager for as long as what it began may still be on its way. */
export interface Rivalry {
  /** When it was last seen. */
  readonly seenAt: number
  /** When it was last the one that acts; absent where it never was since it was first seen. */
  readonly actedAt?: number
}
