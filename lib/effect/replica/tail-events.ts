// Lists the events of a server's binary log over SQL, where no tool is installed that could copy it.
import { open } from 'node:fs/promises'
import { modeOf } from '../../base/files/modes.js'
import { fail, ok, type Result } from '../../base/result.js'
import type { Row } from '../../connect/sql/session.js'
import type { ServerId } from '../../model/server/server.js'
import { reasonOf } from '../../store/kit/atomic-write.js'
import type { Run } from '../kit/context.js'
import { execute, type ResultSets } from '../kit/statements.js'

/** Events per question: each question is answered at once by the server. */
const PAGE = 1_000

export interface LogPosition {
  readonly file: string
  readonly position: number
}

export interface EventList {
  readonly server: ServerId
  readonly from: LogPosition
  /** Where the list is written: JSON lines. */
  readonly file: string
}

/** Writes every event from the position to the end of the last log. */
export async function listEvents(run: Run, { server, from, file }: EventList): Promise<Result<void>> {
  const logs = await logNames(run, server)
  if (!logs.ok) return logs
  const start = logs.value.indexOf(from.file)
  if (start < 0) return fail('step-failed', `${server} has no binary log ${from.file} any more`)
  const out = await open(file, 'wx', modeOf('rows'))
  try {
    for (const log of logs.value.slice(start)) {
      const position = log === from.file ? from.position : 4
      const listed = await listLog(run, server, { log, position, write: (text) => out.appendFile(text) })
      if (!listed.ok) return listed
    }
    return ok(undefined)
  } catch (error) {
    return fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  } finally {
    await out.close()
  }
}

interface OneLog {
  readonly log: string
  readonly position: number
  readonly write: (text: string) => Promise<void>
}

async function listLog(run: Run, server: ServerId, { log, position, write }: OneLog): Promise<Result<void>> {
  for (let next = position; ; ) {
    const sql = `SHOW BINLOG EVENTS IN ? FROM ${next} LIMIT ${PAGE}`
    const page = await execute(run, { server, statements: [{ sql, values: [log] }], late: true })
    if (!page.ok) return page
    const events = rows(page.value)
    if (events.length > 0) await write(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
    const end = Number(events.at(-1)?.End_log_pos ?? 0)
    if (events.length < PAGE || end <= next) return ok(undefined)
    next = end
  }
}

/** The oldest binary log the server still has. */
export async function firstLog(run: Run, server: ServerId): Promise<Result<string>> {
  const logs = await logNames(run, server)
  if (!logs.ok) return logs
  const [first] = logs.value
  return first === undefined ? fail('step-failed', `${server} has no binary log`) : ok(first)
}

async function logNames(run: Run, server: ServerId): Promise<Result<readonly string[]>> {
  const statements = [{ sql: 'SHOW BINARY LOGS', values: [] }]
  const answer = await execute(run, { server, statements, late: true })
  return answer.ok ? ok(rows(answer.value).map((row) => String(row.Log_name ?? ''))) : answer
}

const rows = (sets: ResultSets): readonly Row[] => sets[0] ?? []
