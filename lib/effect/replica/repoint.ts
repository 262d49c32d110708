// Gives a replica another source and sees it running; starts and stops replication.
import { done, fail, ok, type Result } from '../../base/result.js'
import { SECOND, sleep } from '../../base/time.js'
import { hiddenPosition } from '../../decide/situation/history/own-position.js'
import type { SourceTarget } from '../../dialect/index.js'
import type { Channel, ServerState, SourceFiles } from '../../model/server/reading.js'
import { addressText, type ServerAddress, type ServerId } from '../../model/server/server.js'
import type { CommandOf, Effect, Run } from '../kit/context.js'
import type { EffectServer } from '../kit/server.js'
import { execute, memberOf, readServer } from '../kit/statements.js'
import { ANSWER_MS, channelName, channelOf, isAt, receivedBy, untilApplied } from '../primary/positions.js'
import { isNoChannel } from '../primary/promote.js'
import { keepOwn } from './keep-own.js'

/** Threads that come up and stop again do so within this time. */
const SETTLE_MS = 40

/** Longest wait for what was received before: with semi-sync the commits of the new source wait meanwhile. */
const FINISH_MS = SECOND

/** A patient wait leaves this time for the change itself. */
const CHANGE_MS = 3 * SECOND

/**
 * Finish what was received, stop, change, start, then watch until the source has accepted the position. Following already
 * is done. A delay that was set on the server itself is kept.
 */
export const repoint: Effect<'repoint'> = async (command, run) => {
  const member = memberOf(run, command.server)
  const source = memberOf(run, command.source)
  if (!member.ok) return member
  if (!source.ok) return source
  const { spec, dialect } = member.value
  const before = await readServer(run, command.server)
  if (!before.ok) return before
  const running = ok(`${spec.name} follows ${source.value.spec.name}`)
  if (!command.renew && follows(channelOf(run, command.server, before.value), source.value.spec)) return running
  const finished = command.atOnce ? done : await finishReceived(run, command, before.value)
  if (!finished.ok && command.patient) return goOn(run, member.value, finished)
  run.notes.stopped.delete(command.server)
  const own = channelOf(run, command.server, before.value)
  const channel = channelName(run, command.server, before.value)
  const stops = own ? dialect.stopReplication(channel) : []
  const position = command.demote ? await ownPosition(run, command.server) : ok(undefined)
  if (!position.ok) return position
  const positions = position.value === undefined ? [] : dialect.setReplicaPosition(position.value)
  const kept = own?.delaySeconds ?? 0
  const files = filesFor(run, own)
  const target = {
    ...{ ...sourceTarget(command, source.value, run), delaySeconds: command.delaySeconds ?? kept },
    ...(files ? { tlsFiles: files } : {}),
  }
  const changes = [
    ...positions,
    ...dialect.changeSource(channel, position.value === undefined ? target : { ...target, demote: false }),
  ]
  const statements = [...stops, ...changes, ...dialect.startReplication(channel)]
  const follow = async (): Promise<Result<unknown>> => {
    const answer = await execute(run, { server: command.server, statements })
    return answer.ok ? untilRunning(run, command.server, source.value.spec) : answer
  }
  const { server, own: lost, ifUnwritten = false } = command
  const up = lost ? await keepOwn(run, { server, own: lost, ifUnwritten }, follow) : await follow()
  return up.ok ? running : up
}

/**
 * The position of a server that was a primary, where the server would compute a wrong one: its binary log holds transactions
 * under another server_id than it has now, and MariaDB counts only those under its present one as its own.
 */
async function ownPosition(run: Run, server: ServerId): Promise<Result<string | undefined>> {
  const state = await readServer(run, server)
  return state.ok ? ok(hiddenPosition(state.value)) : state
}

/**
 * Changing the source throws the relay log away, and what is in it was acknowledged perhaps: until it is fetched again it
 * would be on one server only. So it is applied first: as far as that takes no more than a moment where others wait for
 * the change, to its end where no server does. An applier that is stopped or kept behind has nothing to finish.
 */
async function finishReceived(
  run: Run,
  { server, patient }: CommandOf<'repoint'>,
  before: ServerState,
): Promise<Result<unknown>> {
  const stopped = await stopReceiver(run, server, before)
  const channel = stopped && channelOf(run, server, stopped)
  if (!stopped || channel?.sql !== 'running' || channel.delaySeconds > 0) return done
  const limitMs = patient ? run.remaining() - CHANGE_MS : Math.min(FINISH_MS, run.remaining() / 2)
  const until = run.context.now() + limitMs
  const within: Run = { ...run, remaining: () => Math.max(0, until - run.context.now()) }
  return untilApplied(within, { server, wanted: receivedBy(run, server, stopped), state: stopped })
}

/** It continues, applies the rest and is repointed again. */
async function goOn(run: Run, { spec, dialect }: EffectServer, why: Result<unknown>): Promise<Result<string>> {
  await execute(run, { server: spec.id, statements: dialect.startReplication(channelName(run, spec.id)) })
  return why.ok ? ok(`${spec.name} goes on`) : why
}

/** The state in which its I/O thread is stopped; undefined when unknown. */
async function stopReceiver(run: Run, server: ServerId, before: ServerState): Promise<ServerState | undefined> {
  const member = memberOf(run, server)
  const channel = channelOf(run, server, before)
  if (!member.ok || !channel || channel.io === 'stopped') return before
  const answer = await execute(run, { server, statements: member.value.dialect.stopReceiving(channel.name) })
  const after = answer.ok ? await readServer(run, server) : answer
  return after.ok ? after.value : undefined
}

export const startReplication: Effect<'start-replication'> = async ({ server, channels }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  const channel = channelName(run, server)
  run.notes.stopped.delete(server)
  const statements = (channels ?? [channel]).flatMap((name) => dialect.startReplication(name))
  const answer = await execute(run, { server, statements })
  if (!answer.ok) return answer
  if (channels && !channels.includes(channel)) return ok(`${spec.name} replicates by ${channels.join(', ')}`)
  const up = await untilRunning(run, server)
  return up.ok ? ok(`${spec.name} replicates`) : up
}

export const stopReplication: Effect<'stop-replication'> = async ({ server }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  const answer = await execute(run, { server, statements: dialect.stopReplication(channelName(run, server)) })
  return answer.ok || isNoChannel(answer.failure) ? ok(`${spec.name} does not replicate`) : answer
}

function sourceTarget(
  command: CommandOf<'repoint'>,
  source: EffectServer,
  run: Run,
): Omit<SourceTarget, 'delaySeconds' | 'tlsFiles'> {
  const { channel: _, tlsFiles: __, ...replication } = run.context.settings().replication
  return {
    ...replication,
    host: source.spec.host,
    port: source.spec.port,
    demote: command.demote ?? false,
  }
}

/** A server keeps the files of its channel; one that was a primary has none, and gets those that the others use. */
function filesFor(run: Run, channel: Channel | undefined): SourceFiles | undefined {
  const { own, others } = run.context.settings().replication.tlsFiles ?? {}
  return own ?? (channel?.source.tlsFiles ? undefined : others)
}

const runs = ({ io, sql }: Channel): boolean => io === 'running' && sql === 'running'

const follows = (channel: Channel | undefined, source: ServerAddress): boolean =>
  channel?.usesGtid === true && isAt(channel, source) && runs(channel)

/**
 * Watches until the channel runs: for a moment, or, from a new `source`, until the first event has come. A thread that
 * stops with an error ends the wait with it.
 */
async function untilRunning(run: Run, server: ServerId, source?: ServerAddress): Promise<Result<ServerState>> {
  let upSince: number | undefined
  let last: Channel | undefined
  for (let pause = 5; ; pause = Math.min(pause * 2, 200)) {
    const reading = await readServer(run, server)
    if (!reading.ok) return last && run.remaining() <= 0 ? fail('deadline-passed', notRunning(last)) : reading
    const channel = channelOf(run, server, reading.value)
    last = channel
    if (!channel) return fail('step-failed', `${server} has no replication channel`)
    if (source && !isAt(channel, source))
      return fail('step-failed', `it follows ${addressText(channel.source)} instead of ${addressText(source)}`)
    // The name of the source's file stays empty until it has found the position and sent its first event.
    if (source && runs(channel) && channel.readFile !== '') return reading
    upSince = runs(channel) ? (upSince ?? run.context.now()) : undefined
    if (!source && upSince !== undefined && run.context.now() - upSince >= SETTLE_MS) return reading
    const stopped = stopError(channel)
    if (stopped !== undefined) return fail('step-failed', stopped)
    if (run.signal.aborted || run.remaining() <= ANSWER_MS) return fail('deadline-passed', notRunning(channel))
    await sleep(Math.min(pause, run.remaining() - ANSWER_MS), run.signal)
  }
}

/** A thread that ended by an error does not restart automatically; one that still connects does. */
function stopError({ io, sql, ioError, sqlError }: Channel): string | undefined {
  if (io === 'stopped' && ioError.code !== 0) return `the I/O thread stopped: error ${ioError.code}: ${ioError.message}`
  if (sql === 'stopped' && sqlError.code !== 0)
    return `the SQL thread stopped: error ${sqlError.code}: ${sqlError.message}`
  return undefined
}

const notRunning = ({ io, sql, ioError }: Channel): string =>
  `I/O thread ${io}, SQL thread ${sql}${ioError.code === 0 ? '' : `: error ${ioError.code}: ${ioError.message}`}`
