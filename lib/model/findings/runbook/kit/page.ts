// The shape of a runbook page: what a finding means, its usual causes, how to check it, what to do, and what not to do.

/** How a command of a page is run. `sql` is the same on MariaDB and MySQL; the others are of one flavour. */
export type CommandKind = 'cli' | 'sql' | 'mariadb' | 'mysql' | 'shell'

/**
 * A line to copy. `<server>`, `<primary>` and `<cluster>` are filled in where they are known; other names in angle brackets
 * are the reader's.
 */
export interface PageCommand {
  readonly kind: CommandKind
  readonly text: string
}

/** A sentence, or a command that belongs to the sentence before it. */
export type Step = string | PageCommand

export interface Page {
  /** What it means for clients, and for the next failover. */
  readonly means: string
  /** Usual causes, the most frequent first. */
  readonly causes: readonly string[]
  readonly check: readonly Step[]
  readonly act: readonly Step[]
  /** What makes it worse. */
  readonly avoid: readonly string[]
}

/** A line of `manager-cli`, without that word. */
export const cli = (text: string): PageCommand => ({ kind: 'cli', text })

/** A statement for both flavours. */
export const sql = (text: string): PageCommand => ({ kind: 'sql', text })

export const mariadb = (text: string): PageCommand => ({ kind: 'mariadb', text })

export const mysql = (text: string): PageCommand => ({ kind: 'mysql', text })

/** A line for a shell, on the host that the sentence before it names. */
export const shell = (text: string): PageCommand => ({ kind: 'shell', text })
