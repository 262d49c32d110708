// Checksums of tables as a job beside all others: what was found is kept on disk, and a run that was interrupted goes on.
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { DAY, now, SECOND } from '../../../lib/base/time.js'
import { comparedServers, furthestBehind, obstacleOf, whyInterrupted } from '../../../lib/decide/checksum/peers.js'
import { compareTable, type TableRun } from '../../../lib/effect/checksum/compare-table.js'
import { listTablesOf } from '../../../lib/effect/checksum/list-tables.js'
import type { Peer } from '../../../lib/effect/checksum/peer.js'
import type { ChecksumList, TableChecksum, TableName } from '../../../lib/model/checksum/checksum.js'
import type { Job } from '../../../lib/model/operation/job.js'
import { isMinor } from '../../../lib/model/operation/operation.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer } from '../../../lib/model/snapshot.js'
import { readChecksums, writeChecksums } from '../../../lib/store/index.js'
import type { Asked, ClusterProtocol, JobTicket } from '../../protocol/cluster.js'
import type { Begun, JobQueue, JobRun } from '../backups/queue.js'
import type { Cluster } from '../state/message/cluster.js'
import { listServices } from '../state/services.js'
import { isObserved, observing, refuseChanges } from '../state/step/observed.js'
import { peerOf } from './peer-of.js'
import { Repairs } from './repairs.js'

/** A running cluster whose tables are compared. */
export interface Comparing extends Cluster {
  readonly queue: Pick<JobQueue, 'begin' | 'list' | 'redo'>
}

interface Wish extends Asked {
  readonly table?: TableName
  /** `now()` of the request of a run that is gone on with. */
  readonly run?: number
  readonly attempt?: number
}

const LONGEST_MS = 2 * DAY
/** What was found is written at most so often while a run goes on. */
const SAVE_MS = 5 * SECOND
/** Parts and rows that differ, kept of all tables of a cluster together. */
const KEPT = 100_000
/** Names of tables in the result of a job. */
const NAMED = 5

export class Checksums {
  readonly repairs: Repairs
  readonly #actor: Comparing
  #book: Promise<Map<string, TableChecksum>> | undefined
  #waiting: readonly TableName[] = []
  #saved = 0
  #writing: Promise<unknown> = Promise.resolve()

  constructor(actor: Comparing) {
    this.#actor = actor
    actor.queue.redo('checksum', (job) => this.#again(job))
    this.repairs = new Repairs(actor, {
      find: (name) => this.show(name),
      compare: (table, job) => this.#compareAgain(table, job),
    })
  }

  /** A checksum as a job. Failures: one is not ended, there is no primary that answers, or its role moves. */
  begin({ user, asker, table, run = now(), attempt }: Wish): Result<Begun> {
    const { state, queue } = this.#actor
    const refusal = refuseChanges(state)
    if (refusal) return refusal
    const [other] = queue.list('checksum')
    if (other) return fail('operation-running', `job ${other.id} (checksum of ${other.name}) is not ended yet`)
    const { primary } = state.snapshot
    if (primary === undefined) return fail('no-primary', `${this.#actor.init.name} has no primary to compare with`)
    const obstacle = whyInterrupted(state.snapshot, primary)
    if (obstacle !== undefined) return fail('operation-running', `a checksum cannot begin now: ${obstacle}`)
    const service = listServices(state).find(({ id }) => id === primary)
    if (!service) return fail('unknown-server', `${this.#actor.init.name} has no server ${primary}`)
    return queue.begin({
      ...{
        service,
        task: 'checksum',
        user,
        asker,
        deadlineMs: LONGEST_MS,
        order: { run, ...(table ? { table } : {}) },
      },
      ...(attempt === undefined ? {} : { attempt }),
      work: (job) => this.#run(job, { primary, run, ...(table ? { table } : {}) }),
    })
  }

  /** For a request: its job, when it has ended or has been asked for. */
  async ask({ user, asker, table, wait }: ClusterProtocol['begin-checksum']['in']): Promise<Result<JobTicket>> {
    const begun = this.begin({ user, asker, ...(table ? { table } : {}) })
    if (!begun.ok) return begun
    await begun.value.written
    if (!wait) return ok({ job: begun.value.job })
    const { job, result } = await begun.value.ended
    return result.ok ? ok({ job }) : result
  }

  async list(): Promise<Result<ChecksumList>> {
    const tables = [...(await this.#load()).values()].map(({ differences: _, cursor: __, ...table }) => table)
    return ok({ tables, waiting: this.#waiting })
  }

  /** Failure `unknown-table`: it was never compared. */
  async show({ schema, table }: TableName): Promise<Result<TableChecksum>> {
    const found = (await this.#load()).get(keyOf({ schema, table }))
    return found ? ok(found) : fail('unknown-table', `${schema}.${table} was not compared yet`)
  }

  /** What is not on disk yet is written. */
  async close(): Promise<void> {
    await this.#writing
  }

  #compareAgain(table: TableName, job: JobRun): Promise<Result<string>> {
    const { primary } = this.#actor.state.snapshot
    if (primary === undefined) return Promise.resolve(fail('no-primary', 'there is no primary to compare with'))
    return this.#run(job, { primary, run: now(), table })
  }

  async #run(
    job: JobRun,
    { primary: id, run, table }: { readonly primary: ServerId; readonly run: number; readonly table?: TableName },
  ): Promise<Result<string>> {
    const peers = new Map<ServerId, Peer>()
    const peer = (server: ServerId): Peer | undefined => {
      const known = peers.get(server) ?? peerOf(this.#actor.state, server, job.signal)
      if (known) peers.set(server, known)
      return known
    }
    try {
      const primary = peer(id)
      if (!primary) return fail('no-primary', 'the primary never reported what it is')
      const listed = await listTablesOf(primary, [this.#actor.state.settings['scheduler-jobs-schema']])
      if (!listed.ok) return listed
      // Of one that is not seen nothing would be known, and the answer would not say so.
      if (!table && listed.value.hidden !== undefined) return fail('wrong-state', listed.value.hidden)
      const wanted = listed.value.tables.filter((one) => !table || keyOf(one) === keyOf(table))
      if (table && wanted.length === 0)
        return fail('unknown-table', `the primary has no table ${table.schema}.${table.table} that is replicated`)
      const book = await this.#load()
      if (!table) this.#forget(book, listed.value.tables)
      return await this.#compareAll(wanted, { job, run, primary, peer })
    } finally {
      this.#waiting = []
      for (const one of peers.values()) one.close()
      await this.#save()
    }
  }

  async #compareAll(
    wanted: readonly TableName[],
    {
      job,
      run,
      primary,
      peer,
    }: {
      readonly job: JobRun
      readonly run: number
      readonly primary: Peer
      readonly peer: (id: ServerId) => Peer | undefined
    },
  ): Promise<Result<string>> {
    const book = await this.#load()
    const isEnded = (name: TableName) => {
      const known = book.get(keyOf(name))
      return known !== undefined && known.startedAt >= run && known.endedAt !== undefined
    }
    const left = wanted.filter((name) => !isEnded(name))
    if (left.length < wanted.length) job.log(`${wanted.length - left.length} tables were compared before`)
    for (const [index, name] of left.entries()) {
      this.#waiting = left.slice(index + 1)
      const { snapshot, settings } = this.#actor.state
      const replicas = comparedServers(snapshot, settings).flatMap(({ id }) => peer(id) ?? [])
      const known = book.get(keyOf(name))
      const before = known?.cursor && known.startedAt >= run && known.primary === primary.server.id ? known : undefined
      const compared = await compareTable(name, { ...this.#tableRun(job, primary, book), replicas }, before)
      if (!compared.ok) {
        if (MOVING.has(compared.failure.code)) return compared
        // One table that cannot be read does not end the run.
        const failed = failedTable(name, { job: job.id, primary: primary.server.id, reason: compared.failure.message })
        this.#note(book, failed)
        job.log(lineOf(failed))
        continue
      }
      this.#note(book, compared.value)
      if (compared.value.state !== 'equal') job.log(lineOf(compared.value))
    }
    return ok(summaryOf(wanted.flatMap((name) => book.get(keyOf(name)) ?? [])))
  }

  #tableRun(job: JobRun, primary: Peer, book: Map<string, TableChecksum>): Omit<TableRun, 'replicas'> {
    const host = this.#actor
    return {
      ...{ primary, job: job.id, signal: job.signal, log: job.log },
      obstacle: (id) => obstacleOf(findServer(host.state.snapshot, id), host.state.settings),
      lag: () => furthestBehind(host.state.snapshot, host.state.settings),
      bounds: () => ({
        lagSeconds: host.state.settings['monitoring-checksum-max-lag'],
        running: host.state.settings['monitoring-checksum-max-running'],
      }),
      mayGoOn: () => {
        if (job.signal.aborted) return fail('job-interrupted', 'the checksum ends')
        if (isObserved(host.state)) return observing(host.state)
        const reason = whyInterrupted(host.state.snapshot, primary.server.id)
        return reason === undefined ? ok(undefined) : fail('job-interrupted', reason)
      },
      report: (found) => this.#note(book, found),
    }
  }

  async #again({ order = {}, user, asker, attempt, id }: Job): Promise<Result<unknown>> {
    const { operation } = this.#actor.state.snapshot
    if (operation?.phase === 'running' && !isMinor(operation))
      return fail('operation-running', `${operation.kind} is under way`)
    // One that got on is not counted as an attempt in vain.
    const gotOn = [...(await this.#load()).values()].some(({ job, chunks }) => job === id && chunks > 0)
    const wish = { user, asker, ...(attempt === undefined || gotOn ? {} : { attempt }) }
    return this.begin({ ...(order as Pick<Wish, 'run' | 'table'>), ...wish })
  }

  #load(): Promise<Map<string, TableChecksum>> {
    this.#book ??= readChecksums(this.#actor.init.directory).then(({ value = [], damage }) => {
      for (const text of damage) this.#actor.tell('noted', { level: 'WARN', text, module: 'task' })
      return new Map(value.map((table) => [keyOf(table), table]))
    })
    return this.#book
  }

  /** Tables that are gone. */
  #forget(book: Map<string, TableChecksum>, present: readonly TableName[]): void {
    const keys = new Set(present.map(keyOf))
    for (const key of book.keys()) if (!keys.has(key)) book.delete(key)
  }

  #note(book: Map<string, TableChecksum>, found: TableChecksum): void {
    book.set(keyOf(found), bounded(book, found))
    if (now() - this.#saved >= SAVE_MS) void this.#save()
  }

  async #save(): Promise<void> {
    this.#saved = now()
    const book = await this.#load()
    this.#writing = this.#writing.then(async () => {
      const written = await writeChecksums(this.#actor.init.directory, [...book.values()])
      if (!written.ok) this.#actor.tell('noted', { level: 'ERROR', text: written.failure.message, module: 'task' })
    })
    await this.#writing
  }
}

/** Beyond what is kept of all tables, only the figures of a table are. */
function bounded(book: ReadonlyMap<string, TableChecksum>, found: TableChecksum): TableChecksum {
  if (found.differences.length === 0) return found
  const own = keyOf(found)
  let kept = sizeOf(found)
  for (const [key, table] of book) if (key !== own) kept += sizeOf(table)
  return kept <= KEPT ? found : { ...found, differences: [] }
}

const sizeOf = ({ differences }: TableChecksum): number =>
  differences.reduce((sum, { rows }) => sum + 1 + rows.length, 0)

/** With these the run ends, not only the table. */
const MOVING: ReadonlySet<string> = new Set([
  'not-owner',
  'observing',
  'job-interrupted',
  'job-cancelled',
  'sql-refused',
  'sql-silent',
  'sql-rejected',
  'sql-key-unproven',
  'sql-unresolved',
])

const keyOf = ({ schema, table }: TableName): string => JSON.stringify([schema, table])

const failedTable = (
  { schema, table }: TableName,
  { job, primary, reason }: { readonly job: number; readonly primary: ServerId; readonly reason: string },
): TableChecksum => ({
  ...{ schema, table, state: 'not-compared', job, primary, reason, startedAt: now(), endedAt: now() },
  ...{ chunks: 0, rows: 0, crc: 0, servers: [], differences: [] },
})

const titles = {
  waiting: 'waits',
  running: 'runs',
  equal: 'equal',
  different: 'DIFFERENT',
  'not-compared': 'not compared',
}

const differing = ({ servers }: Pick<TableChecksum, 'servers'>): string =>
  servers.flatMap(({ verdict, name }) => (verdict === 'different' ? [name] : [])).join(', ')

function lineOf(found: TableChecksum): string {
  const { schema, table, state, rows, chunks, reason, servers } = found
  const details = [
    `${rows} rows in ${chunks} parts`,
    ...servers.flatMap((server) =>
      server.verdict === 'different' ? [`on ${server.name} ${server.reason ?? `${server.chunks} parts differ`}`] : [],
    ),
    ...(reason === undefined ? [] : [reason]),
  ]
  return `${schema}.${table}: ${titles[state]}, ${details.join('; ')}`
}

function summaryOf(tables: readonly TableChecksum[]): string {
  const of = (state: TableChecksum['state']) => tables.filter((table) => table.state === state)
  const [different, missed] = [of('different'), of('not-compared')]
  const name = ({ schema, table }: TableName) => `${schema}.${table}`
  const named = different.slice(0, NAMED).map((table) => `${name(table)} on ${differing(table)}`)
  const more = different.length > NAMED ? [`and ${different.length - NAMED} more`] : []
  return [
    `${tables.length} tables: ${of('equal').length} equal, ${different.length} different, ${missed.length} not compared`,
    ...(different.length === 0 ? [] : [[...named, ...more].join(', ')]),
    ...missed.slice(0, 1).map((table) => `${name(table)}: ${table.reason ?? ''}`),
  ].join('; ')
}
