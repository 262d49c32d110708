// Input of a configuration: tags and resources, read once from plain settings.
import * as z from 'zod'
import { fail, ok, type Result } from '../../base/result.js'

/** Shares in percent by name: `threads`, `innodb`, `myisam` … or `tmp`, `join`, `sort`. */
export type Shares = Readonly<Record<string, number>>

export interface Resources {
  /** Memory of one server, MB. */
  readonly memoryMb: number
  /** Split of the memory between the engines and the threads, percent. */
  readonly sharedPct: Shares
  /** Split of the threads' share, percent. */
  readonly threadedPct: Shares
  /** Disk of one server, GB. */
  readonly diskGb: number
  /** Input and output operations a second that the disk gives. */
  readonly iops: number
  readonly cores: number
  readonly maxConnections: number
  /** Days that binary logs are kept. */
  readonly expireLogDays: number
  /** GTID domain of the cluster (MariaDB). */
  readonly domainId: number
  /** How a Galera server gets its first copy of the data, and the port its group talks on. */
  readonly wsrepSstMethod: string
  readonly wsrepPort: number
  /** Port of MySQL's group replication. */
  readonly groupPort: number
}

export interface ConfigureSettings {
  readonly tags: readonly string[]
  readonly resources: Resources
}

/** The least memory that a server can be configured for, MB. */
export const LEAST_MEMORY_MB = 64

/**
 * Reads tags and resources from settings by their names (lists as text with commas or as arrays, numbers as text or
 * numbers; both spellings of a name). Names of other settings are ignored; `bad-configuration` lists what is wrong.
 */
export function readConfigureSettings(settings: Readonly<Record<string, unknown>>): Result<ConfigureSettings> {
  const read = schema.safeParse(Object.fromEntries(rows.map(([key, names]) => [key, firstOf(settings, names)])))
  if (!read.success) return fail('bad-configuration', read.error.issues.map(sentence).join('; '))
  const { tags, ...resources } = read.data
  return ok({ tags, resources })
}

/** The settings read here, the first spelling that is set wins. */
const rows: readonly [key: keyof z.input<typeof schema>, names: readonly string[]][] = [
  ['tags', ['prov-db-tags']],
  ['memoryMb', ['prov-db-memory']],
  ['sharedPct', ['prov-db-memory-shared-pct']],
  ['threadedPct', ['prov-db-memory-threaded-pct']],
  ['diskGb', ['prov-db-disk', 'prov-db-disk-size']],
  ['iops', ['prov-db-iops', 'prov-db-disk-iops']],
  ['cores', ['prov-db-cores', 'prov-db-cpu-cores']],
  ['maxConnections', ['prov-db-max-connections']],
  ['expireLogDays', ['prov-db-expire-log-days']],
  ['domainId', ['prov-db-domain']],
  ['wsrepSstMethod', ['replication-multi-master-wsrep-sst-method']],
  ['wsrepPort', ['replication-multi-master-wsrep-port']],
  ['groupPort', ['replication-multi-master-grouprep-port']],
]

/** Every name that `readConfigureSettings` reads: a change must be compared by these. */
export const configureSettingNames: readonly string[] = rows.flatMap(([, names]) => names)

function firstOf(settings: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  const name = names.find((each) => settings[each] !== undefined)
  return name === undefined ? undefined : settings[name]
}

const whole = (least: number, most: number) => z.coerce.number().int().min(least).max(most)

const list = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(/[,\s]+/).filter(Boolean) : value),
  z.array(z.string()),
)

const shares = z.preprocess(
  (value) =>
    typeof value === 'string'
      ? Object.fromEntries(value.split(',').map((part) => part.split(':').map((word) => word.trim())))
      : value,
  z.record(z.string().min(1), z.coerce.number().min(0).max(100)),
)

const schema = z.object({
  tags: list.default([
    ...['semisync', 'row', 'innodb', 'noquerycache', 'threadpool', 'slow', 'pfs', 'docker', 'linux', 'readonly'],
    ...['diskmonitor', 'sqlerror', 'compressbinlog'],
  ]),
  memoryMb: whole(LEAST_MEMORY_MB, 64 * 1024 * 1024).default(256),
  sharedPct: shares.default({
    ...{ threads: 16, innodb: 60, myisam: 10, aria: 10, rocksdb: 1, tokudb: 1, s3: 1, archive: 1, querycache: 0 },
  }),
  threadedPct: shares.default({ tmp: 70, join: 20, sort: 10 }),
  diskGb: whole(1, 1024 * 1024).default(20),
  iops: whole(1, 100_000_000).default(300),
  cores: whole(1, 4096).default(1),
  maxConnections: whole(1, 100_000).default(1000),
  expireLogDays: whole(0, 36_500).default(5),
  domainId: whole(0, 4_294_967_295).default(0),
  wsrepSstMethod: z.string().regex(/^\w+$/, 'is the name of a method').default('mariabackup'),
  wsrepPort: whole(1, 65_535).default(4567),
  groupPort: whole(1, 65_535).default(33_061),
})

function sentence(issue: z.core.$ZodIssue): string {
  const names = rows.find(([key]) => key === issue.path[0])?.[1] ?? []
  return `${[names[0], ...issue.path.slice(1)].join(' ')}: ${issue.message}`
}
