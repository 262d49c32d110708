// Waits until a server has applied given transactions: the server wakes us, and a stopped applier ends the wait.
import { transactions } from '../../base/counted.js'
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND, sleep } from '../../base/time.js'
import { contains, countTransactions, type GtidSet, subtract } from '../../model/server/gtid.js'
import { ownChannel } from '../../model/server/own-channel.js'
import type { Channel, ServerState } from '../../model/server/reading.js'
import type { ServerAddress, ServerId } from '../../model/server/server.js'
import type { Run } from '../kit/context.js'
import { execute, memberOf, readServer } from '../kit/statements.js'

/** Longest wait inside the server before its threads are listed again. */
const SLICE_MS = 500

/** Time left to read a last answer, so that a wait ends with words and not with a lost session. */
export const ANSWER_MS = 50

/** The channel by which the server follows this cluster, in the state just read of it. */
export const channelOf = (run: Run, server: ServerId, state: ServerState): Channel | undefined =>
  ownChannel(state.channels, {
    name: run.context.settings().replication.channel,
    others: run.context.server(server)?.replication?.others ?? [],
    foreign: run.context.server(server)?.replication?.foreign ?? [],
  })

/** The name of the channel to act on: the one that a state shows, else as last read, else the configured one. */
export const channelName = (run: Run, server: ServerId, state?: ServerState): string =>
  (state && channelOf(run, server, state)?.name) ??
  run.context.server(server)?.replication?.channel ??
  run.context.settings().replication.channel

/** Whether the channel's source is the server at this address. */
export const isAt = ({ source }: Channel, { host, port }: ServerAddress): boolean =>
  source.host.toLowerCase() === host.toLowerCase() && source.port === port

/** Everything the server has received on the cluster's channel, applied or not. */
export const receivedBy = (run: Run, server: ServerId, state: ServerState): GtidSet =>
  channelOf(run, server, state)?.received ?? state.gtid.executed

export interface Awaited {
  readonly server: ServerId
  readonly wanted: GtidSet
  /** The state just read, when there is one: an up-to-date server then costs no further probe. */
  readonly state?: ServerState
  /** A server that does not answer for this long is given up, milliseconds; without it only the timeout of the command applies. */
  readonly silentMs?: number
}

/**
 * Resolves with the state in which the server has applied `wanted`. Fails when its applier stops, with its error, or
 * with `deadline-passed` and the number of transactions that are left.
 */
export async function untilApplied(run: Run, awaited: Awaited): Promise<Result<ServerState>> {
  const { server, wanted, state: known, silentMs = Number.POSITIVE_INFINITY } = awaited
  const patient: Run = { ...run, remaining: () => Math.min(silentMs, run.remaining()) }
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  const position = dialect.positionText(wanted)
  for (let state = known; ; state = undefined) {
    const reading = state ? ok(state) : await readServer(patient, server)
    if (!reading.ok) return reading
    if (contains(reading.value.gtid.executed, wanted)) return reading
    const left = countTransactions(subtract(wanted, reading.value.gtid.executed))
    const channel = channelOf(run, server, reading.value)
    if (channel?.sql !== 'running')
      return fail('step-failed', `${spec.name} applies nothing: ${stopReason(channel)}; ${transactions(left)} to apply`)
    if (run.signal.aborted || run.remaining() <= ANSWER_MS)
      return fail('deadline-passed', `${spec.name} still has ${transactions(left)} to apply${waiting(run, server)}`)
    const waitMs = Math.min(SLICE_MS, run.remaining() - ANSWER_MS)
    const wait = dialect.waitApplied(position, waitMs / SECOND)
    const waited = await execute(patient, { server, statements: [wait], late: true })
    if (!waited.ok && waited.failure.code === 'sql-silent' && silentMs < run.remaining()) return waited
    if (!waited.ok) await sleep(Math.min(20, run.remaining()), run.signal)
  }
}

const waiting = (run: Run, server: ServerId): string => {
  const waits = run.context.waits(server)
  return waits === undefined ? '' : `: ${waits}`
}

const stopReason = (channel: Channel | undefined): string => {
  if (!channel) return 'it has no replication channel'
  const { code, message } = channel.sqlError
  return code === 0 ? 'its SQL thread is stopped' : `its SQL thread is stopped by error ${code}: ${message}`
}
