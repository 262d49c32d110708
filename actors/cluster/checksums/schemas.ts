// Scans of the schema as a job: changes are noticed and given to the operator's script, differences between servers are listed.
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { HOUR, now } from '../../../lib/base/time.js'
import { comparedServers, obstacleOf, whyInterrupted } from '../../../lib/decide/checksum/peers.js'
import { changesOf, judgeTable } from '../../../lib/decide/checksum/schema.js'
import { type Change, renderDiff, summarise } from '../../../lib/decide/watching/variable-changes.js'
import { scanDefinitions } from '../../../lib/effect/checksum/scan-definitions.js'
import {
  type NotedChange,
  noReport,
  type SchemaDifference,
  type SchemaReport,
} from '../../../lib/model/checksum/schema.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer } from '../../../lib/model/snapshot.js'
import { changeCall, type ScriptQueue } from '../../../lib/notify/index.js'
import { readDefinitions, readSchemaReport, writeDefinitions, writeSchemaReport } from '../../../lib/store/index.js'
import type { Asked, ClusterProtocol, JobTicket } from '../../protocol/cluster.js'
import type { Begun, JobQueue, JobRun } from '../backups/queue.js'
import type { Cluster } from '../state/message/cluster.js'
import { listServices } from '../state/services.js'
import { isObserved, mayNotify, observing, refuseChanges } from '../state/step/observed.js'
import { peerOf } from './peer-of.js'

/** A running cluster whose schema is scanned. */
export interface Scanning extends Cluster {
  readonly queue: Pick<JobQueue, 'begin' | 'redo'>
  readonly scripts: ScriptQueue
}

const LONGEST_MS = 12 * HOUR
/** Changes and differences that are kept, and lines of a diff that a script gets. */
const KEPT = 500
const DIFF_LINES = 10_000
/** Tables that one line of the log names. */
const MOST_NAMED = 8

/** By the key of the table: its definition as JSON, or why it could not be read. */
interface Found {
  readonly definitions: ReadonlyMap<string, string>
  readonly unread: ReadonlyMap<string, string>
  /** Why there may be tables that were not seen. */
  readonly hidden?: string
}

export class Schemas {
  readonly #actor: Scanning

  constructor(actor: Scanning) {
    this.#actor = actor
    actor.queue.redo('schema-scan', async ({ user, asker, attempt }) =>
      this.begin({ user, asker, ...(attempt === undefined ? {} : { attempt }) }),
    )
  }

  /** Failures: one waits or runs, there is no primary that answers, or its role moves. */
  begin({ user, asker, attempt }: Asked & { readonly attempt?: number }): Result<Begun> {
    const { state, queue, init } = this.#actor
    const refusal = refuseChanges(state)
    if (refusal) return refusal
    const { primary } = state.snapshot
    if (primary === undefined) return fail('no-primary', `${init.name} has no primary whose schema could be read`)
    const obstacle = whyInterrupted(state.snapshot, primary)
    if (obstacle !== undefined) return fail('operation-running', `a scan cannot begin now: ${obstacle}`)
    const service = listServices(state).find(({ id }) => id === primary)
    if (!service) return fail('unknown-server', `${init.name} has no server ${primary}`)
    return queue.begin({
      ...{ service, task: 'schema-scan', user, asker, deadlineMs: LONGEST_MS, order: {} },
      ...(attempt === undefined ? {} : { attempt }),
      work: (job) => this.#run(job, primary),
    })
  }

  async ask({ user, asker, wait }: ClusterProtocol['begin-schema-scan']['in']): Promise<Result<JobTicket>> {
    const begun = this.begin({ user, asker })
    if (!begun.ok) return begun
    await begun.value.written
    if (!wait) return ok({ job: begun.value.job })
    const { job, result } = await begun.value.ended
    return result.ok ? ok({ job }) : result
  }

  async read(): Promise<Result<SchemaReport>> {
    return ok((await readSchemaReport(this.#actor.init.directory)) ?? noReport)
  }

  async #run(job: JobRun, primary: ServerId): Promise<Result<string>> {
    const { directory } = this.#actor.init
    const before = await readDefinitions(directory)
    const scanned = await this.#scan(job, primary, primary)
    if (!scanned.ok) return scanned
    // What could not be read, or is not seen, is as it was, until it can.
    const definitions = new Map(scanned.value.definitions)
    const unknown = scanned.value.hidden === undefined ? scanned.value.unread.keys() : (before?.keys() ?? [])
    for (const key of unknown) {
      if (definitions.has(key)) continue
      const known = before?.get(key)
      if (known !== undefined) definitions.set(key, known)
    }
    const at = now()
    const watched = before !== undefined && this.#actor.state.settings['monitoring-schema-change']
    const { changes, lines } = watched ? changed(before, definitions, at) : { changes: [], lines: [] }
    const others = await this.#others(job, primary, scanned.value)
    if (!others.ok) return others
    const known = (await readSchemaReport(directory)) ?? noReport
    const report: SchemaReport = {
      ...{ at, primary, tables: definitions.size, differences: others.value.differences.slice(0, KEPT) },
      unread: [...wordsOf(scanned.value), ...others.value.unread].slice(0, KEPT),
      changes: [...known.changes, ...changes].slice(-KEPT),
    }
    // The definitions come last: a manager that is killed between notices the changes again, and misses none.
    for (const write of [() => writeSchemaReport(directory, report), () => writeDefinitions(directory, definitions)]) {
      const written = await write()
      if (!written.ok) return written
    }
    this.#report(primary, changes, lines)
    return ok(
      `${definitions.size} tables, ${before ? `${changes.length} changed` : 'the first scan'}, ` +
        `${others.value.differences.length} differ on a replica, ${report.unread.length} could not be read`,
    )
  }

  /** The replicas, one after the other, against the primary. */
  async #others(
    job: JobRun,
    primary: ServerId,
    own: Found,
  ): Promise<Result<{ readonly differences: readonly SchemaDifference[]; readonly unread: readonly string[] }>> {
    const { snapshot, settings } = this.#actor.state
    const differences: SchemaDifference[] = []
    const unread: string[] = []
    for (const { id, name } of comparedServers(snapshot, settings)) {
      const obstacle = obstacleOf(findServer(this.#actor.state.snapshot, id), settings)
      const scanned = obstacle === undefined ? await this.#scan(job, id, primary) : fail('wrong-state', obstacle)
      if (!scanned.ok) {
        if (scanned.failure.code === 'job-interrupted' || scanned.failure.code === 'not-owner') return scanned
        unread.push(`${name}: ${scanned.failure.message}`)
        continue
      }
      unread.push(...wordsOf(scanned.value).map((words) => `${name}: ${words}`))
      for (const key of new Set([...own.definitions.keys(), ...scanned.value.definitions.keys()])) {
        if (own.unread.has(key) || scanned.value.unread.has(key)) continue
        const [there, here] = [own.definitions.get(key), scanned.value.definitions.get(key)]
        // It may be there, and not be seen.
        if (there === undefined && own.hidden !== undefined) continue
        if (here === undefined && scanned.value.hidden !== undefined) continue
        const change = there === here ? undefined : judgeTable(key, linesOf(there, here))
        if (change) differences.push({ ...change, server: id, name })
      }
    }
    return ok({ differences, unread })
  }

  async #scan(job: JobRun, id: ServerId, primary: ServerId): Promise<Result<Found>> {
    const peer = peerOf(this.#actor.state, id, job.signal)
    if (!peer) return fail('wrong-state', 'the server never reported what it is')
    const definitions = new Map<string, string>()
    const unread = new Map<string, string>()
    const scanned = await scanDefinitions(peer, {
      besides: [this.#actor.state.settings['scheduler-jobs-schema']],
      signal: job.signal,
      mayGoOn: () => {
        const { state } = this.#actor
        if (isObserved(state)) return observing(state)
        const reason = job.signal.aborted ? 'the scan ends' : whyInterrupted(state.snapshot, primary)
        return reason === undefined ? ok(undefined) : fail('job-interrupted', reason)
      },
      found: ({ schema, table }, lines) => {
        const key = JSON.stringify([schema, table])
        if (lines.ok) definitions.set(key, JSON.stringify(lines.value))
        else unread.set(key, lines.failure.message)
      },
    })
    peer.close()
    if (!scanned.ok) return scanned
    const { hidden } = scanned.value
    return ok({ definitions, unread, ...(hidden === undefined ? {} : { hidden }) })
  }

  #report(primary: ServerId, changes: readonly NotedChange[], lines: readonly Change[]): void {
    const { state, init, scripts } = this.#actor
    const server = findServer(state.snapshot, primary)
    if (!server || changes.length === 0) return
    const names = changes.map(({ schema, table, kind }) => `${schema}.${table} ${kind}`)
    const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
    const text = `The schema of ${server.name} changed: ${names.slice(0, MOST_NAMED).join(', ')}${more}; ${summarise(lines, MOST_NAMED)}`
    this.#actor.tell('noted', { level: 'WARN', text })
    if (!mayNotify(state)) return
    const diff = renderDiff(init.name, lines)
    scripts.add(
      changeCall(state.settings['monitoring-schema-change-script'], { cluster: init.name, address: server, diff }),
    )
  }
}

/** Tables that are new, gone or altered, with the lines of all of them for one diff. */
function changed(
  before: ReadonlyMap<string, string>,
  later: ReadonlyMap<string, string>,
  at: number,
): { readonly changes: readonly NotedChange[]; readonly lines: readonly Change[] } {
  const changes: NotedChange[] = []
  const lines: Change[] = []
  for (const key of [...new Set([...before.keys(), ...later.keys()])].toSorted()) {
    const [was, is] = [before.get(key), later.get(key)]
    if (was === is) continue
    const definitions = linesOf(was, is)
    const change = judgeTable(key, definitions)
    if (!change) continue
    changes.push({ ...change, at })
    if (lines.length < DIFF_LINES) lines.push(...changesOf(definitions))
  }
  return { changes, lines }
}

const linesOf = (before: string | undefined, is: string | undefined) => ({
  ...(before === undefined ? {} : { before: JSON.parse(before) as readonly string[] }),
  ...(is === undefined ? {} : { now: JSON.parse(is) as readonly string[] }),
})

const wordsOf = ({ unread, hidden }: Found): readonly string[] => [
  ...(hidden === undefined ? [] : [hidden]),
  ...[...unread].map(([key, reason]) => `${(JSON.parse(key) as readonly string[]).join('.')}: ${reason}`),
]
