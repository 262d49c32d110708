// A valid backup in the archive, too: every file is read back from its place, compared with its record, and stored there.
import { done, type Result } from '../../base/result.js'
import type { Backup, BackupFile } from '../../model/backup.js'
import { type Catalogue, storedName } from '../catalogue/index.js'
import type { PlaceConfig } from '../place/place.js'
import { startTransfer } from '../stream/index.js'

export interface ArchiveRequest {
  readonly from: Catalogue
  readonly to: Catalogue
  readonly place: PlaceConfig
  readonly backup: Backup
  readonly deadlineMs: number
}

/** The archive has its own compression and encryption: it finds what is equal in all of its backups. */
export async function archiveBackup(
  { from, to, place, backup, deadlineMs }: ArchiveRequest,
  { signal, log }: { readonly signal: AbortSignal; readonly log: (line: string) => void },
): Promise<Result<void>> {
  // A repository that is missing is created.
  const usable = await to.place.check()
  if (!usable.ok) return usable
  const files: BackupFile[] = []
  const chunks: Record<string, readonly string[]> = {}
  for (const file of backup.files ?? []) {
    const source = await from.source(backup, file, signal)
    if (!source.ok) return source
    const plain = file.name.replace(/(\.gz|\.zst)?(\.age)?$/, '')
    const name = storedName(plain, 'none', false)
    const sink = {
      ...({ type: 'stored', place, path: `${backup.path}/${name}`, compression: 'none' } as const),
      tags: [`cluster:${backup.cluster}`, `backup:${backup.id}`, `tool:${backup.tool}`],
    }
    const copied = await startTransfer({ source: source.value, sink, deadlineMs }, { signal }).done
    if (!copied.ok) return copied
    files.push({ name, size: copied.value.storedBytes, checksum: copied.value.checksum })
    chunks[name] = copied.value.chunks
  }
  const { encryption: _, ...plain } = backup
  const size = files.reduce((sum, file) => sum + file.size, 0)
  const kept = await to.keep({ ...plain, place: place.kind, compression: 'none', files, size }, signal, chunks)
  if (kept.ok) log(`Backup ${backup.id} is in the archive (${place.kind}), too`)
  return kept.ok ? done : kept
}
