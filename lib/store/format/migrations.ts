// The migrations of the working directory, one row a format: its place in the list is its number.

export interface Migration {
  /** What is different since this format, for the page about upgrades. */
  readonly change: string
  /** From the format before to this one; safe to repeat. Absent where no file changes. */
  readonly forwards?: (directory: string) => Promise<void>
  /** From this format to the one before; safe to repeat. */
  readonly back?: (directory: string) => Promise<void>
}

export const migrations: readonly Migration[] = [{ change: 'format.json names the format; no other file changes' }]
