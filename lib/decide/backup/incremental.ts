// Which backup an incremental one continues. Pure.
import type { Backup, BackupTool } from '../../model/backup.js'
import type { ServerId } from '../../model/server/server.js'

export interface ChainQuestion {
  readonly server: ServerId
  readonly tool: BackupTool
  /** Incremental ones between two full ones; 0: each is a full one. */
  readonly incrementals: number
}

/** Undefined: a full one is due, or there is nothing to continue: log sequence numbers are those of one server. */
export function previousOf(
  backups: readonly Backup[],
  { server, tool, incrementals }: ChainQuestion,
): Backup | undefined {
  if (incrementals === 0) return undefined
  const latest = backups.findLast((backup) => backup.kind === 'physical' && backup.state === 'valid')
  if (!latest?.lsn || latest.server !== server || latest.tool !== tool) return undefined
  return chainOf(backups, latest).length > incrementals ? undefined : latest
}

/** A backup with those that it continues, the full one first; empty where one of them is missing. */
export function chainOf(backups: readonly Backup[], backup: Backup): readonly Backup[] {
  if (backup.strategy === 'full') return [backup]
  const previous = backups.find(({ id, state }) => id === backup.previous && state === 'valid')
  const before = previous ? chainOf(backups, previous) : []
  return before.length === 0 ? [] : [...before, backup]
}
