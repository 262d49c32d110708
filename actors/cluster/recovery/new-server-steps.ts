// The steps by which a new server gets the data of an earlier point; what they must know later is on disk before each.
import path from 'node:path'
import { splitWords } from '../../../lib/backup/method/words.js'
import { dataDirectory, schemasOf } from '../../../lib/backup/restore/load.js'
import { scratchRoot } from '../../../lib/backup/restore/recovery.js'
import { startRecovery } from '../../../lib/backup/restore/start-recovery.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { MINUTE, now, SECOND, sleep } from '../../../lib/base/time.js'
import { copiesHere, describeReady, judgeRoom, sizeOf } from '../../../lib/decide/backup/new-server.js'
import { chooseChain } from '../../../lib/decide/backup/recovery.js'
import type { Backup } from '../../../lib/model/backup.js'
import type { Command } from '../../../lib/model/operation/command.js'
import type { NewServer, NewServerReport } from '../../../lib/model/operation/recovery.js'
import type { ServiceSpec } from '../../../lib/model/operation/services.js'
import { addressText, type ServerId } from '../../../lib/model/server/server.js'
import type { FileSystem } from '../../../lib/model/server/watched.js'
import { findServer, type ServerSnapshot } from '../../../lib/model/snapshot.js'
import { isLoginRefused, tryLogin } from '../../../lib/orchestrator/database-login.js'
import { readFileSystems } from '../../../lib/orchestrator/local/process/file-systems.js'
import type { Backups } from '../backups/backups.js'
import type { LogWatch } from '../backups/binlogs.js'
import type { JobQueue, JobRun } from '../backups/queue.js'
import { openCopies, toolsOf } from '../backups/recovery.js'
import type { Keeper } from '../operations/remember.js'
import type { Services } from '../services/services.js'
import type { Cluster } from '../state/message/cluster.js'
import { targetOf } from '../state/message/wires.js'
import type { Watch } from '../watch/watch.js'

/** A running cluster that can get a new server. */
export interface Making extends Cluster {
  readonly queue: Pick<JobQueue, 'begin' | 'list'>
  readonly services: Pick<Services, 'act' | 'orchestrator'>
  readonly backups: Pick<Backups, 'list' | 'catalogueOf'>
  readonly logs: Pick<LogWatch, 'directory'>
  readonly keeper: Pick<Keeper, 'saved'>
  readonly watch: Pick<Watch, 'probeFresh'>
  readonly perform: (command: Command, signal: AbortSignal) => Promise<Result<string>>
}

/** Longest wait until the manager has read what it begins from: after its start. */
const READ_MS = MINUTE
/** Longest wait until the new server answers, once its orchestrator says that it is there. */
const ANSWER_MS = 5 * MINUTE
const PROBE_MS = SECOND / 4

/** On disk before the next step. */
export async function keep(actor: Making, kept: NewServer): Promise<Result<void>> {
  actor.decide('keep-new-server', { server: kept.server, kept })
  return actor.keeper.saved()
}

/** A failure leaves it to be removed; when the manager itself ends, the next one goes on. */
export async function makeServer(
  actor: Making,
  { server, service }: { readonly server: ServerId; readonly service: ServiceSpec },
  run: JobRun,
): Promise<Result<string>> {
  const made = await make(actor, service, run).catch((error: unknown) =>
    fail('internal', error instanceof Error ? error.message : String(error)),
  )
  const known = actor.state.memory.newServers?.[server]
  if (!known || actor.context.signal.aborted) return made.ok ? ok('') : made
  if (!made.ok) {
    const { code, message } = made.failure
    await keep(actor, { ...known, stage: 'removing', failure: message })
    return fail(code, known.created ? `${message}; it is removed again` : message)
  }
  const { failure: _, ...ready } = { ...known, stage: 'ready', report: made.value } as const
  const kept = await keep(actor, ready)
  return kept.ok ? ok(describeReady(ready)) : kept
}

async function make(actor: Making, service: ServiceSpec, run: JobRun): Promise<Result<NewServerReport>> {
  const { signal, log } = run
  for (const until = now() + READ_MS; now() < until && !signal.aborted; await sleep(PROBE_MS, signal))
    if (actor.state.ready && actor.state.backups !== undefined) break
  const known = actor.state.memory.newServers?.[service.id]
  if (!known) return fail('unknown-server', `${service.name} is not remembered as a new server`)
  const chain = chooseChain(actor.backups.list(), known)
  if (!chain.ok) return chain
  const bytes = sizeOf(chain.value)
  const copies = copiesHere(actor.state)
  const room = judgeRoom('the disk of the manager', await roomHere(actor), { bytes, copies })
  if (!room.ok) return room
  const created = known.created ? ok(undefined) : await claim(actor, service, { known, signal })
  if (!created.ok) return created
  log(`creating ${addressText(service)} by the orchestrator`)
  const provisioned = await actor.services.act(service, 'provision', run)
  if (!provisioned.ok) return provisioned
  const server = await untilItAnswers(actor, service, signal)
  if (!server.ok) return server
  const empty = await prepare(actor, { server: server.value, chain: chain.value, bytes }, run)
  if (!empty.ok) return empty
  const report = await restore(actor, { server: server.value, chain: chain.value }, run)
  if (!report.ok) return report
  const closed = await actor.perform({ type: 'make-read-only', server: service.id }, signal)
  if (!closed.ok) return closed
  await actor.watch.probeFresh(service.id)
  return report
}

/** Nothing is there yet: what will be there is created for this, and may be removed. */
async function claim(
  actor: Making,
  service: ServiceSpec,
  { known, signal }: { readonly known: NewServer; readonly signal: AbortSignal },
): Promise<Result<void>> {
  const { services, state } = actor
  const address = addressText(service)
  const answer = await tryLogin(service, targetOf(service, state))
  if (answer.ok || isLoginRefused(answer.failure))
    return fail('data-exists', `a database answers at ${address} already: name an address where none is`)
  const held = await services.orchestrator.holds?.(service, signal)
  if (held && !held.ok) return held
  if (held?.value)
    return fail(
      'data-exists',
      `the place of ${address} holds data of a database already: name another address, or move them away`,
    )
  return keep(actor, { ...known, created: true })
}

async function untilItAnswers(
  actor: Making,
  { id, name }: ServiceSpec,
  signal: AbortSignal,
): Promise<Result<ServerSnapshot>> {
  for (const until = now() + ANSWER_MS; now() < until && !signal.aborted; await sleep(PROBE_MS, signal)) {
    await actor.watch.probeFresh(id)
    const server = findServer(actor.state.snapshot, id)
    if (server?.observation === 'answered' && server.state) return ok(server)
  }
  return signal.aborted
    ? fail('job-cancelled', 'it was ended')
    : fail('deadline-passed', `${name} was created, but does not answer the monitor's account`)
}

interface Filling {
  readonly server: ServerSnapshot
  readonly chain: readonly Backup[]
}

/** It is of the right software, empty, and has room. */
async function prepare(
  actor: Making,
  { server, chain, bytes }: Filling & { readonly bytes: number },
  { signal, log }: JobRun,
): Promise<Result<void>> {
  const known = actor.state.memory.newServers?.[server.id]
  const flavour = server.state?.identity.flavour
  if (!known) return fail('unknown-server', `${server.name} is not remembered as a new server`)
  if (flavour !== chain[0]?.flavour)
    return fail(
      'wrong-state',
      `the new server is a ${flavour} (prov-db-docker-img), the backup is of ${chain[0]?.flavour}`,
    )
  const schemas = await schemasOf(targetOf(server, actor.state))
  if (!schemas.ok) return schemas
  if (!known.filling && schemas.value.length > 0) {
    const { created: _, ...others } = known
    await keep(actor, others)
    return fail('data-exists', `${server.name} came with schemas (${schemas.value.join(', ')}): it is left as it is`)
  }
  const disk = await diskOf(actor, server, signal)
  if (!disk) log('the free space of its disk is not known')
  const room = disk ? judgeRoom(`the disk of ${server.name}`, disk, { bytes, copies: 1 }) : ok(undefined)
  if (!room.ok) return room
  return keep(actor, { ...known, filling: true })
}

/** The file system of its data, where its orchestrator reaches the host. */
async function diskOf(
  { services, state }: Making,
  server: ServerSnapshot,
  signal: AbortSignal,
): Promise<FileSystem | undefined> {
  const service = { kind: 'database', id: server.id, name: server.name, host: server.host, port: server.port } as const
  const directory = await dataDirectory(targetOf(server, state))
  if (!directory.ok) return undefined
  const read = await services.orchestrator.readFileSystems(service, { directories: [directory.value], signal })
  return read.ok ? read.value[0] : undefined
}

async function restore(actor: Making, { server, chain }: Filling, run: JobRun): Promise<Result<NewServerReport>> {
  const { state, init, logs } = actor
  const { settings } = state
  const target = state.memory.newServers?.[server.id]?.target
  const copies = await openCopies(chain, actor.backups, run.signal)
  if (!copies.ok) return copies
  const root = await scratchRoot(settings['monitoring-datadir'], init.name)
  const recovered = await startRecovery(
    {
      ...{ cluster: init.name, copies: copies.value, scratch: path.join(root, String(run.id)) },
      ...(target ? { target, logs: path.resolve(logs.directory) } : {}),
      tools: toolsOf(settings, chain[0]?.flavour ?? 'mariadb'),
      loadThreads: settings['backup-logical-load-threads'],
      loadOptions: splitWords(settings['backup-myloader-options']),
      purpose: { type: 'load', onto: targetOf(server, state) },
      deadlineMs: settings['backup-timeout'] * SECOND,
    },
    { signal: run.signal, log: run.log, progress: (bytes) => void run.progress({ bytes }) },
  )
  if (!recovered.ok) return recovered
  const { position, replayedTo, restoreMs } = recovered.value
  return ok({ at: now(), position, restoreMs, ...(replayedTo === undefined ? {} : { replayedTo }) })
}

/** Of the working directory, where scratch servers are. */
export async function roomHere({ state, init }: Pick<Cluster, 'state' | 'init'>): Promise<FileSystem> {
  const root = await scratchRoot(state.settings['monitoring-datadir'], init.name)
  const read = await readFileSystems([root])
  const known = read.ok ? read.value[0] : undefined
  return known ?? { path: root, totalBytes: 0, usedBytes: 0, availableBytes: Number.POSITIVE_INFINITY }
}
