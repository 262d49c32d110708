// The steps by which all servers of a cluster come back at one point; each is remembered on disk before it begins.
import path from 'node:path'
import { splitWords } from '../../../lib/backup/method/words.js'
import { schemasOf } from '../../../lib/backup/restore/load.js'
import { scratchRoot } from '../../../lib/backup/restore/recovery.js'
import { startRecovery } from '../../../lib/backup/restore/start-recovery.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { DAY, isoTime, MINUTE, now, SECOND, sleep } from '../../../lib/base/time.js'
import { chooseChain } from '../../../lib/decide/backup/recovery.js'
import { channelOf } from '../../../lib/decide/situation/channel.js'
import { executedByOrigin } from '../../../lib/decide/situation/history/holdings.js'
import type { WorkServer } from '../../../lib/effect/returns/kit/work.js'
import { startReturnWork } from '../../../lib/effect/returns/start.js'
import type { Backup } from '../../../lib/model/backup.js'
import type { RunningRecovery } from '../../../lib/model/operation/cluster-recovery.js'
import type { Command } from '../../../lib/model/operation/command.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer, type ServerSnapshot } from '../../../lib/model/snapshot.js'
import type { Backups } from '../backups/backups.js'
import type { LogWatch } from '../backups/binlogs.js'
import type { JobQueue, JobRun } from '../backups/queue.js'
import { openCopies, recoveredDirectory, toolsOf } from '../backups/recovery.js'
import type { Keeper } from '../operations/remember.js'
import type { Cluster } from '../state/message/cluster.js'
import { targetOf } from '../state/message/wires.js'
import type { Watch } from '../watch/watch.js'

/** A running cluster whose servers are all brought back. */
export interface Returning extends Cluster {
  readonly queue: Pick<JobQueue, 'begin' | 'list' | 'redo'>
  readonly backups: Pick<Backups, 'list' | 'begin' | 'catalogueOf'>
  readonly logs: Pick<LogWatch, 'directory'>
  readonly keeper: Pick<Keeper, 'saved'>
  readonly watch: Pick<Watch, 'probeFresh'>
  readonly perform: (command: Command, signal: AbortSignal) => Promise<Result<string>>
}

/** Longest wait until what was written last is stored. */
const STORED_MS = 30 * SECOND
/** Retention removes no backup so long after a recovery began from it. */
const KEPT_MS = 30 * DAY
/** Longest wait until the filled servers follow. */
const FOLLOW_MS = 2 * MINUTE

/** From the stage that is remembered to the open cluster. Failures: those of the steps. */
export async function bringBack(actor: Returning, run: JobRun): Promise<Result<string>> {
  const { signal, log } = run
  const begun = current(actor)
  if (!begun) return fail('wrong-state', 'what was to be recovered is not remembered')
  log(`stage ${begun.stage}: point ${begun.id}`)
  let text = ''
  if (begun.stage === 'saving') {
    const closed = await closeAll(actor, begun, run)
    if (!closed.ok) return closed
    const server = findServer(actor.state.snapshot, begun.primary)
    if (!server) return fail('no-primary', 'the server that was the primary is gone')
    const schemas = await schemasOf(targetOf(server, actor.state))
    if (!schemas.ok) return schemas
    const isNew = schemas.value.length === 0
    if (isNew) log(`${server.name} has no schema: it gets the accounts of the backup, too`)
    const kept = await remember(actor, { stage: 'restoring', history: historyOf(server), isNew })
    if (!kept.ok) return kept
  }
  if (current(actor)?.stage === 'restoring') {
    const restored = await restorePrimary(actor, run)
    if (!restored.ok) return restored
    text = restored.value
    const kept = await remember(actor, { stage: 'refilling', filled: [] })
    if (!kept.ok) return kept
  }
  if (current(actor)?.stage === 'refilling') {
    const filled = await refillOthers(actor, run)
    const kept = filled.ok ? await remember(actor, { stage: 'opening' }) : filled
    if (!kept.ok) return kept
  }
  if (signal.aborted) return fail('job-cancelled', 'it was ended before the servers were opened')
  return open(actor, { run, text })
}

const current = (actor: Returning): RunningRecovery | undefined => actor.state.memory.restoring

/** On disk before the next statement. */
async function remember(actor: Returning, change: Partial<RunningRecovery>): Promise<Result<void>> {
  const before = current(actor)
  if (!before) return fail('job-cancelled', 'it was given up')
  actor.decide('keep-recovery', { kept: { ...before, ...change } })
  return actor.keeper.saved()
}

async function closeAll(actor: Returning, { primary, servers }: RunningRecovery, { signal, log }: JobRun) {
  log('closing every server for writes')
  for (const server of servers) {
    const type = server === primary ? 'fence' : 'make-read-only'
    const closed = await actor.perform({ type, server, timeoutMs: 5 * SECOND }, signal)
    if (!closed.ok) return closed
  }
  await untilStored(actor, { signal, log })
  for (const server of servers.filter((id) => id !== primary)) {
    const stopped = await actor.perform({ type: 'stop-replication', server }, signal)
    if (!stopped.ok) return stopped
  }
  await actor.watch.probeFresh()
  return done
}

/** Its GTIDs as text: of MariaDB the last one of each domain and origin. */
function historyOf(server: ServerSnapshot | undefined): string {
  if (!server?.state) return ''
  if (server.state.identity.flavour !== 'mariadb') return server.state.gtid.text.executed
  return Object.entries(executedByOrigin(server))
    .map(([stream, intervals]) => `${stream}-${intervals.at(-1)?.[1] ?? 0}`)
    .join(',')
}

/** What the primary wrote last stays viewable in the stored logs; the dump has it besides. */
async function untilStored(actor: Returning, { signal, log }: Pick<JobRun, 'signal' | 'log'>): Promise<void> {
  const asked = now()
  const isStored = () => (actor.state.logStorage?.completeAt ?? 0) > asked
  if (!actor.state.logStorage) return log('no binary logs are stored now: the dump alone keeps what is undone')
  while (!isStored() && !signal.aborted && now() - asked < STORED_MS) await sleep(SECOND / 10, signal)
  log(
    isStored()
      ? 'everything that was written is stored'
      : `the end of the log is not stored after ${STORED_MS / SECOND} s`,
  )
}

async function restorePrimary(actor: Returning, run: JobRun): Promise<Result<string>> {
  const { state, init } = actor
  const running = current(actor)
  const primary = findServer(state.snapshot, running?.primary)
  if (!running || !primary) return fail('no-primary', 'the server that was the primary is gone')
  const chain = chooseChain(actor.backups.list(), { ...running.wish })
  if (!chain.ok) return chain
  const outlives = await keepForLater(actor, chain.value, run.signal)
  if (!outlives.ok) return outlives
  const copies = await openCopies(chain.value, actor.backups, run.signal)
  if (!copies.ok) return copies
  const flavour = chain.value[0]?.flavour ?? 'mariadb'
  const { settings } = state
  const root = await scratchRoot(settings['monitoring-datadir'], init.name)
  const folder = await recoveredDirectory(actor)
  const stamp = isoTime(now()).slice(0, 19).replaceAll(':', '')
  const saved = path.join(folder, `before-${primary.host}_${primary.port}-${stamp}.sql.gz`)
  const recovered = await startRecovery(
    {
      ...{ cluster: init.name, copies: copies.value, scratch: path.join(root, String(run.id)) },
      ...{ logs: path.resolve(actor.logs.directory), target: running.wish.target, tools: toolsOf(settings, flavour) },
      loadThreads: settings['backup-logical-load-threads'],
      loadOptions: splitWords(settings['backup-myloader-options']),
      purpose: {
        type: 'load',
        onto: targetOf(primary, state),
        saved,
        aside: running.history,
        accounts: running.isNew ?? false,
      },
      deadlineMs: settings['backup-timeout'] * SECOND,
    },
    { signal: run.signal, log: run.log, progress: (bytes) => void run.progress({ bytes }) },
  )
  if (!recovered.ok) return recovered
  await actor.watch.probeFresh(primary.id)
  const { restoreMs, position, replayedTo, fileBytes = 0 } = recovered.value
  const kept = fileBytes > 0 ? await remember(actor, { saved }) : done
  if (!kept.ok) return kept
  const to = replayedTo === undefined ? 'the backup' : isoTime(replayedTo)
  const former = fileBytes > 0 ? `what was there: ${saved}` : 'nothing was there'
  return ok(`restored to ${to} (${position}) in ${(restoreMs / SECOND).toFixed(1)} s; ${former}`)
}

/** The point may have been the wrong one: what it began from outlives the backup that follows it. */
async function keepForLater(
  { backups }: Returning,
  chain: readonly Backup[],
  signal: AbortSignal,
): Promise<Result<void>> {
  for (const backup of chain) {
    const kept = await backups.catalogueOf(backup).keep({ ...backup, keptUntil: now() + KEPT_MS }, signal)
    if (!kept.ok) return kept
  }
  return done
}

/** One after the other: each is emptied first, its history before its data. */
async function refillOthers(actor: Returning, { signal, log, progress }: JobRun): Promise<Result<void>> {
  const running = current(actor)
  const source = findServer(actor.state.snapshot, running?.primary)
  if (!running || !source) return fail('no-primary', 'the server that was the primary is gone')
  for (const id of running.servers.filter((each) => each !== running.primary)) {
    if (current(actor)?.filled.includes(id)) continue
    const server = findServer(actor.state.snapshot, id)
    if (!server) continue
    log(`filling ${server.name} from ${source.name}`)
    const filled = await startReturnWork(
      {
        type: 'load-dump',
        directory: path.join(actor.init.directory, 'refill'),
        ...{ server: workServer(actor, server), source: workServer(actor, source) },
        ...{ dumpTool: '', clientTool: '', dumpOptions: [] },
      },
      { signal, log, progress: (figures) => void progress(figures) },
    )
    if (!filled.ok) return fail(filled.failure.code, `${server.name}: ${filled.failure.message}`)
    const kept = await remember(actor, { filled: [...(current(actor)?.filled ?? []), id] })
    if (!kept.ok) return kept
  }
  return done
}

const workServer = ({ state }: Returning, server: ServerSnapshot): WorkServer => ({
  name: server.name,
  target: targetOf(server, state),
  flavour: server.state?.identity.flavour ?? 'mariadb',
})

/** The primary takes writes; the usual rules make the others its replicas. */
async function open(actor: Returning, { run, text }: { readonly run: JobRun; readonly text: string }) {
  const running = current(actor)
  if (!running) return fail('job-cancelled', 'it was given up')
  const { signal, log } = run
  await actor.watch.probeFresh()
  const opened = await actor.perform({ type: 'make-writable', server: running.primary }, signal)
  if (!opened.ok) return opened
  await actor.watch.probeFresh()
  actor.decide('keep-recovery', { filled: running.servers.filter((id) => id !== running.primary) })
  const written = await actor.keeper.saved()
  if (!written.ok) return written
  log('the primary takes writes')
  const follow = await untilAllFollow(actor, running, signal)
  const backup = actor.backups.begin({ kind: 'logical', full: true }, { user: running.user })
  if (!backup.ok) log(`no new backup was begun: ${backup.failure.message}`)
  return follow.ok ? ok(text || `the servers were completed from stage ${running.stage}`) : follow
}

async function untilAllFollow(actor: Returning, { servers, primary }: RunningRecovery, signal: AbortSignal) {
  const until = now() + FOLLOW_MS
  const missing = (): readonly string[] =>
    servers
      .filter((id) => id !== primary)
      .flatMap((id) => findServer(actor.state.snapshot, id) ?? [])
      .filter((server) => {
        const channel = channelOf(server, actor.state.settings)
        return channel?.io !== 'running' || channel.sql !== 'running'
      })
      .map(({ name }) => name)
  while (!signal.aborted && now() < until) {
    if (missing().length === 0) return done
    await actor.watch.probeFresh()
    await sleep(SECOND / 4, signal)
  }
  return fail('deadline-passed', `the primary takes writes, but ${missing().join(', ')} did not follow it in time`)
}

/** After a failure: where nothing was removed yet, the cluster works on as before. Answers whether that is so. */
export async function putBack(actor: Returning, running: RunningRecovery): Promise<boolean> {
  const { stage, primary, servers, history } = running
  if (stage !== 'saving' && stage !== 'restoring') return false
  await actor.watch.probeFresh(primary)
  const server = findServer(actor.state.snapshot, primary)
  if (server?.observation !== 'answered' || (stage === 'restoring' && historyOf(server) !== history)) return false
  const { signal } = actor.context
  const opened = await actor.perform({ type: 'make-writable', server: primary }, signal)
  if (!opened.ok) return false
  for (const id of others(servers, primary)) await actor.perform({ type: 'start-replication', server: id }, signal)
  return true
}

const others = (servers: readonly ServerId[], primary: ServerId): readonly ServerId[] =>
  servers.filter((id) => id !== primary)
