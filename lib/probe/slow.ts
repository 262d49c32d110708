// A slow probe: each part separately, so that a refused one does not affect the others.
import { ok, type Result } from '../base/result.js'
import {
  type Dialect,
  identify,
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
  for (const [part, statement] of parts) {
    const answer = await run(statement)
    if (answer.ok) answers[part] = answer.value[0] ?? []
    else if (answer.failure.code !== 'sql-failed') return answer
  }
  const { identity } = parseIdentity(identified.value)
  return ok({ ...dialect.parseSlowProbe(answers satisfies SlowAnswers), identity })
}
