// The event scheduler of a server, and the events that belong to a primary.
import { counted } from '../../base/counted.js'
import { fail, ok, type Result } from '../../base/result.js'
import { grantLines, grantStatements, MOST_EVENTS, parseGrants, schedulerPrivilege } from '../../dialect/index.js'
import { refusedEvents } from '../../model/server/events.js'
import type { EventKey, KnownEvent } from '../../model/server/reading.js'
import type { ServerId } from '../../model/server/server.js'
import type { Effect, Run } from '../kit/context.js'
import type { EffectServer } from '../kit/server.js'
import { execute, isDenied, memberOf } from '../kit/statements.js'

/** Off is what keeps events from writing on a read-only server: without such events nothing is to be kept. */
export const setEvents: Effect<'set-events'> = async ({ server, on }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  const answer = await execute(run, { server, statements: dialect.setEventScheduler(on) })
  if (answer.ok) return ok(`the event scheduler of ${spec.name} is ${on ? 'on' : 'off'}`)
  if (on || dialect.capabilities.flavour !== 'mariadb' || !isDenied(answer.failure)) return answer
  return judgeRunning(run, member.value)
}

/** The scheduler stays on: that is enough where no enabled event writes through read-only. */
async function judgeRunning(run: Run, { spec, dialect }: EffectServer): Promise<Result<string>> {
  const read = await execute(run, { server: spec.id, statements: [dialect.ownGrants(), dialect.enabledEvents()] })
  const account = read.ok ? parseGrants(grantLines(read.value[0] ?? [])).account : ''
  const grants = grantStatements([schedulerPrivilege], account)
  if (!read.ok)
    return fail(
      'event-scheduler',
      `${spec.name}: its event scheduler cannot be switched off without ${schedulerPrivilege.name}, and its events cannot be read: ${read.failure.message}`,
    )
  const events = dialect.parseEvents(read.value[1] ?? []).filter(({ privileged }) => privileged)
  if (events.length > 0) return fail('event-scheduler', refusedEvents(spec.name, events, grants))
  return ok(`the event scheduler of ${spec.name} stays on: none of its enabled events writes through read-only`)
}

/**
 * Each separately, under its own definer: one that cannot be enabled leaves the others enabled, and is named. Those that had
 * been disabled on the old primary came here in the same state as the others, and stay disabled.
 */
export const enableEvents: Effect<'enable-events'> = async ({ server, from, events }, run) => {
  const wanted = (from === undefined ? undefined : await readEnabled(run, from)) ?? events
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  const read = await execute(run, { server, statements: [dialect.ownGrants(), dialect.dormantEvents()] })
  if (!read.ok) return read
  const [grants = [], rows = []] = read.value
  const dormant = dialect.parseEvents(rows)
  if (dormant.length === 0 && !dialect.seesEveryEvent(parseGrants(grantLines(grants))))
    return fail(
      'step-failed',
      `${spec.name} shows no events without the privilege EVENT: GRANT EVENT ON *.* to the account`,
    )
  if (wanted === undefined) return dormant.length === 0 ? nothing(spec.name) : unknown(spec.name, dormant)
  const chosen = dormant.filter((event) => wanted.some((one) => isSame(one, event)))
  const missing = wanted.filter((one) => !dormant.some((event) => isSame(one, event)))
  const refused: string[] = []
  for (const event of chosen) {
    const answer = await execute(run, { server, statements: [dialect.enableEvent(event)] })
    if (!answer.ok) refused.push(`${nameOfEvent(event)}: ${answer.failure.message}`)
  }
  if (refused.length > 0) return fail('step-failed', `not enabled: ${refused.join('; ')}`)
  const left = dormant.length - chosen.length
  const others = left > 0 ? `; ${counted(left, 'other')} stay disabled, as when the old primary was last read` : ''
  const absent = missing.length > 0 ? `; not disabled here, or not seen: ${missing.map(nameOfEvent).join(', ')}` : ''
  return ok(`${counted(chosen.length, 'event')} of ${spec.name} enabled${others}${absent}`)
}

/** Undefined where it does not answer, or may not show all of them. */
async function readEnabled(run: Run, server: ServerId): Promise<readonly EventKey[] | undefined> {
  const dialect = run.context.server(server)?.dialect
  if (!dialect) return undefined
  // One that hangs leaves time for what is known of it.
  const within = { ...run, remaining: () => run.remaining() / 2 }
  const read = await execute(within, { server, statements: [dialect.ownGrants(), dialect.enabledEvents()] })
  if (!read.ok) return undefined
  const [grants = [], rows = []] = read.value
  return rows.length <= MOST_EVENTS && dialect.seesEveryEvent(parseGrants(grantLines(grants)))
    ? dialect.parseEvents(rows)
    : undefined
}

const nothing = (name: string) => ok(`${name} has no events that came from a source`)

const unknown = (name: string, events: readonly KnownEvent[]) =>
  fail(
    'step-failed',
    `it is not known which events were enabled on the old primary; on ${name} these are disabled: ${events.map(nameOfEvent).join(', ')}`,
  )

const isSame = (one: EventKey, other: EventKey): boolean => one.schema === other.schema && one.name === other.name

const nameOfEvent = ({ schema, name }: EventKey): string => `${schema}.${name}`
