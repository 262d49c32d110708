// Empties the binary log of a server so that those who follow it find their place in the new one.
import { done, type Failure, fail, ok, type Result } from '../../base/result.js'
import { SECOND, sleep } from '../../base/time.js'
import type { LogOutcome } from '../../model/memory.js'
import { contains, type GtidSet } from '../../model/server/gtid.js'
import { channelNamed } from '../../model/server/own-channel.js'
import type { ServerState } from '../../model/server/reading.js'
import type { ActAnswer } from '../../model/server/server-act.js'
import type { EffectServer } from '../kit/server.js'
import { coordinates } from '../primary/promote.js'
import { type ActSession, PAUSE_MS, withActSession } from './act-session.js'
import type { Pauses } from './pauses.js'

/** Longest wait for running commits and table locks of the server. */
const LOCK_SECONDS = 3
/** No client writes while followers catch up, so that is short. */
const CATCH_UP_MS = 8 * SECOND
/** Longest time to start a follower again. */
const FOLLOWER_MS = 6 * SECOND

/** What is remembered of the deletion, since probes may see it before its outcome is known. */
export interface Deletion {
  /** Resolves when it is kept that the log, with this history, is about to be deleted. Failure: it cannot be, so delete nothing. */
  begin(history?: string): Promise<Result<void>>
  /** Always called, since nothing is concluded from the server until then. */
  end(outcome: LogOutcome): void
}

export interface ResetRequest {
  /** What was executed before still counts: the server replicates, or others follow it. */
  readonly keepsHistory: boolean
  /** Those that follow it and answer. */
  readonly followers: readonly EffectServer[]
  /** `replication-source-name`: the channel of a follower of which no other was read. */
  readonly channel: string
  /** Keeps in mind whose replication is stopped. */
  readonly pauses: Pauses
  readonly deletion: Deletion
  /** Checked again when no client writes and all servers are ready: may it still be done. */
  readonly mayGoOn: () => Result<void>
}

/**
 * No client writes while it lasts: a lock of the session, which ends with it. Followers stop receiving when they have applied
 * everything, and begin again at the head of the new log. When one of them does not get that far, nothing is reset.
 */
export async function resetBinlogs(session: ActSession, request: ResetRequest): Promise<Result<ActAnswer>> {
  const { dialect, name } = session
  if (!request.keepsHistory) {
    const reset = await deleteLog(session, request)
    return reset.ok ? proven(session, `${name}: its binary log and its transaction numbers start over`) : reset
  }
  const state = await session.read()
  if (!state.ok) return state
  const own = state.value.channels.filter(({ sql }) => sql !== 'stopped').map((channel) => channel.name)
  const { id } = session.server.spec
  const kept = own.length === 0 ? done : await request.pauses.begin(id, own)
  if (!kept.ok) return kept
  const paused = await session.run(own.flatMap((channel) => dialect.stopReplication(channel)))
  const reset = paused.ok ? await resetLocked(session, request) : paused
  const resumed = await session.run(own.flatMap((channel) => dialect.startReplication(channel)))
  if (own.length > 0) request.pauses.end(id, resumed.ok ? undefined : own)
  if (!reset.ok) return reset
  if (!resumed.ok) return fail('step-failed', `${reset.value}, but it ${notStarted(resumed.failure)}`)
  return proven(session, reset.value)
}

const notStarted = ({ message }: Failure): string => `does not follow, which is tried again: ${message}`

/** Answers what was done, for people. */
async function resetLocked(session: ActSession, request: ResetRequest): Promise<Result<string>> {
  const { dialect, name } = session
  const locked = await session.run(dialect.globalReadLock(LOCK_SECONDS))
  if (!locked.ok) return locked
  const stopped: EffectServer[] = []
  const reset = await emptyLog(session, request, stopped)
  const failed = await startAll(request, stopped)
  const unlocked = await session.run(dialect.unlock())
  if (failed.length > 0)
    return fail('step-failed', `${reset.ok ? `${name}: its binary log starts over, but ` : ''}${failed.join('; ')}`)
  if (!reset.ok) return reset
  if (!unlocked.ok) return unlocked
  const names = request.followers.map(({ spec }) => spec.name).join(', ')
  return ok(
    `${name}: its binary log starts over, transactions go on being counted${names === '' ? '' : `; ${names} follow the new log`}`,
  )
}

async function emptyLog(session: ActSession, request: ResetRequest, stopped: EffectServer[]): Promise<Result<unknown>> {
  const state = await session.read()
  if (!state.ok) return state
  for (const follower of request.followers) {
    const channel = channelTo(request, follower)
    const stopping = () => {
      stopped.push(follower)
      return request.pauses.begin(follower.spec.id, [channel])
    }
    const wanted = state.value.gtid.executed
    const ready = await stopWhenEqual(session, follower, { wanted, channel, stopping })
    if (!ready.ok) return ready
  }
  const history = await session.ask(session.dialect.binlogHistory())
  if (!history.ok) return history
  const may = request.mayGoOn()
  if (!may.ok) return may
  return deleteLog(session, request, { state: state.value, text: String(history.value[0]?.history ?? '') })
}

interface History {
  readonly state: ServerState
  /** The same, as the server takes it. */
  readonly text: string
}

async function deleteLog(session: ActSession, { deletion }: ResetRequest, history?: History): Promise<Result<unknown>> {
  let outcome: LogOutcome = 'unknown'
  try {
    const begun = await deletion.begin(history?.text)
    if (!begun.ok) return begun
    const reset = await session.run(session.dialect.resetBinlogs(history?.text))
    outcome = history ? await outcomeOf(session, history, reset.ok) : reset.ok ? 'begun-again' : 'unknown'
    return reset
  } finally {
    deletion.end(outcome)
  }
}

/**
 * Read while no client writes: the numbers go on where everything that was executed still counts. That cannot be read any more: they go
 * on where the server accepted the history.
 */
async function outcomeOf(session: ActSession, { state }: History, isDone: boolean): Promise<LogOutcome> {
  const now = await session.read()
  if (!now.ok) return isDone ? 'continued' : 'unknown'
  return contains(now.value.gtid.byOrigin, state.gtid.byOrigin) ? 'continued' : 'begun-again'
}

interface StopWish {
  readonly wanted: GtidSet
  readonly channel: string
  /** Called before it is stopped, unless it receives nothing anyway; a failure leaves it running. */
  readonly stopping: () => Promise<Result<void>>
}

/** A follower that has applied `wanted` receives nothing from then on; one that does not get there is a failure. */
function stopWhenEqual(
  session: ActSession,
  follower: EffectServer,
  { wanted, channel: name, stopping }: StopWish,
): Promise<Result<void>> {
  const { spec, dialect } = follower
  const limitMs = Math.min(CATCH_UP_MS, session.remaining())
  return withActSession(follower, { limitMs, signal: session.signal }, async (there) => {
    for (;;) {
      const state = await there.read()
      if (!state.ok) return state
      const channel = channelNamed(state.value.channels, name)
      if (!channel?.usesGtid)
        return fail('wrong-state', `${spec.name} follows without GTID and would lose its place: nothing was reset`)
      if (contains(state.value.gtid.executed, wanted)) {
        if (channel.io === 'stopped') return done
        break
      }
      if (channel.sql !== 'running' || there.remaining() < SECOND)
        return fail('wrong-state', `${spec.name} has not applied everything: nothing was reset`)
      await sleep(PAUSE_MS, there.signal)
    }
    const kept = await stopping()
    if (!kept.ok) return kept
    const stopped = await there.run(dialect.stopReplication(name))
    return stopped.ok ? done : stopped
  })
}

/** Each replica may follow by a channel of another name. */
const channelTo = ({ channel }: ResetRequest, { replication }: EffectServer): string => replication?.channel ?? channel

/** What went wrong, by follower; each is started in a separate session, also when the reset failed. */
async function startAll(request: ResetRequest, stopped: readonly EffectServer[]): Promise<readonly string[]> {
  const failed: string[] = []
  for (const follower of stopped) {
    const { spec, dialect } = follower
    const channel = channelTo(request, follower)
    const never = new AbortController().signal
    const started = await withActSession(follower, { limitMs: FOLLOWER_MS, signal: never }, (there) =>
      there.run(dialect.startReplication(channel)),
    )
    request.pauses.end(spec.id, started.ok ? undefined : [channel])
    if (!started.ok) failed.push(`${spec.name} ${notStarted(started.failure)}`)
  }
  return failed
}

/** The first file of the binary log is the one it writes, and holds next to nothing. */
async function proven(session: ActSession, text: string): Promise<Result<ActAnswer>> {
  const status = await session.ask(session.dialect.binlogStatus())
  if (!status.ok) return status
  const log = coordinates(status.value)
  if (log && !/\.0+1$/.test(log.file)) return fail('wrong-state', `${session.name} still writes ${log.file}`)
  return ok({ text: `${text}${log ? `; it writes ${log.file}` : ''}` })
}
