// Commits that take seconds: the same statement is seen in its commit again and again, and nothing but the disk can hold it up.
import type { Result } from '../base/result.js'
import { SECOND, sleep } from '../base/time.js'
import type { Dialect, Rows, Statement } from '../dialect/index.js'
import type { CommitWaits } from '../model/server/reading.js'

/** Pauses between the readings, together just above COMMIT_MS. */
const pauses = [250, 750, 1_100] as const
/** A commit that takes less is none to be reported. */
export const COMMIT_MS = 2 * SECOND

type Commits = ReadonlyMap<string, number>

/** Undefined where no commit takes so long, where there is another cause, and where the sessions cannot be read. */
export async function readCommitWaits(
  dialect: Pick<Dialect, 'commitsUnderWay'>,
  run: (statement: Statement) => Promise<Result<readonly Rows[]>>,
  pause: (ms: number) => Promise<void> = sleep,
): Promise<CommitWaits | undefined> {
  const read = async (): Promise<Commits> => {
    const answer = await run(dialect.commitsUnderWay())
    return answer.ok ? commitsOf(answer.value[0] ?? []) : new Map()
  }
  let same = await read()
  for (const ms of pauses) {
    if (same.size === 0) return undefined
    await pause(ms)
    const now = await read()
    same = new Map([...now].filter(([key]) => same.has(key)))
  }
  return same.size === 0 ? undefined : { sessions: same.size, seconds: Math.max(...same.values()) }
}

/** By session and statement: for how long it has been running. None while a commit waits for a replica or for space: others may wait for it. */
function commitsOf(rows: Rows): Commits {
  if (rows.some(({ other }) => Number(other) === 1)) return new Map()
  return new Map(rows.map(({ id, statement, seconds }) => [`${id} ${statement}`, Number(seconds)]))
}
