// Deletes the oldest binary logs of a server, after it was read from the files themselves that everyone has what is in them.
import { readPrevious } from '../../backup/storing/log-source.js'
import { counted } from '../../base/counted.js'
import { fail, ok, type Result } from '../../base/result.js'
import { purgeBinaryLogs } from '../../dialect/shared/control/upkeep.js'
import { binaryLogs } from '../../dialect/shared/probe/slow.js'
import { numberIn, textIn } from '../../dialect/statement/rows.js'
import { contains, type GtidSet } from '../../model/server/gtid.js'
import type { ActSession } from './act-session.js'

export interface PurgeRequest {
  /** The files before this one may go. */
  readonly upTo: string
  /** What must be in every one of them before it may be deleted. */
  readonly holders: readonly GtidSet[]
  /** Reads a list of transactions as the server writes it. */
  readonly parse: (text: string) => GtidSet
  /** Asked immediately before the deletion. */
  readonly mayGoOn: () => Result<void>
}

export interface Purged {
  readonly files: number
  readonly text: string
}

interface LogFile {
  readonly name: string
  readonly bytes: number
}

/**
 * Deletes as many files before `upTo` as all holders have. 0 files: something of the oldest one is missing on a holder.
 * Failures: `wrong-state` (the file does not exist any more, or files remain), those of `mayGoOn` and of the session.
 */
export async function purgeBinlogs(session: ActSession, request: PurgeRequest): Promise<Result<Purged>> {
  const before = await listLogs(session)
  if (!before.ok) return before
  const limit = before.value.findIndex(({ name }) => name === request.upTo)
  if (limit < 0) return fail('wrong-state', `${session.name} has no binary log ${request.upTo}`)
  const found = await provenFiles(session, before.value.slice(0, limit + 1), request)
  if (!found.ok) return found
  const first = before.value[found.value]?.name
  if (found.value === 0 || first === undefined)
    return ok({ files: 0, text: `${session.name}: transactions of its oldest binary log are still needed` })
  const may = request.mayGoOn()
  if (!may.ok) return may
  const purged = await session.run([purgeBinaryLogs(first)])
  if (!purged.ok) return purged
  return proven(session, { before: before.value, files: found.value, first })
}

/** How many of the oldest files everyone has: what precedes a file is what the files before it hold. */
async function provenFiles(
  session: ActSession,
  files: readonly LogFile[],
  { holders, parse }: PurgeRequest,
): Promise<Result<number>> {
  let [low, high] = [0, files.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const preceding = await readPrevious(
      { run: (sql, values) => session.run([{ sql, values }]) },
      files[middle]?.name ?? '',
    )
    if (!preceding.ok) return preceding
    const transactions = parse(preceding.value)
    if (holders.every((has) => contains(has, transactions))) low = middle
    else high = middle - 1
  }
  return ok(low)
}

async function proven(
  session: ActSession,
  { before, files, first }: { readonly before: readonly LogFile[]; readonly files: number; readonly first: string },
): Promise<Result<Purged>> {
  const after = await listLogs(session)
  if (!after.ok) return after
  const [oldest] = after.value
  if (oldest?.name !== first)
    return fail(
      'wrong-state',
      `${session.name} keeps ${oldest?.name ?? 'no file'}: a session reads it or the engine has not stored all that is in it, ${first} was to be the oldest`,
    )
  const gone = megabytes(before.slice(0, files))
  const text = `${session.name}: ${counted(files, 'binary log')} (${gone}) deleted, ${first} is the oldest of ${after.value.length} (${megabytes(after.value)})`
  return ok({ files, text })
}

/** Oldest first. */
async function listLogs(session: ActSession): Promise<Result<readonly LogFile[]>> {
  const listed = await session.ask(binaryLogs)
  if (!listed.ok) return listed
  return ok(listed.value.map((row) => ({ name: textIn(row, 'Log_name'), bytes: numberIn(row, 'File_size') })))
}

const megabytes = (files: readonly LogFile[]): string =>
  `${(files.reduce((sum, { bytes }) => sum + bytes, 0) / 1024 ** 2).toFixed(1)} MB`
