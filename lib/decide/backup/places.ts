// One list of the backups of all places. Pure.
import type { Backup } from '../../model/backup.js'

/**
 * Oldest first, each backup once: as the place has it that backups are written to, with the archive named beside it; as the archive has
 * it where the first place has lost it.
 */
export function mergePlaces(kept: readonly Backup[], archived: readonly Backup[]): readonly Backup[] {
  const copies = new Map(archived.map((backup) => [backup.id, backup]))
  const first = kept.map((backup) => {
    const copy = copies.get(backup.id)
    return copy ? { ...backup, also: [copy.place] } : backup
  })
  const lost = archived.filter(({ id }) => !kept.some((backup) => backup.id === id))
  return [...first, ...lost].sort((a, b) => a.id - b.id)
}
