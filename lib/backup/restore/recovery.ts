// One recovery from its beginning to its end: a backup into a scratch server, stored logs up to a point, then what is asked of the result.
import { mkdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { fail, ok, type Result } from '../../base/result.js'
import { now, SECOND, sleep } from '../../base/time.js'
import { clientOptions } from '../../connect/sql/client-options.js'
import type { SqlTarget } from '../../connect/sql/session.js'
import type { BackupProof, ProofCheck } from '../../model/backup.js'
import type { RecoveryTarget } from '../../model/operation/recovery.js'
import { readTerms } from '../binlog/term.js'
import { planReplay, type ReplayPlan } from './chain.js'
import { dumpScratch, loadScratch } from './load.js'
import { type RestoreRun, replay, type Tools } from './replay.js'
import { restoreFiles, restoreStatements, type StoredCopy } from './restore.js'
import { checkTables, readSampled, type Sample, takeSample } from './sample.js'
import { initialise, openScratch, type Scratch } from './scratch.js'

export interface RecoveryOrder {
  readonly cluster: string
  /** A full backup, then the incremental ones that continue it. */
  readonly copies: readonly StoredCopy[]
  /** Where binary logs are stored; absent: none are, the backup alone is restored. */
  readonly logs?: string
  readonly target?: RecoveryTarget
  /** Absolute; of this recovery alone. */
  readonly scratch: string
  readonly tools: Tools
  readonly loadThreads: number
  readonly loadOptions: readonly string[]
  readonly purpose: /** Compares with tables of this server; absent: nothing to compare with. */
    | { readonly type: 'prove'; readonly source?: SqlTarget }
    /** Tables of one schema into a file: all of them when none is named. */
    | { readonly type: 'dump'; readonly schema: string; readonly tables: readonly string[]; readonly file: string }
    /**
     * Replaces the schemas of a server that is in no use; what it held is dumped to `saved` before, unless it is a new one. `aside`:
     * the server is to be a primary, and these GTIDs are not to be given again.
     */
    | {
        readonly type: 'load'
        readonly onto: SqlTarget
        readonly saved?: string
        readonly aside?: string
        /** The server is new: it gets the accounts of the backup that it does not have. */
        readonly accounts?: boolean
      }
  readonly deadlineMs: number
}

export interface RecoveryReport {
  /** Until the restored server answered with everything replayed, milliseconds. */
  readonly restoreMs: number
  /** The position of the restored data. */
  readonly position: string
  /** Time of the last replayed transaction, milliseconds since the epoch. */
  readonly replayedTo?: number
  readonly last?: string
  /** The first transaction that was not replayed. */
  readonly next?: string
  /** Transactions of a lost primary that its successor did not have: not a part of this history. */
  readonly left: readonly string[]
  readonly proof?: BackupProof
  /** A dump, or the copy of what was replaced. */
  readonly file?: string
  readonly fileBytes?: number
}

/** How long the storing may take to receive the transaction of a sample. */
const STORED_MS = 60 * SECOND

/** Whatever happens, the scratch server is gone at the end. */
export async function recover(order: RecoveryOrder, run: RestoreRun): Promise<Result<RecoveryReport>> {
  const backup = order.copies.at(-1)?.backup
  if (!backup) return fail('no-recovery', 'no backup is chosen')
  const opened = await openScratch({
    ...{ directory: order.scratch, flavour: backup.flavour, versionText: backup.version },
    ...{ signal: run.signal, log: run.log },
  })
  if (!opened.ok) return opened
  const scratch = opened.value
  try {
    return await recoverInto(order, scratch, run)
  } catch (error) {
    return fail('restore-failed', error instanceof Error ? error.message : String(error))
  } finally {
    await scratch.remove()
  }
}

interface Restored {
  readonly startedAt: number
  readonly restoreMs: number
  readonly plan?: ReplayPlan
  readonly sample?: Sample
  readonly notes: readonly ProofCheck[]
}

async function recoverInto(order: RecoveryOrder, scratch: Scratch, run: RestoreRun): Promise<Result<RecoveryReport>> {
  const sampled = await sample(order, run)
  const startedAt = now()
  const restored = await restoreBackup(order, scratch, run)
  if (!restored.ok) return order.purpose.type === 'prove' ? refuted(restored.failure, startedAt) : restored
  const planned = await planTo(order, sampled.sample, run)
  if (!planned.ok) return order.purpose.type === 'prove' ? refuted(planned.failure, startedAt) : planned
  const plan = planned.value
  if (plan) {
    const replayed = await replay(
      {
        ...{ plan, tools: order.tools, login: await writeLogin(scratch), deadlineMs: order.deadlineMs },
        flavour: order.copies[0]?.backup.flavour ?? 'mariadb',
        directory: path.join(scratch.directory, 'logs'),
      },
      run,
    )
    if (!replayed.ok) return order.purpose.type === 'prove' ? refuted(replayed.failure, startedAt) : replayed
  }
  const done = { startedAt, restoreMs: now() - startedAt, notes: sampled.notes, ...(plan ? { plan } : {}) }
  return finish(order, { scratch, run }, sampled.sample && plan ? { ...done, sample: sampled.sample } : done)
}

async function sample(
  { purpose, logs, copies }: RecoveryOrder,
  run: RestoreRun,
): Promise<{ readonly sample?: Sample; readonly notes: readonly ProofCheck[] }> {
  const not = (why: string) => ({ notes: [{ name: 'comparison', passed: true, detail: `not compared: ${why}` }] })
  if (purpose.type !== 'prove') return { notes: [] }
  if (!purpose.source) return not('no server to compare with answers')
  if (copies[0]?.backup.flavour !== 'mariadb')
    return not('MySQL does not name the transaction of a snapshot without a lock')
  if (logs === undefined) return not('no binary logs are stored (backup-binlogs), so the tables have changed since')
  const taken = await takeSample(purpose.source)
  if (!taken.ok) return not(taken.failure.message)
  run.log(`${taken.value.tables.length} tables read at ${taken.value.gtid}`)
  return { sample: taken.value, notes: [] }
}

async function restoreBackup(order: RecoveryOrder, scratch: Scratch, run: RestoreRun): Promise<Result<void>> {
  const { copies, deadlineMs, tools, loadThreads, loadOptions } = order
  const [first] = copies
  if (!first) return fail('no-recovery', 'no backup is chosen')
  const work = path.join(scratch.directory, 'work')
  if (first.backup.kind === 'physical') {
    const files = await restoreFiles({ copies, data: scratch.data, work, deadlineMs }, run)
    return files.ok ? scratch.start() : files
  }
  const made = await initialise(scratch, first.backup.flavour, run.signal)
  if (!made.ok) return made
  const started = await scratch.start()
  if (!started.ok) return started
  const login = await writeLogin(scratch)
  const loaded = await restoreStatements({ copy: first, tools, login, work, loadThreads, loadOptions, deadlineMs }, run)
  if (!loaded.ok) return loaded
  // The dump may have replaced the accounts: a start creates the one of the scratch server again.
  await scratch.stop()
  return scratch.start()
}

async function writeLogin(scratch: Scratch): Promise<string> {
  const file = path.join(scratch.directory, 'login.cnf')
  await writeFile(file, clientOptions(scratch.target), { mode: modeOf('login') })
  return file
}

/** The way from the backup to the target; a proof goes to the transaction of its sample. */
async function planTo(
  { logs, target, copies, purpose }: RecoveryOrder,
  sample: Sample | undefined,
  run: RestoreRun,
): Promise<Result<ReplayPlan | undefined>> {
  const position = copies.at(-1)?.backup.position
  // The end of what is stored is then the backup itself.
  if (logs === undefined)
    return target && target.type !== 'end'
      ? fail('no-recovery', 'no binary logs are stored (backup-binlogs): only the state of the backup can be restored')
      : ok(undefined)
  if (!position) return target ? fail('no-recovery', 'the position of the backup is not known') : ok(undefined)
  const chosen: RecoveryTarget | undefined =
    target ??
    (sample
      ? { type: 'gtid', gtid: sample.gtid, inclusive: true }
      : purpose.type === 'prove'
        ? { type: 'end' }
        : undefined)
  if (!chosen) return ok(undefined)
  if (sample?.gtid === position.gtid && !target) return ok(undefined)
  const until = performance.now() + STORED_MS
  for (;;) {
    const terms = await readTerms(logs)
    if (!terms.ok) return terms
    const planned = await planReplay({
      ...{ directory: logs, terms: terms.value, position: position.gtid, target: chosen },
      startedAt: copies.at(-1)?.backup.startedAt ?? 0,
    })
    if (planned.ok || !sample || target || run.signal.aborted || performance.now() > until) return planned
    await sleep(SECOND, run.signal)
  }
}

async function finish(
  order: RecoveryOrder,
  { scratch, run }: { readonly scratch: Scratch; readonly run: RestoreRun },
  restored: Restored,
): Promise<Result<RecoveryReport>> {
  const { plan, restoreMs } = restored
  const report: RecoveryReport = {
    ...{ restoreMs, left: plan?.left ?? [] },
    position: plan?.position ?? order.copies.at(-1)?.backup.position?.gtid ?? '',
    ...(plan?.last ? { replayedTo: plan.last.at, last: plan.last.gtid } : {}),
    ...(plan?.next ? { next: plan.next.gtid } : {}),
  }
  const { purpose } = order
  if (purpose.type === 'prove') return ok({ ...report, proof: await judge(scratch, restored) })
  const login = await writeLogin(scratch)
  const flavour = order.copies[0]?.backup.flavour ?? 'mariadb'
  const [file, made] =
    purpose.type === 'dump'
      ? [
          purpose.file,
          await dumpScratch({ ...purpose, flavour, login, tools: order.tools, deadlineMs: order.deadlineMs }, run),
        ]
      : [
          purpose.saved,
          await loadScratch(
            {
              ...{ onto: purpose.onto, scratch, login, position: report.position },
              ...(purpose.saved === undefined ? {} : { saved: purpose.saved }),
              ...{ tools: order.tools, deadlineMs: order.deadlineMs },
              flavour,
              ...(purpose.aside === undefined ? {} : { aside: purpose.aside }),
              accounts: purpose.accounts ?? false,
            },
            run,
          ),
        ]
  if (!made.ok) return made
  if (file === undefined) return ok(report)
  const size = await stat(file).catch(() => undefined)
  return ok({ ...report, file, fileBytes: size?.size ?? 0 })
}

/** What the restored server shows. */
async function judge(scratch: Scratch, { sample, notes, plan, restoreMs }: Restored): Promise<BackupProof> {
  const checks: ProofCheck[] = [{ name: 'start', passed: true, detail: `a server of ${scratch.version} started on it` }]
  if (plan?.last) checks.push({ name: 'replay', passed: true, detail: `binary logs replayed to ${plan.last.gtid}` })
  const checked = await checkTables(scratch.target)
  const broken = checked.ok ? checked.value.filter(({ problem }) => problem !== '') : []
  const detail = checked.ok
    ? broken.map(({ schema, table, problem }) => `${schema}.${table}: ${problem}`).join('; ') ||
      `${checked.value.length} tables are whole`
    : checked.failure.message
  checks.push({ name: 'tables', passed: checked.ok && broken.length === 0, detail })
  if (sample) checks.push(await compare(scratch, sample))
  checks.push(...notes)
  const result = checks.every(({ passed }) => passed) ? 'proven' : 'refuted'
  return { at: now(), result, restoreMs, checks, ...(plan?.last ? { replayedTo: plan.last.at } : {}) }
}

async function compare(scratch: Scratch, sample: Sample): Promise<ProofCheck> {
  const name = 'comparison'
  const read = await readSampled(scratch.target, sample.tables)
  if (!read.ok) return { name, passed: false, detail: read.failure.message }
  const different = sample.tables.filter((table, index) => {
    const other = read.value[index]
    return other?.checksum !== table.checksum || other.rows !== table.rows
  })
  const rows = sample.tables.reduce((sum, table) => sum + table.rows, 0)
  if (different.length === 0)
    return {
      name,
      passed: true,
      detail: `${sample.tables.length} tables with ${rows} rows equal the source at ${sample.gtid}`,
    }
  const named = different.map(({ schema, table }) => `${schema}.${table}`).join(', ')
  return { name, passed: false, detail: `at ${sample.gtid} these differ from the source: ${named}` }
}

/** A proof that ended before it could be judged: its cause is its result. */
function refuted(
  failure: { readonly code: string; readonly message: string },
  startedAt: number,
): Result<RecoveryReport> {
  const checks = [{ name: 'restore', passed: false, detail: `${failure.code}: ${failure.message}` }]
  const proof: BackupProof = { at: now(), result: 'refuted', restoreMs: now() - startedAt, checks }
  return ok({ restoreMs: proof.restoreMs, position: '', left: [], proof })
}

/** Where recoveries of a cluster have their scratch servers. */
export async function scratchRoot(datadir: string, cluster: string): Promise<string> {
  const root = path.resolve(datadir, 'backups', cluster, 'scratch')
  await mkdir(root, { recursive: true, mode: modeOf('stateFolder') })
  return root
}
