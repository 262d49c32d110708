// Who acts on a server, by the lock that managers take on it. Plain data; read by lib/probe, judged by lib/decide.

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
  /** It holds more servers than this one, which therefore takes no automatic action. */
  readonly acts: boolean
}
