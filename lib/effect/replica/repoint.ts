// Gives a replica another source and sees it running; starts and stops replication.
import { done, fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { hiddenPosition } from '../../decide/situation/history/own-position.js'
import { isTlsFailureText, refusedFiles } from '../../decide/situation/topology/tls-files.js'
import type { SourceTarget } from '../../dialect/index.js'
import type { Channel, ServerState, SourceFiles } from '../../model/server/reading.js'
import {
  addressText,
  isSameAddress,
  type ServerAddress,
  type ServerId,
  type ServerSpec,
} from '../../model/server/server.js'
import type { CommandOf, Effect, Run } from '../kit/context.js'
import { type EffectServer, sourcesOf } from '../kit/server.js'
import { execute, memberOf, readServer } from '../kit/statements.js'
import { channelName, channelOf, isAt, receivedBy, untilApplied } from '../primary/positions.js'
import { isNoChannel } from '../primary/promote.js'
import { followSomewhere } from './follow.js'
import { keepOwn } from './keep-own.js'
import { runs, untilRunning } from './running.js'

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
  const sources = sourcesOf(source.value)
  const followed = sources.find((address) => follows(channelOf(run, command.server, before.value), address))
  if (!command.renew && followed) return ok(followText(spec, source.value, followed))
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
    ...{ ...sourceTarget(command, run), delaySeconds: command.delaySeconds ?? kept },
    ...(files ? { tlsFiles: files } : {}),
    ...(position.value === undefined ? {} : { demote: false }),
  }
  const change = ({ host, port }: ServerAddress, isFirst: boolean) => [
    ...(isFirst ? stops : dialect.stopReplication(channel)),
    ...positions,
    ...dialect.changeSource(channel, { ...target, host, port }),
  ]
  let at: ServerAddress = source.value.spec
  const follow = async (): Promise<Result<unknown>> => {
    const answer = await followSomewhere(run, { replica: member.value, source: source.value, channel, change })
    if (answer.ok) at = answer.value
    return answer
  }
  const { server, own: lost, ifUnwritten = false } = command
  const up = lost ? await keepOwn(run, { server, own: lost, ifUnwritten }, follow) : await follow()
  if (up.ok) return ok(followText(spec, source.value, at))
  return own && isTlsFailure(up) ? goBack(run, command, { former: own, tried: target, why: up }) : up
}

interface FailedTls {
  /** As it was before the change. */
  readonly former: Channel
  readonly tried: Omit<SourceTarget, 'host' | 'port'>
  readonly why: Result<unknown>
}

/**
 * TLS with the files of the settings fails, and those that it had before worked: it follows the new source with them. Not as it was asked
 * for, so it is a failure all the same, with which the operation succeeds with losses.
 */
async function goBack(
  run: Run,
  command: CommandOf<'repoint'>,
  { former, tried, why }: FailedTls,
): Promise<Result<string>> {
  const [member, source] = [memberOf(run, command.server), memberOf(run, command.source)]
  const { tls = false, tlsFiles = {} } = former.source
  const isSame = JSON.stringify(tlsFiles) === JSON.stringify(tried.tlsFiles ?? tlsFiles) && tls === tried.tls
  if (why.ok || !member.ok || !source.ok || former.io !== 'running' || isSame) return asFailure(why)
  const { dialect } = member.value
  const channel = former.name
  // What it did not name before is named by nothing again: a change keeps what it does not mention.
  const cleared = Object.fromEntries(Object.keys(tried.tlsFiles ?? {}).map((name) => [name, '']))
  const target = { ...tried, demote: false, tls, tlsFiles: { ...cleared, ...tlsFiles } }
  const change = ({ host, port }: ServerAddress) => [
    ...dialect.stopReplication(channel),
    ...dialect.changeSource(channel, { ...target, host, port }),
  ]
  const up = await followSomewhere(run, { replica: member.value, source: source.value, channel, change })
  if (!up.ok) return asFailure(why)
  return fail(
    'step-failed',
    `it follows ${source.value.spec.name} with the TLS settings that it had before: ${why.failure.message}`,
  )
}

const asFailure = (result: Result<unknown>): Result<string> => (result.ok ? ok('') : result)

const isTlsFailure = (result: Result<unknown>): boolean => !result.ok && isTlsFailureText(result.failure.message)

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
  run: Run,
): Omit<SourceTarget, 'host' | 'port' | 'delaySeconds' | 'tlsFiles'> {
  const { channel: _, tlsFiles: __, hosts: ___, ...replication } = run.context.settings().replication
  return { ...replication, demote: command.demote ?? false }
}

/** `db3 follows db2`, with the address where that is not the manager's. */
const followText = ({ name }: ServerSpec, { spec }: EffectServer, at: ServerAddress): string =>
  `${name} follows ${spec.name}${isSameAddress(at, spec) ? '' : ` over ${addressText(at)}`}`

/** A server keeps the files of its channel that work; one that was a primary has none, and gets those that the others use. */
function filesFor(run: Run, channel: Channel | undefined): SourceFiles | undefined {
  const { own, others } = run.context.settings().replication.tlsFiles ?? {}
  const works = channel?.source.tlsFiles !== undefined && refusedFiles(channel) === undefined
  return own ?? (works ? undefined : others)
}

const follows = (channel: Channel | undefined, source: ServerAddress): boolean =>
  channel?.usesGtid === true && isAt(channel, source) && runs(channel)
