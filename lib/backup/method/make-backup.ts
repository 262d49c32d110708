// Makes one backup: checks its place, locks, copies, records. What fails leaves nothing that could be taken for a backup.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { done, fail, ok, type Result } from '../../base/result.js'
import { MINUTE, now, SECOND } from '../../base/time.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import { withSameServers } from '../../connect/sql/same-servers.js'
import { ensureWholeRows } from '../../connect/sql/whole-rows.js'
import { withApplied } from '../../dialect/shared/backup/backup-position.js'
import { appliedPosition } from '../../dialect/shared/backup/backups.js'
import type { Backup, BackupFile, Compression } from '../../model/backup.js'
import { renderSize } from '../../model/operation/job-progress.js'
import type { ServerId } from '../../model/server/server.js'
import { backupFolder, type Catalogue, storedName } from '../catalogue/index.js'
import type { BackupStorage } from '../place/from-settings.js'
import {
  ensureKeys,
  possibleCompression,
  startTransfer,
  type TransferReport,
  type TransferSource,
} from '../stream/index.js'
import { estimateSize } from './estimate.js'
import { type DdlLock, holdDdl } from './lock-ddl.js'
import { makeRoom } from './make-room.js'
import type {
  Copied,
  CopySource,
  HostRunner,
  Method,
  Copying as MethodOrder,
  MethodSettings,
  StoreOptions,
} from './method.js'
import { openScratch } from './scratch.js'
import type { Valve } from './valve.js'

export interface BackupRequest {
  readonly cluster: string
  readonly server: ServerId
  readonly source: CopySource
  /** As the server names its version. */
  readonly versionText: string
  readonly method: Method
  readonly settings: MethodSettings
  readonly lockDdl: boolean
  readonly storage: BackupStorage
  readonly catalogue: Catalogue
  /** Those that there are, newest last. */
  readonly backups: readonly Backup[]
  /** The backup that it continues; absent: a full one. */
  readonly previous?: Backup
  /** Where the private directory is created: on the manager's own disk. */
  readonly scratch: string
  readonly deadlineMs: number
}

export interface BackupRun {
  readonly signal: AbortSignal
  readonly log: (line: string) => void
  readonly progress: (figures: { readonly bytes: number; readonly totalBytes?: number }) => void
  readonly valve: Valve
  /** Runs a tool on the server's host. */
  readonly host: HostRunner
}

export async function makeBackup(request: BackupRequest, run: BackupRun): Promise<Result<Backup>> {
  const { source, catalogue } = request
  const prepared = await prepare(request, run)
  if (!prepared.ok) return prepared
  const opened = await openScratch(request.scratch)
  if (!opened.ok) return opened
  const scratch = opened.value
  try {
    const lock = await lockTables(request, run)
    if (!lock.ok) return lock
    const begun = beginRecord(request, prepared.value.compression)
    run.log(`${source.name}: ${begun.kind} backup ${begun.id} to ${begun.path} (${begun.place})`)
    const made = await copyInto({ request, run, begun, scratch, totalBytes: prepared.value.raw })
    lock.value.release()
    if (!made.ok) await catalogue.remove(begun)
    return made
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

interface Prepared {
  readonly compression: Compression
  /** Bytes before compression, as estimated. */
  readonly raw: number
}

async function prepare(request: BackupRequest, run: BackupRun): Promise<Result<Prepared>> {
  const { storage, catalogue, source, backups, method } = request
  const usable = await catalogue.place.check()
  if (!usable.ok) return usable
  if (storage.encryption) {
    const keys = await ensureKeys(storage.keyFile, now())
    if (!keys.ok) return keys
  }
  const compression = await possibleCompression(storage.compression)
  if (compression !== storage.compression) run.log(`${storage.compression} is not installed: ${compression} is used`)
  const data = await estimateSize(source.target)
  if (!data.ok) run.log(`The size of the data is not known: ${data.failure.message}`)
  const dataBytes = data.ok ? data.value : undefined
  const room = await makeRoom({ storage, catalogue, kind: method.kind, backups, dataBytes }, run.log)
  if (!room.ok) return room
  const like = backups.findLast(
    ({ kind, state, strategy }) => kind === method.kind && state === 'valid' && strategy === 'full',
  )
  return ok({ compression, raw: like?.rawSize ?? dataBytes ?? 0 })
}

async function lockTables(
  { lockDdl, method, source }: BackupRequest,
  { signal, log }: BackupRun,
): Promise<Result<DdlLock>> {
  if (!lockDdl || method.locksItself) return ok({ held: undefined, release: () => undefined })
  const lock = await holdDdl(source, signal)
  if (lock.ok && lock.value.held !== undefined) log(`${source.name}: changes of tables wait (${lock.value.held})`)
  return lock
}

function beginRecord(request: BackupRequest, compression: Compression): Backup {
  const { method, source, storage, backups, previous } = request
  const startedAt = now()
  const id = Math.max(Math.floor(startedAt / SECOND), ...backups.map((backup) => backup.id + 1))
  const at = { id, cluster: request.cluster, host: source.host, port: source.port }
  return {
    ...at,
    ...{ kind: method.kind, tool: method.tool, toolVersion: '', path: backupFolder(at) },
    strategy: previous ? 'incremental' : 'full',
    ...(previous ? { previous: previous.id } : {}),
    ...{ server: request.server, flavour: source.flavour, version: request.versionText },
    ...{ state: 'running', startedAt, place: storage.target.kind, size: 0, rawSize: 0, compression, files: [] },
  }
}

interface Copying {
  readonly request: BackupRequest
  readonly run: BackupRun
  readonly begun: Backup
  readonly scratch: string
  /** Before compression, as estimated. */
  readonly totalBytes: number
}

interface Stored {
  readonly file: BackupFile
  readonly report: TransferReport
}

async function copyInto(copying: Copying): Promise<Result<Backup>> {
  const { request, run, begun, scratch } = copying
  const { method, previous, catalogue } = request
  const stored: Stored[] = []
  const applied = await appliedBy(request.source)
  if (!applied.ok) return applied
  const readable = method.selectsRows ? await ensureWholeRows(request.source.target, 'backup-refused') : done
  if (!readable.ok) return readable
  const order: MethodOrder = {
    ...{ source: request.source, cluster: request.cluster, settings: request.settings, scratch },
    lockDdl: request.lockDdl,
    ...(previous ? { previous } : {}),
    host: run.host,
    store: async (source, file, options = {}) => {
      const report = await storeFile(copying, { source, file, options })
      if (report.ok) stored.push(report.value)
      return report.ok ? ok(report.value.report) : report
    },
    ...{ signal: run.signal, log: run.log, deadlineMs: request.deadlineMs },
    progress: (bytes) => run.progress({ bytes }),
  }
  const copied = await withSameServers([request.source.target], () => method.copy(order), { signal: run.signal })
  if (!copied.ok) return copied
  if (run.signal.aborted) return fail('backup-failed', 'it was ended before its record was written')
  const { position } = copied.value
  const whole = position && { ...position, gtid: withApplied(position.gtid, applied.value) }
  const backup = ended(begun, { ...copied.value, ...(whole ? { position: whole } : {}) }, stored)
  const chunks = Object.fromEntries(stored.map(({ file, report }) => [file.name, report.chunks]))
  const recorded = await catalogue.keep(backup, run.signal, chunks)
  return recorded.ok ? ok(backup) : recorded
}

/** What a replica has applied, as its position says; empty where positions do not name it. */
async function appliedBy({ flavour, target, binlog }: CopySource): Promise<Result<string>> {
  if (flavour !== 'mariadb' || !binlog) return ok('')
  const opened = await openSession(target)
  if (!opened.ok) return opened
  const { sql, values } = appliedPosition
  const read = await opened.value.run(sql, values, MINUTE)
  opened.value.close()
  return read.ok ? ok(String(read.value[0]?.[0]?.applied ?? '')) : read
}

interface Storing {
  readonly source: TransferSource
  readonly file: string
  readonly options: StoreOptions
}

async function storeFile(
  { request, run, begun, totalBytes }: Copying,
  { source, file, options }: Storing,
): Promise<Result<Stored>> {
  const { storage, deadlineMs } = request
  const { encryption, target: place } = storage
  const name = storedName(file, begun.compression, encryption !== undefined)
  const transfer = startTransfer(
    {
      source,
      sink: {
        ...{ type: 'stored', place, path: `${begun.path}/${name}`, compression: begun.compression },
        ...(encryption ? { encryption } : {}),
        tags: [`cluster:${begun.cluster}`, `backup:${begun.id}`, `tool:${begun.tool}`],
      },
      deadlineMs,
      ...(run.valve.limit === undefined ? {} : { limit: run.valve.limit }),
    },
    {
      signal: options.signal ?? run.signal,
      ...(options.listening ? { listening: options.listening } : {}),
      progress: ({ rawBytes }) => run.progress({ bytes: rawBytes, ...(totalBytes > rawBytes ? { totalBytes } : {}) }),
      line: (program, line) => run.log(`${path.basename(program)}: ${line}`),
    },
  )
  run.valve.attach(transfer)
  const report = await transfer.done
  if (!report.ok) return report
  const { storedBytes, checksum } = report.value
  return ok({ file: { name, size: storedBytes, checksum }, report: report.value })
}

function ended(begun: Backup, { toolVersion, position, lsn }: Copied, stored: readonly Stored[]): Backup {
  const [first] = stored
  return {
    ...begun,
    ...{ state: 'valid', endedAt: now(), toolVersion },
    size: stored.reduce((sum, { file }) => sum + file.size, 0),
    rawSize: stored.reduce((sum, { report }) => sum + report.rawBytes, 0),
    files: stored.map(({ file }) => file),
    ...(first ? { checksum: first.file.checksum } : {}),
    ...(first?.report.encryption ? { encryption: first.report.encryption } : {}),
    ...(position ? { position } : {}),
    ...(lsn ? { lsn } : {}),
  }
}

export const sizeLine = ({ size, rawSize }: Backup): string => `${renderSize(size)} of ${renderSize(rawSize)}`
