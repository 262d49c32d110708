// The backups of a cluster in one place: read from their records, kept, removed, verified.
import { createLimit } from '../../base/limit.js'
import { done, type Failure, fail, ok, type Result } from '../../base/result.js'
import type { Backup, BackupFile } from '../../model/backup.js'
import type { Place, PlaceConfig, PlacedFile } from '../place/place.js'
import { openPlace } from '../place/places.js'
import { CHUNK_BYTES, type StoredSource, startTransfer, type TransferHooks } from '../stream/index.js'
import { backupFolder, CHUNKS, folderOf, RECORD, recordName } from './names.js'
import { parseRecord, renderRecord } from './record.js'

export interface CatalogueReading {
  /** Oldest first. */
  readonly backups: readonly Backup[]
  /** Files of folders without a record: of backups that run, or were interrupted. */
  readonly unfinished: readonly string[]
  /** Records that cannot be read. */
  readonly unreadable: readonly Failure[]
}

/** What a file of a backup must be when it is read. */
interface Chunks {
  readonly chunkBytes: number
  readonly checksums: readonly string[]
}

/** Records read at a time. */
const PARALLEL = 4

export class Catalogue {
  readonly place: Place
  readonly #config: PlaceConfig
  readonly #cluster: string
  readonly #keyFile: string
  /** Records are read once: what changed has another time or size. */
  readonly #known = new Map<string, { readonly version: string; readonly backup: Result<Backup> }>()

  /** `keyFile`: the keys of the cluster's backups. */
  constructor(config: PlaceConfig, cluster: string, keyFile: string) {
    this.place = openPlace(config)
    this.#config = config
    this.#cluster = cluster
    this.#keyFile = keyFile
  }

  async read(signal: AbortSignal): Promise<Result<CatalogueReading>> {
    const listed = await this.place.list(this.#cluster)
    if (!listed.ok) return listed
    const records = listed.value.filter(({ path }) => path.endsWith(RECORD))
    const limit = createLimit(PARALLEL)
    const read = await Promise.all(records.map((file) => limit.run(() => this.#record(file, signal))))
    this.#forget(records)
    const recorded = new Set(records.map(({ path }) => folderOf(path)))
    const isUnfinished = ({ path }: PlacedFile) => folderOf(path) !== undefined && !recorded.has(folderOf(path))
    return ok({
      backups: read.flatMap((each) => (each.ok ? [each.value] : [])).sort((a, b) => a.startedAt - b.startedAt),
      unfinished: listed.value.filter(isUnfinished).map(({ path }) => path),
      unreadable: read.flatMap((each) => (each.ok ? [] : [each.failure])),
    })
  }

  /**
   * Writes the record: from now on it is a backup. `chunks`: of each of its files, by name, as the transfers reported them; only
   * with the first record, a later one changes what is known of it.
   */
  async keep(
    { also: _, ...backup }: Backup,
    signal: AbortSignal,
    chunks: Readonly<Record<string, readonly string[]>> = {},
  ): Promise<Result<void>> {
    const folder = backupFolder(backup)
    for (const [name, checksums] of Object.entries(chunks)) {
      const text = JSON.stringify({ chunkBytes: CHUNK_BYTES, checksums } satisfies Chunks)
      const written = await this.place.putText(`${folder}/${name}${CHUNKS}`, text, { signal })
      if (!written.ok) return written
    }
    const tags = [`cluster:${backup.cluster}`, `backup:${backup.id}`, `tool:${backup.tool}`]
    return this.place.putText(`${folder}/${recordName(backup)}`, renderRecord(backup), { signal, tags })
  }

  /** The record first: what an interruption leaves is no backup any more. */
  async remove(backup: Backup): Promise<Result<void>> {
    const listed = await this.place.list(folderOfBackup(backup))
    if (!listed.ok) return listed
    const paths = this.#filesOf(backup, listed.value)
    const records = paths.filter((path) => path.endsWith(RECORD))
    if (records.length > 0) {
      const removed = await this.place.remove(records)
      if (!removed.ok) return removed
    }
    return this.place.remove(paths.filter((path) => !path.endsWith(RECORD)))
  }

  /** Removes what interrupted backups left, except of those that run: their ids. Answers how many files went. */
  async tidy(running: readonly number[], signal: AbortSignal): Promise<Result<number>> {
    const tidied = await this.place.tidy(this.#cluster)
    if (!tidied.ok) return tidied
    const reading = await this.read(signal)
    if (!reading.ok) return reading
    const isRunning = (path: string) => running.some((id) => folderOf(path)?.endsWith(`/${id}`))
    const left = reading.value.unfinished.filter((path) => !isRunning(path))
    if (left.length === 0) return ok(0)
    const removed = await this.place.remove(left)
    return removed.ok ? ok(left.length) : removed
  }

  /** A file of a backup as the source of a transfer, which compares it with its record. */
  async source(backup: Backup, file: BackupFile | undefined, signal: AbortSignal): Promise<Result<StoredSource>> {
    const { compression, encryption } = backup
    const end = {
      ...({ type: 'stored', place: this.#config, compression } as const),
      ...(encryption ? { encryption: { keyFile: this.#keyFile } } : {}),
    }
    // Of an earlier system: one file, nothing is known of its chunks.
    if (!file) return ok({ ...end, path: backup.path })
    const path = `${backupFolder(backup)}/${file.name}`
    const text = await this.place.getText(path + CHUNKS, signal)
    const chunks = text.ok ? readChunks(text.value) : undefined
    return ok({ ...end, path, checksum: file.checksum, ...(chunks ? { chunks } : {}) })
  }

  /** Reads all of it, and compares every chunk with its record. */
  async verify(backup: Backup, hooks: TransferHooks, deadlineMs: number): Promise<Result<void>> {
    for (const file of backup.files ?? [undefined]) {
      const source = await this.source(backup, file, hooks.signal)
      if (!source.ok) return source
      const read = await startTransfer({ source: source.value, sink: { type: 'discard' }, deadlineMs }, hooks).done
      if (!read.ok) return read
      if (file && read.value.storedBytes !== file.size)
        return fail('checksum-differs', `${file.name}: ${read.value.storedBytes} bytes, the record has ${file.size}`)
    }
    return done
  }

  async #record(file: PlacedFile, signal: AbortSignal): Promise<Result<Backup>> {
    const version = `${file.at} ${file.bytes}`
    const known = this.#known.get(file.path)
    if (known?.version === version) return known.backup
    const text = await this.place.getText(file.path, signal)
    if (!text.ok) return text
    const backup = parseRecord(text.value, { cluster: this.#cluster, place: this.place.kind, path: file.path })
    this.#known.set(file.path, { version, backup })
    return backup
  }

  #forget(records: readonly PlacedFile[]): void {
    const present = new Set(records.map(({ path }) => path))
    for (const path of this.#known.keys()) if (!present.has(path)) this.#known.delete(path)
  }

  /** All below its folder; of an earlier system the file and its record. */
  #filesOf(backup: Backup, listed: readonly PlacedFile[]): readonly string[] {
    if (folderOf(`${backup.path}/`) !== undefined) return listed.map(({ path }) => path)
    const record = `${backup.path.split('/').slice(0, -1).join('/')}/${recordName(backup)}`
    return listed
      .map(({ path }) => path)
      .filter((path) => path === record || path === backup.path || path.startsWith(`${backup.path}/`))
  }
}

/** What is listed to find the files of a backup. */
const folderOfBackup = (backup: Backup): string =>
  folderOf(`${backup.path}/`) ?? backup.path.split('/').slice(0, -1).join('/')

function readChunks(text: string): readonly string[] | undefined {
  try {
    const { chunkBytes, checksums } = JSON.parse(text) as Chunks // written by `keep`
    return chunkBytes === CHUNK_BYTES ? checksums : undefined
  } catch {
    return undefined
  }
}
