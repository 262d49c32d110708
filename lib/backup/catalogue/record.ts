// The record of a backup as a file: the fields that other systems write and read, and beside them the whole of it.
import * as z from 'zod'
import { fail, ok, type Result } from '../../base/result.js'
import { isoTime } from '../../base/time.js'
import { type Backup, type BackupTool, backupTools, type Compression } from '../../model/backup.js'

const LOGICAL = 1
const PHYSICAL = 2
const strategies = { full: 1, incremental: 2 } as const

/** `{tool}.meta.json`. */
export function renderRecord(backup: Backup): string {
  const { kind, tool, toolVersion, strategy, host, port, path, size, compression, encryption, position } = backup
  const wire = {
    id: backup.id,
    startTime: isoTime(backup.startedAt),
    endTime: isoTime(backup.endedAt ?? backup.startedAt),
    backupMethod: kind === 'logical' ? LOGICAL : PHYSICAL,
    backupTool: tool,
    ...{ toolVersion, backupStrategy: strategies[strategy] },
    source: `${host}:${port}`,
    ...{ dest: path, size, compressed: compression !== 'none', encrypted: encryption !== undefined },
    ...(encryption ? { encryptionAlgo: encryption.format, encryptionKey: encryption.key } : {}),
    checksum: backup.checksum ?? '',
    binLogFileName: position?.file ?? '',
    binLogFilePos: position?.offset ?? 0,
    binLogUuid: position?.gtid ?? '',
    completed: backup.state === 'valid',
    ...(backup.previous === undefined ? {} : { previous: backup.previous }),
  }
  return `${JSON.stringify({ ...wire, backup }, null, 2)}\n`
}

/** What an earlier system wrote; numbers may be texts. */
const wireSchema = z.looseObject({
  id: z.coerce.number(),
  startTime: z.string(),
  endTime: z.string().optional(),
  backupMethod: z.coerce.number(),
  backupTool: z.string(),
  toolVersion: z.string().optional(),
  backupStrategy: z.coerce.number().optional(),
  source: z.string().default(''),
  dest: z.string().default(''),
  size: z.coerce.number().default(0),
  compressed: z.boolean().default(false),
  encrypted: z.boolean().default(false),
  encryptionAlgo: z.string().optional(),
  checksum: z.string().optional(),
  binLogFileName: z.string().default(''),
  binLogFilePos: z.coerce.number().default(0),
  binLogUuid: z.string().default(''),
  completed: z.boolean().default(false),
  previous: z.coerce.number().optional(),
  backup: z.unknown().optional(),
})

type Wire = z.output<typeof wireSchema>

/** The part of a whole record that others rely on: the rest was written by this program. */
const wholeSchema = z.looseObject({
  id: z.number(),
  cluster: z.string(),
  tool: z.enum(backupTools),
  state: z.enum(['running', 'valid', 'failed']),
  startedAt: z.number(),
  path: z.string(),
  size: z.number(),
})

export interface RecordPlace {
  readonly cluster: string
  readonly place: Backup['place']
  /** Of the record, below the root of the place. */
  readonly path: string
}

/** Failure `file-unreadable`: no record, or of a tool that is not known. */
export function parseRecord(text: string, from: RecordPlace): Result<Backup> {
  const wire = wireSchema.safeParse(parseJson(text))
  if (!wire.success) return unreadable(from, 'it is no record of a backup')
  const whole = wholeSchema.safeParse(wire.data.backup)
  if (whole.success) return ok({ ...(whole.data as unknown as Backup), place: from.place }) // written by renderRecord
  return fromWire(wire.data, from)
}

function fromWire(wire: Wire, from: RecordPlace): Result<Backup> {
  const tool = backupTools.find((each) => each === wire.backupTool)
  if (!tool) return unreadable(from, `made by ${wire.backupTool}, which this version cannot restore`)
  const [, host = '', port = '0'] = /^(.*):(\d+)$/.exec(wire.source) ?? [undefined, wire.source]
  const [startedAt, endedAt] = [Date.parse(wire.startTime), Date.parse(wire.endTime ?? '')]
  const { size, checksum, binLogFileName: file, binLogFilePos: offset, binLogUuid: gtid } = wire
  return ok({
    ...{ id: wire.id, cluster: from.cluster, kind: wire.backupMethod === PHYSICAL ? 'physical' : 'logical', tool },
    ...{ toolVersion: wire.toolVersion ?? '', strategy: wire.backupStrategy === 2 ? 'incremental' : 'full' },
    ...(wire.previous === undefined || wire.previous === 0 ? {} : { previous: wire.previous }),
    ...{ server: '', host, port: Number(port), flavour: flavourOf(tool), version: '' },
    state: wire.completed ? 'valid' : 'failed',
    startedAt: Number.isNaN(startedAt) ? wire.id * 1000 : startedAt,
    ...(Number.isNaN(endedAt) ? {} : { endedAt }),
    ...{ place: from.place, path: earlierPath(wire.dest, from), size, rawSize: 0, compression: compressionOf(wire) },
    ...(wire.encrypted ? { encryption: { format: wire.encryptionAlgo ?? 'unknown', key: '' } } : {}),
    ...(checksum === undefined || checksum === '' ? {} : { checksum }),
    ...(file === '' && gtid === '' ? {} : { position: { gtid, file, offset } }),
    ...(wire.completed ? {} : { failure: 'its record says that it was not completed' }),
  } satisfies Backup)
}

/** Beside the record, whatever directory it was written in. */
const earlierPath = (dest: string, { path }: RecordPlace): string =>
  [...path.split('/').slice(0, -1), dest.split('/').at(-1) ?? ''].join('/')

const compressionOf = ({ compressed, dest }: Wire): Compression => {
  if (dest.endsWith('.zst')) return 'zstd'
  return compressed || dest.endsWith('.gz') ? 'gzip' : 'none'
}

const flavourOf = (tool: BackupTool): Backup['flavour'] => (tool === 'xtrabackup' ? 'mysql' : 'mariadb')

const unreadable = ({ path }: RecordPlace, reason: string): Result<never> =>
  fail('file-unreadable', `${path}: ${reason}`)

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
