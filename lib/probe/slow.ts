// A slow probe: all parts together, or each separately, so that a refused one does not affect the others.
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
import type { Watched } from '../model/server/watched.js'
import { readCommitWaits } from './commit-waits.js'

export interface SlowLook {
  readonly dialect: Dialect
  readonly replicationUser: string
  readonly watched: Watched
  /** What a newer session than this one shows of its limit. */
  readonly sessionLimit?: Rows
  run(statement: Statement): Promise<Result<readonly Rows[]>>
}

type SlowAnswer = Omit<SlowReading, 'server' | 'at' | 'tookMs'> & { readonly identity: ServerIdentity }

/**
 * Identifies the server again: plugins are added and removed. Ends at the first failure that is not a refused statement. Three
 * round trips where nothing is refused, so that it ends in time on a server far away, too.
 */
export async function readSlowly(look: SlowLook): Promise<Result<SlowAnswer>> {
  const { dialect, replicationUser, watched, sessionLimit, run } = look
  const identified = await run(identify)
  if (!identified.ok) return identified
  const parts = Object.entries(dialect.slowProbe(replicationUser, watched)) as readonly Part[]
  const first = await readParts(
    parts.filter(([part]) => !waitingParts.has(part) && !apartParts.has(part)),
    run,
  )
  if (!first.ok) return first
  const { spaceWaits } = first.value
  const diskFull = spaceWaits?.ok ? Number(spaceWaits.value[0]?.waiting ?? 0) > 0 : isFull(spaceWaits)
  const isCommitting = spaceWaits?.ok === true && Number(spaceWaits.value[0]?.committing ?? 0) > 0
  const logFull = diskFull && isCommitting
  // Where no commit is a second old, no more is asked: a server far away is still read in time.
  const commitWaits = !diskFull && isCommitting ? await readCommitWaits(dialect, run) : undefined
  const waiting = await readParts(diskFull || commitWaits ? [] : parts.filter(([part]) => waitingParts.has(part)), run)
  if (!waiting.ok) return waiting
  const asks = watched.events === true || runsEvents(first.value.variables)
  const optional = await readParts(
    parts.filter(([part]) => apartParts.has(part) && (part !== 'events' || asks)),
    run,
  )
  if (!optional.ok) return optional
  const { identity } = parseIdentity(identified.value)
  const answers = Object.entries({ ...first.value, ...waiting.value, ...optional.value }).flatMap(([part, answer]) =>
    answer.ok ? [[part, answer.value] as const] : [],
  )
  const reading = dialect.parseSlowProbe({
    ...Object.fromEntries(answers),
    ...(sessionLimit ? { sessionLimit } : {}),
  } satisfies SlowAnswers)
  return ok({
    ...reading,
    ...(diskFull ? { diskFull } : {}),
    ...(logFull ? { logFull } : {}),
    ...(commitWaits ? { commitWaits } : {}),
    identity,
  })
}

type Part = readonly [SlowPart, Statement]
type Parts = Readonly<Partial<Record<SlowPart, Result<Rows>>>>

const isFull = (answer: Result<Rows> | undefined): boolean =>
  answer !== undefined && !answer.ok && isDiskFull(answer.failure.message)

/** All in one text; each alone when the server refuses one of them, or answers fewer. */
async function readParts(parts: readonly Part[], run: SlowLook['run']): Promise<Result<Parts>> {
  if (parts.length === 0) return ok({})
  const together = await run({
    sql: parts.map(([, { sql }]) => sql).join(';'),
    values: parts.flatMap(([, { values }]) => values),
  })
  const isWhole = together.ok && together.value.length === parts.length
  if (isWhole) return ok(Object.fromEntries(parts.map(([part], index) => [part, ok(together.value[index] ?? [])])))
  if (!together.ok && together.failure.code !== 'sql-failed') return together
  const answers: [SlowPart, Result<Rows>][] = []
  for (const [part, statement] of parts) {
    const answer = await run(statement)
    if (!answer.ok && answer.failure.code !== 'sql-failed') return answer
    answers.push([part, answer.ok ? ok(answer.value[0] ?? []) : answer])
  }
  return ok(Object.fromEntries(answers))
}

/** They wait for the lock on the binary log, which a write that waits for free space, or for the disk, holds. */
const waitingParts: ReadonlySet<SlowPart> = new Set(['binlog', 'binlogs'])

/** What many servers do not have, or an account may not read: asked apart, so that a refusal does not take the others with it. */
const apartParts: ReadonlySet<SlowPart> = new Set(['disks', 'events', 'readOnlyOrigin'])

/** By the variables of the same reading: other servers are not asked for their events. */
const runsEvents = (variables: Result<Rows> | undefined): boolean =>
  variables?.ok === true &&
  variables.value.some(({ Variable_name, Value }) => Variable_name === 'event_scheduler' && Value === 'ON')
