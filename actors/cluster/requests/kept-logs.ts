// The logs that hosts sent, in place of those of a server that does not answer, and in front of those of one that does.
import { type LogTask, readKeptLog } from '../../../lib/backup/hosts/index.js'
import { ok, type Result } from '../../../lib/base/result.js'
import type { Rows, ServerRead } from '../../../lib/dialect/index.js'
import { parseErrorLog, parseSqlErrors } from '../../../lib/dialect/reads/error-log.js'
import { parseSlowLog } from '../../../lib/dialect/reads/slow-log.js'
import { textIn } from '../../../lib/dialect/statement/rows.js'
import type { LiveAnswer } from '../../../lib/effect/reads/live-reads.js'

/** Bytes of a log that are read of what was sent. */
const TAIL_BYTES = 256 * 1024

type LogRead = Extract<ServerRead, 'error-log' | 'slow-queries'>

const sources: Readonly<Record<LogRead, readonly (readonly [LogTask, (text: string) => Rows])[]>> = {
  'error-log': [
    ['errorlog', parseErrorLog],
    ['sqlerrors', parseSqlErrors],
  ],
  'slow-queries': [['slowquery', parseSlowLog]],
}

/** As of the moment when a host sent last; the failure where none ever did. */
export async function readKept(
  directory: string,
  { what, rows, failure }: { readonly what: LogRead; readonly rows: number; readonly failure: Result<never> },
): Promise<Result<LiveAnswer>> {
  const read = sources[what].map(async ([task, parse]) => {
    const kept = await readKeptLog(directory, task, TAIL_BYTES)
    return kept.ok ? [{ at: kept.value.at, rows: parse(kept.value.text) }] : []
  })
  const kept = (await Promise.all(read)).flat()
  if (kept.length === 0) return failure
  const entries = kept.flatMap((each) => each.rows)
  const newest = entries.toSorted((left, right) => (textIn(left, 'at') < textIn(right, 'at') ? 1 : -1))
  return ok({ at: Math.max(...kept.map(({ at }) => at)), rows: newest.slice(0, rows) })
}

/** What was sent of a file, before what it holds now: a log that was fetched goes on empty. */
export async function withKept(directory: string, file: string, text: string): Promise<string> {
  if (text.length >= TAIL_BYTES) return text
  for (const task of ['errorlog', 'slowquery', 'sqlerrors'] as const) {
    const kept = await readKeptLog(directory, task, TAIL_BYTES - text.length)
    if (kept.ok && kept.value.place === file) return kept.value.text + text
  }
  return text
}
