// A slow probe: each part separately, so that a refused one does not affect the others.
import { ok, type Result } from '../base/result.js'
import {
  type Dialect,
  identify,
  isDiskFull,
  parseIdentity,
  type Rows,
  type SlowAnswers,
  type SlowPart,
  type Statement,
} from '../dialect/index.js'
import type { SlowReading } from '../model/server/reading.js'
import type { ServerIdentity } from '../model/server/server.js'

export interface SlowLook {
  readonly dialect: Dialect
  readonly replicationUser: string
  run(statement: Statement): Promise<Result<readonly Rows[]>>
}

type SlowAnswer = Omit<SlowReading, 'server' | 'at'> & { readonly identity: ServerIdentity }

/** Ends at the first failure that is not a refused statement. Identifies the server again: plugins are added and removed. */
export async function readSlowly({ dialect, replicationUser, run }: SlowLook): Promise<Result<SlowAnswer>> {
  const identified = await run(identify)
  if (!identified.ok) return identified
  const answers: Partial<Record<SlowPart, Rows>> = {}
  const parts = Object.entries(dialect.slowProbe(replicationUser)) as [SlowPart, Statement][]
  let diskFull = false
  for (const [part, statement] of parts) {
    if (diskFull && waitingParts.has(part)) continue
    const answer = await run(statement)
    if (!answer.ok && answer.failure.code !== 'sql-failed') return answer
    if (answer.ok) answers[part] = answer.value[0] ?? []
    if (part === 'spaceWaits')
      diskFull = answer.ok ? Number(answer.value[0]?.[0]?.waiting ?? 0) > 0 : isDiskFull(answer.failure.message)
  }
  const { identity } = parseIdentity(identified.value)
  const reading = dialect.parseSlowProbe(answers satisfies SlowAnswers)
  return ok({ ...reading, ...(diskFull ? { diskFull } : {}), identity })
}

/** They wait for the lock on the binary log, which a write that waits for free space holds. */
const waitingParts: ReadonlySet<SlowPart> = new Set(['binlog', 'binlogs'])
