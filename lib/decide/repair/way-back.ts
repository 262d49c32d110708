// Which ways back a server has that cannot simply follow, what each costs, and the cheapest that is safe.
import { counted } from '../../base/counted.js'
import { SECOND } from '../../base/time.js'
import {
  type ReturnAttempt,
  type ReturnCause,
  type ReturnMethod,
  type ReturnPlan,
  returnMethods,
  type TailFacts,
  type Way,
} from '../../model/operation/way-back.js'
import { contains, countTransactions, formatSet, type GtidSet, isEmpty } from '../../model/server/gtid.js'
import type { ServerId } from '../../model/server/server.js'
import type { Flavour } from '../../model/server/version.js'
import { countOf } from '../situation/history/holdings.js'

/** The settings that permit a way without a request. */
export interface ReturnSettings {
  readonly 'autorejoin-flashback': boolean
  readonly 'autorejoin-flashback-on-sync': boolean
  readonly 'autorejoin-flashback-on-unsync': boolean
  readonly 'autorejoin-mysqldump': boolean
  readonly 'autorejoin-logical-backup': boolean
  readonly 'autorejoin-physical-backup': boolean
  readonly 'autorejoin-zfs-flashback': boolean
  readonly 'autorejoin-force-restore': boolean
  readonly autoseed: boolean
  readonly 'backup-load-script': string
}

/** A stored backup that could be restored on the server. */
export interface BackupFacts {
  readonly text: string
  /** As stored, and before compression. */
  readonly bytes: number
  readonly rawBytes: number
  /** Duration of its latest proof, milliseconds. */
  readonly provenMs?: number
  /** Why it cannot be used, where that is known. */
  readonly unfit?: string
}

export interface ReturnFacts {
  readonly server: ServerId
  readonly name: string
  readonly flavour: Flavour
  readonly cause: ReturnCause
  readonly reason: string
  /** The error at which its applier stopped: it would stop there again. */
  readonly halt?: string
  /** What only it has. */
  readonly extra: GtidSet
  /** What of it is certainly its own: that is counted and shown. */
  readonly certain: GtidSet
  /** The new primary acknowledged for it when it took over; absent: no crash record says so. */
  readonly inSync?: boolean
  /** Where its history left that of the primary is recorded. */
  readonly forkKnown: boolean
  /** Absent: not saved yet. */
  readonly tail?: TailFacts
  /** Transactions of its own are not to be saved (`autorejoin-backup-binlog`). */
  readonly unsaved?: boolean
  /** Absent: none answers that can be read. */
  readonly source?: {
    readonly server: ServerId
    readonly name: string
    readonly isPrimary: boolean
    readonly bytes?: number
  }
  /** The orchestrator rebuilds servers here; a text: why not. */
  readonly renewal: true | string
  readonly backups: { readonly logical: BackupFacts | string; readonly physical: BackupFacts | string }
  /** Whether the file system of its data has a snapshot of before it left the history of the cluster; a text: why not. */
  readonly snapshots: true | string
  /** The manager can run the tools of a method on its host; a text: which one is missing. */
  readonly tools: { readonly flashback: true | string; readonly dump: true | string }
}

export interface ReturnRequest {
  /** By a person: the settings are not asked. */
  readonly method?: ReturnMethod
}

/** A judgement of one method: what allows it, or why it is not possible. */
type Judged = Pick<Way, 'allowed' | 'why'> & Partial<Pick<Way, 'source' | 'bytes' | 'estimateMs'>>

interface Row {
  readonly replaces: boolean
  readonly load: Way['load']
  /** The setting that permits it without a person. */
  readonly permitted: (facts: ReturnFacts, settings: ReturnSettings) => string | undefined
  /** What is missing for it. */
  readonly missing: (facts: ReturnFacts, settings: ReturnSettings) => string | undefined
  readonly cost: (facts: ReturnFacts) => Partial<Pick<Way, 'source' | 'bytes' | 'estimateMs'>>
}

/** Bytes a second that each way is assumed to move on a small host, and what each takes besides, milliseconds: for comparison. */
const pace = {
  flashback: { perSecond: 4_000_000, fixedMs: 3 * SECOND },
  rebuild: { perSecond: 80_000_000, fixedMs: 15 * SECOND },
  dump: { perSecond: 15_000_000, fixedMs: 5 * SECOND },
  logical: { perSecond: 15_000_000, fixedMs: 8 * SECOND },
  physical: { perSecond: 60_000_000, fixedMs: 15 * SECOND },
  zfs: { perSecond: 80_000_000, fixedMs: 15 * SECOND },
} as const

const timed = (bytes: number | undefined, { perSecond, fixedMs }: (typeof pace)[keyof typeof pace]) =>
  bytes === undefined ? {} : { bytes, estimateMs: Math.round(fixedMs + (bytes / perSecond) * SECOND) }

const on = (name: string, value: boolean): string | undefined => (value ? `${name} is on` : undefined)

/** `autoseed` permits every copy to an empty server. */
const seeds = ({ cause }: ReturnFacts, settings: ReturnSettings): string | undefined =>
  cause === 'empty' ? on('autoseed', settings.autoseed) : undefined

const fromSource = ({ source }: ReturnFacts) =>
  source ? { source: source.server, ...(source.bytes === undefined ? {} : { bytes: source.bytes }) } : {}

const reason = (given: true | string): string | undefined => (given === true ? undefined : given)

const noSource = ({ source }: ReturnFacts): string | undefined =>
  source ? undefined : 'no server answers that can be copied'

const rows: Readonly<Record<ReturnMethod, Row>> = {
  direct: {
    replaces: false,
    load: 'light',
    permitted: () => 'it replicates from where it is',
    missing: ({ cause, reason: text, halt }) =>
      cause !== 'asked' ? text : halt === undefined ? undefined : `its applier stopped at ${halt}`,
    cost: () => ({ bytes: 0, estimateMs: SECOND }),
  },
  flashback: {
    replaces: false,
    load: 'light',
    permitted: flashbackPermitted,
    missing: flashbackMissing,
    cost: ({ tail, source }) => ({
      ...(source ? { source: source.server } : {}),
      ...timed(tail?.bytes, pace.flashback),
    }),
  },
  rebuild: {
    replaces: true,
    load: 'heavy',
    permitted: (facts, settings) =>
      on('autorejoin-physical-backup', settings['autorejoin-physical-backup']) ?? seeds(facts, settings),
    missing: (facts) => noSource(facts) ?? reason(facts.renewal),
    cost: (facts) => ({ ...fromSource(facts), ...timed(facts.source?.bytes, pace.rebuild) }),
  },
  dump: {
    replaces: true,
    load: 'heavy',
    permitted: (facts, settings) =>
      on('autorejoin-mysqldump', settings['autorejoin-mysqldump']) ?? seeds(facts, settings),
    missing: (facts) => noSource(facts) ?? reason(facts.tools.dump),
    cost: (facts) => ({ ...fromSource(facts), ...timed(facts.source?.bytes, pace.dump) }),
  },
  'logical-backup': backupRow('logical', 'autorejoin-logical-backup'),
  'physical-backup': backupRow('physical', 'autorejoin-physical-backup'),
  zfs: {
    replaces: true,
    load: 'none',
    permitted: (_, settings) => on('autorejoin-zfs-flashback', settings['autorejoin-zfs-flashback']),
    missing: ({ cause, snapshots }) =>
      cause === 'purged' ? 'a snapshot of its data is older than what it has' : reason(snapshots),
    cost: () => timed(0, pace.zfs),
  },
  script: {
    replaces: true,
    load: 'heavy',
    permitted: (_, settings) => (settings['backup-load-script'] === '' ? undefined : 'backup-load-script is set'),
    missing: (facts, settings) =>
      settings['backup-load-script'] === '' ? 'backup-load-script is not set' : noSource(facts),
    cost: ({ source }) => (source ? { source: source.server } : {}),
  },
}

function backupRow(
  kind: 'logical' | 'physical',
  setting: 'autorejoin-logical-backup' | 'autorejoin-physical-backup',
): Row {
  return {
    replaces: true,
    load: 'light',
    permitted: (facts, settings) => on(setting, settings[setting]) ?? seeds(facts, settings),
    missing: ({ backups }) => {
      const backup = backups[kind]
      return typeof backup === 'string' ? backup : backup.unfit
    },
    cost: ({ backups }) => {
      const backup = backups[kind]
      if (typeof backup === 'string') return {}
      const { bytes, estimateMs } = timed(backup.rawBytes, pace[kind])
      return { bytes: bytes ?? 0, estimateMs: backup.provenMs ?? estimateMs ?? 0 }
    },
  }
}

function flashbackPermitted({ inSync }: ReturnFacts, settings: ReturnSettings): string | undefined {
  if (!settings['autorejoin-flashback']) return undefined
  const name = inSync ? 'autorejoin-flashback-on-sync' : 'autorejoin-flashback-on-unsync'
  return settings[name] ? `autorejoin-flashback and ${name} are on` : undefined
}

function flashbackMissing(facts: ReturnFacts): string | undefined {
  const { cause, flavour, forkKnown, tail, extra } = facts
  if (cause !== 'diverged') return 'it has nothing of its own to undo'
  if (flavour !== 'mariadb') return 'only mariadb-binlog can reverse a binary log'
  if (!forkKnown) return 'no crash record says where its history left that of the primary'
  const without = noSource(facts) ?? reason(facts.tools.flashback)
  if (without !== undefined) return without
  if (!tail) return undefined
  if (tail.unfit !== undefined) return tail.unfit
  if (!contains(extra, tail.gtids)) return `its saved binary log holds more than it has alone: ${formatSet(tail.gtids)}`
  return undefined
}

/** Every way, in the order of the table; what a person asks for needs no setting. */
export function judgeWays(facts: ReturnFacts, settings: ReturnSettings, request: ReturnRequest = {}): readonly Way[] {
  return returnMethods.map((method): Way => {
    const row = rows[method]
    const judged: Judged = { ...judge(method, facts, { settings, request }), ...row.cost(facts) }
    return { method, replaces: row.replaces, load: row.load, ...judged }
  })
}

function judge(
  method: ReturnMethod,
  facts: ReturnFacts,
  { settings, request }: { readonly settings: ReturnSettings; readonly request: ReturnRequest },
): Judged {
  const row = rows[method]
  const absent = row.missing(facts, settings) ?? unsafe(row, facts)
  if (absent !== undefined) return { allowed: false, why: absent }
  if (request.method === method) return { allowed: true, why: 'it was asked for' }
  if (request.method !== undefined) return { allowed: false, why: `${request.method} was asked for` }
  if (!row.replaces && settings['autorejoin-force-restore'])
    return { allowed: false, why: 'autorejoin-force-restore is on: its data are replaced in any case' }
  const permitted = row.permitted(facts, settings) ?? forced(row, facts, settings)
  return permitted === undefined
    ? { allowed: false, why: 'no setting permits it without a request' }
    : { allowed: true, why: permitted }
}

/** `autorejoin-force-restore` permits every copy to an old primary, unless another setting names one. */
function forced({ replaces }: Row, facts: ReturnFacts, settings: ReturnSettings): string | undefined {
  const wasPrimary = facts.inSync !== undefined
  if (!replaces || !wasPrimary || !settings['autorejoin-force-restore']) return undefined
  const isNamed = Object.values(rows).some((row) => row.replaces && row.permitted(facts, settings) !== undefined)
  return isNamed ? undefined : 'autorejoin-force-restore is on, and no other setting names a way'
}

/** What only it has is saved completely before anything of it is removed. */
function unsafe({ replaces }: Row, { extra, tail, unsaved }: ReturnFacts): string | undefined {
  if (isEmpty(extra)) return undefined
  if (tail)
    return replaces && !contains(tail.gtids, extra)
      ? `its transactions are not completely saved in ${tail.directory}: ${formatSet(extra)}`
      : undefined
  return unsaved ? 'its transactions are not saved: autorejoin-backup-binlog is off' : undefined
}

/** The cheapest way that is allowed and has not failed since; one whose duration is not known comes after those where it is. */
export function chooseWay(ways: readonly Way[], attempts: readonly ReturnAttempt[] = []): Way | undefined {
  const failed = new Set(attempts.map(({ method }) => method))
  const cost = ({ estimateMs = Number.MAX_SAFE_INTEGER }: Way) => estimateMs
  return ways
    .filter(({ allowed, method }) => allowed && !failed.has(method))
    .reduce<Way | undefined>((best, way) => (best && cost(best) <= cost(way) ? best : way), undefined)
}

/** What would be done for a server, for people. */
export function planReturn(facts: ReturnFacts, settings: ReturnSettings, request: ReturnRequest = {}): ReturnPlan {
  const ways = judgeWays(facts, settings, request)
  const chosen = chooseWay(ways)
  const { server, name, cause, extra, certain, tail } = facts
  return {
    id: ['return', server, cause, chosen?.method ?? 'none', formatSet(extra) || 'nothing'].join('/'),
    server,
    name,
    cause,
    reason: facts.reason,
    extra: formatSet(certain),
    extraCount: countTransactions(certain),
    ...(tail ? { saved: tail.directory } : {}),
    ways,
    ...(chosen ? { chosen: chosen.method } : {}),
    loss: lossOf(facts, chosen),
  }
}

function lossOf({ name, extra, certain, cause }: ReturnFacts, chosen: Way | undefined): string {
  if (!chosen) return `Nothing: ${name} stays as it is.`
  const own = isEmpty(extra) ? '' : `${countOf(extra, certain)} that only it has, which are saved first`
  if (!chosen.replaces) return own === '' ? 'Nothing.' : `On ${name}: ${own}.`
  const all =
    cause === 'empty' ? 'what is on it, which is no transaction of the cluster' : 'all data, which the source has'
  return `On ${name}: ${all}${own === '' ? '' : `, and ${own}`}.`
}

/** How long a server rests after every way failed: a minute, twice as long each time, at most an hour. */
export const restAfter = (rounds: number): number => Math.min(60, 2 ** Math.max(0, rounds - 1)) * 60 * SECOND

/** One line for the log: the ways that were not chosen. */
export const describeWays = (ways: readonly Way[]): string =>
  `${counted(ways.filter(({ allowed }) => allowed).length, 'way')} back: ${ways
    .map(({ method, allowed, why }) => `${method} ${allowed ? '' : 'not '}possible (${why})`)
    .join('; ')}`
