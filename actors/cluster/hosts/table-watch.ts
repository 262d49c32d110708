// Reads the job tables of a cluster's databases: their rows are shown and judged, and those that exceeded their time are ended.
import { jobTable } from '../../../lib/backup/hosts/index.js'
import { now, SECOND } from '../../../lib/base/time.js'
import { isReachable } from '../../../lib/decide/situation/channel.js'
import { judgeJobRows } from '../../../lib/decide/upkeep/job-table.js'
import type { HostTaskRow } from '../../../lib/model/operation/host-task.js'
import { isMinor } from '../../../lib/model/operation/operation.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer } from '../../../lib/model/snapshot.js'
import type { Cluster } from '../state/message/cluster.js'
import { targetOf } from '../state/message/wires.js'
import { isObserved } from '../state/step/observed.js'

/** A running cluster whose servers have job tables. */
export interface WithJobTables extends Pick<Cluster, 'context' | 'state' | 'tell'> {
  /** Tasks of a server that this manager waits for. */
  readonly hosts: { followed(server: ServerId): ReadonlySet<string> }
}

const REREAD_MS = 10 * SECOND
/** What is kept of a result: its end has the reason. */
const RESULT_KEPT = 1_000

export class TableWatch {
  readonly #actor: WithJobTables
  readonly #reading = new Set<ServerId>()
  /** Servers whose rows of an earlier manager were judged. */
  readonly #settled = new Set<ServerId>()
  #readAt = 0

  constructor(actor: WithJobTables) {
    this.#actor = actor
  }

  /** While the settings let jobs run by schedule or over SSH; else only what this manager orders is read. */
  rereadWhenDue(): void {
    const { settings, snapshot, ready } = this.#actor.state
    if (!ready || !(settings['monitoring-scheduler'] || settings['scheduler-jobs-ssh'])) return
    if (now() - this.#readAt < REREAD_MS) return
    this.#readAt = now()
    for (const { id } of snapshot.servers.filter(isReachable)) void this.read(id)
  }

  /** Reads the table of one server, ends what exceeded its time, and reports. Does nothing while it is read already. */
  async read(id: ServerId): Promise<void> {
    const { context, state } = this.#actor
    const server = findServer(state.snapshot, id)
    if (!server || context.signal.aborted || this.#reading.has(id)) return
    this.#reading.add(id)
    const table = jobTable(targetOf(server, state), state.settings['scheduler-jobs-schema'])
    const rows = await table.read()
    if (rows.ok) {
      for (const row of this.#mayEnd(id) ? this.#overdue(id, rows.value) : []) {
        const ended = await table.end({ ...row, state: 5, states: [row.state] })
        const text = `${server.name}: row ${row.id} of the job table is ended: ${row.result}`
        this.#actor.tell('noted', {
          ...(ended.ok ? { level: 'WARN', text } : { level: 'ERROR', text: `${text}: ${ended.failure.message}` }),
          module: 'task',
        })
      }
      const shown = rows.value.map(shownRow)
      this.#actor.tell('read-job-table', { server: id, table: { rows: shown } })
    } else if (isRefusal(rows.failure.code)) {
      const { rows: before = [] } = this.#actor.state.jobTables?.[id] ?? {}
      this.#actor.tell('read-job-table', { server: id, table: { rows: before, refused: rows.failure.message } })
    }
    this.#reading.delete(id)
  }

  #overdue(id: ServerId, rows: Parameters<typeof judgeJobRows>[0]): ReturnType<typeof judgeJobRows> {
    const restarted = !this.#settled.has(id)
    this.#settled.add(id)
    return judgeJobRows(rows, { followed: this.#actor.hosts.followed(id), restarted })
  }

  /** No row is written while roles move, by a manager that only watches, or on a server that takes no write at all. */
  #mayEnd(id: ServerId): boolean {
    const { state } = this.#actor
    const { operation, rival, servers } = state.snapshot
    if (isObserved(state) || rival?.acts === true || (operation && !isMinor(operation))) return false
    return servers.find((each) => each.id === id)?.state?.superReadOnly !== true
  }
}

/** The age of what has ended says nothing. */
function shownRow({ age, ...row }: HostTaskRow): HostTaskRow {
  const isOpen = !row.done && row.state < 3
  return { ...row, result: row.result.slice(-RESULT_KEPT), ...(isOpen && age !== undefined ? { age } : {}) }
}

/** The database answers and does not let the manager in, or not to the table; one that is silent has a finding of its own. */
const isRefusal = (code: string): boolean =>
  code === 'sql-rejected' || code === 'sql-key-unproven' || code === 'sql-failed'
