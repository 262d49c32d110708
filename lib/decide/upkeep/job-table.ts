// The rows of the job tables of databases: which have exceeded their time, and what is wrong with the tables. Pure.
import { counted } from '../../base/counted.js'
import { DAY, HOUR, SECOND } from '../../base/time.js'
import type { Finding } from '../../model/finding.js'
import type { HostTaskRow, HostTaskTable } from '../../model/operation/host-task.js'
import { isMinor } from '../../model/operation/operation.js'
import { isRolling, type Roll } from '../../model/operation/roll.js'
import type { ServerId } from '../../model/server/server.js'
import type { Snapshot } from '../../model/snapshot.js'

/** An order that no script took for so long failed: nothing runs the script. */
const START_MS = HOUR

/** No task may take longer; the script of a host ends each before. */
const END_MS = DAY

/** More orders than these that no script takes: the script does not run. */
const MOST_WAITING = 10

/**
 * What keeps an order from a host now; undefined: nothing. `writes`: the order is a row of the database itself.
 * A failover, a switchover and rolling work take servers out of service: nothing may be written to one meanwhile.
 */
export function jobObstacle(
  { snapshot, roll }: { readonly snapshot: Snapshot; readonly roll?: Roll },
  { server, writes }: { readonly server: ServerId; readonly writes: boolean },
): string | undefined {
  const { operation } = snapshot
  if (operation && !isMinor(operation)) return `a ${operation.kind} is under way`
  if (isRolling(roll)) return `rolling work (${roll.kind}) is under way`
  const found = snapshot.servers.find(({ id }) => id === server)
  if (writes && found?.state?.superReadOnly) return `${found.name} is super_read_only: its job table takes no order`
  return undefined
}

export interface EndedRow {
  readonly id: number
  /** Only from this state. */
  readonly state: number
  /** What the row says of its end. */
  readonly result: string
}

/**
 * Rows that are ended, with the reason: those that nothing began in time or that did not end in time, and after a restart
 * of the manager those that wait for a stream which ended with it. `followed`: tasks that this manager waits for.
 */
export function judgeJobRows(
  rows: readonly HostTaskRow[],
  { followed, restarted }: { readonly followed: ReadonlySet<string>; readonly restarted: boolean },
): readonly EndedRow[] {
  return rows.flatMap((row) => {
    const result = row.done || row.state >= 3 || followed.has(row.task) ? undefined : endOf(row, restarted)
    return result === undefined ? [] : [{ id: row.id, state: row.state, result }]
  })
}

function endOf({ state, port, age = 0 }: HostTaskRow, restarted: boolean): string | undefined {
  const old = age * SECOND
  if (restarted && state !== 1 && (state === 2 || port > 0))
    return 'the manager that asked for it ended, and its stream with it'
  if (state === 0 && old > START_MS)
    return `no start within ${START_MS / SECOND} s: does the job script run on the host?`
  if (state !== 0 && old > END_MS) return `no end within ${END_MS / SECOND} s`
  return undefined
}

/** What is wrong with the tables of the servers. */
export function judgeJobTables(tables: Readonly<Record<ServerId, HostTaskTable>> = {}): readonly Finding[] {
  return Object.entries(tables).flatMap(([server, { rows, refused }]): Finding[] => {
    const waiting = rows.filter(({ done, state }) => !done && state === 0)
    const many = waiting.length > MOST_WAITING
    return [
      ...(many ? [{ code: 'ERR00060', server, detail: describe(waiting) } as const] : []),
      ...(refused === undefined ? [] : [{ code: 'ERR00102', server, detail: `${refused}.` } as const]),
    ]
  })
}

function describe(waiting: readonly HostTaskRow[]): string {
  const kinds = [...new Set(waiting.map(({ task }) => task))]
  const oldest = Math.max(...waiting.map(({ age = 0 }) => age))
  return `${counted(waiting.length, 'order')} in the job table (${kinds.join(', ')}), the oldest for ${oldest} s.`
}
