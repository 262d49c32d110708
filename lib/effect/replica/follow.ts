// Lets a replica follow a server at the first of its addresses at which that works; the last one is the manager's.
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND, sleep } from '../../base/time.js'
import type { Statement } from '../../dialect/index.js'
import { channelNamed } from '../../model/server/own-channel.js'
import type { Channel } from '../../model/server/reading.js'
import { addressText, isSameAddress, type ServerAddress } from '../../model/server/server.js'
import { statedAddress } from '../../settings/kit/address.js'
import type { Run } from '../kit/context.js'
import { type EffectServer, sourcesOf } from '../kit/server.js'
import { execute, readServer } from '../kit/statements.js'
import { ANSWER_MS } from '../primary/positions.js'
import { notRunning, stopError, untilRunning } from './running.js'

/** Longest wait for a connection at an address when another one is left to try. */
const CONNECT_MS = 3 * SECOND

/** An address that is only remembered, at which nothing answered: the replicas that follow in the same act do not wait for it again. */
const UNREACHED_MS = 30 * SECOND

export interface Following {
  readonly replica: EffectServer
  readonly source: EffectServer
  /** The name of the channel that is given the source. */
  readonly channel: string
  /** What stops the channel and gives it the source at this address; it is started here. */
  readonly change: (address: ServerAddress, isFirst: boolean) => readonly Statement[]
}

/**
 * The address at which it follows. An address that is not the manager's is proven first by the receiver alone: nothing of another
 * server is applied. Where nothing answers, the login is refused, or another server answers, the next address is tried, and the log
 * says so. Fails as the threads do.
 */
export async function followSomewhere(run: Run, following: Following): Promise<Result<ServerAddress>> {
  const { replica, source } = following
  const addresses = sourcesOf(source)
  const last = addresses.at(-1) ?? source.spec
  const stated = statedAddress(run.context.settings().replication.hosts ?? [], source.spec)
  const noteOf = (address: ServerAddress) => `${source.spec.id} ${addressText(address)}`
  const isGone = (address: ServerAddress) =>
    run.context.now() - (run.notes.unreached.get(noteOf(address)) ?? Number.NEGATIVE_INFINITY) < UNREACHED_MS &&
    !(stated && isSameAddress(stated, address))
  const apart = addresses.slice(0, -1).filter((address) => !isGone(address))
  for (const [index, address] of apart.entries()) {
    const proof = await prove(run, following, { address, isFirst: index === 0 })
    if (!proof.ok) return proof
    if (proof.value === undefined) return settle(run, following, address)
    if (proof.value.silent) run.notes.unreached.set(noteOf(address), run.context.now())
    const next = addressText(apart[index + 1] ?? last)
    run.context.log(
      `${replica.spec.name}: ${source.spec.name} could not be followed over ${addressText(address)}: ${proof.value.why}; ${next} is tried instead.`,
    )
  }
  const statements = [
    ...following.change(last, apart.length === 0),
    ...replica.dialect.startReplication(following.channel),
  ]
  const changed = await execute(run, { server: replica.spec.id, statements })
  if (!changed.ok) return changed
  const up = await untilRunning(run, replica.spec.id, { source: last, channel: following.channel })
  return up.ok ? ok(last) : up
}

/** It receives there: the applier is started, too. */
async function settle(
  run: Run,
  { replica, channel }: Following,
  source: ServerAddress,
): Promise<Result<ServerAddress>> {
  const { spec, dialect } = replica
  const started = await execute(run, { server: spec.id, statements: dialect.startReplication(channel) })
  if (!started.ok) return started
  const up = await untilRunning(run, spec.id, { source, channel })
  return up.ok ? ok(source) : up
}

/** Why a source is not followed at an address. */
interface Refusal {
  readonly why: string
  /** No server answered there, which another replica need not find out again. */
  readonly silent: boolean
}

/** Receives at this address: undefined when the server itself sends, else why it is not to be followed there. */
async function prove(
  run: Run,
  { replica, source, channel: name, change }: Following,
  { address, isFirst }: { readonly address: ServerAddress; readonly isFirst: boolean },
): Promise<Result<Refusal | undefined>> {
  const { spec, dialect } = replica
  const statements = [...change(address, isFirst), ...dialect.startReceiving(name)]
  const changed = await execute(run, { server: spec.id, statements })
  if (!changed.ok) return changed
  const until = run.context.now() + Math.min(CONNECT_MS, run.remaining() / 2)
  for (let pause = 5; ; pause = Math.min(pause * 2, 200)) {
    const reading = await readServer(run, spec.id)
    if (!reading.ok) return reading
    const channel = channelNamed(reading.value.channels, name)
    if (!channel) return fail('step-failed', `${spec.name} has no replication channel`)
    const judged = judge(channel, source)
    if (judged !== undefined) return judged
    const left = Math.min(until - run.context.now(), run.remaining() - ANSWER_MS)
    if (run.signal.aborted) return fail('deadline-passed', notRunning(channel))
    if (left <= 0) return ok({ why: notRunning(channel), silent: channel.io === 'connecting' })
    await sleep(Math.min(pause, left), run.signal)
  }
}

/** Its own server_id answers there: MariaDB and older MySQL, MySQL 8 and later. */
const sameNumber: ReadonlySet<number> = new Set([1593, 13117])

/** No connection (2003), or no such host (2005). */
const unanswered: ReadonlySet<number> = new Set([2003, 2005])

/** Undefined while it is still connecting. */
function judge(channel: Channel, { serverNumber = 0 }: EffectServer): Result<Refusal | undefined> | undefined {
  const { io, ioError, source } = channel
  if (io === 'connecting')
    return ioError.code === 0
      ? undefined
      : ok({ why: `error ${ioError.code}: ${ioError.message}`, silent: unanswered.has(ioError.code) })
  const isOther = serverNumber > 0 && source.serverNumber > 0 && source.serverNumber !== serverNumber
  // Another one may have refused the position.
  if (isOther && (io === 'running' || ioError.code !== 0))
    return ok({
      why: `another server answers there: server_id ${source.serverNumber} instead of ${serverNumber}`,
      silent: false,
    })
  // MySQL runs as soon as it is connected, and knows the server a moment later; its file when the first event has come.
  if (io === 'running') return source.serverNumber > 0 && channel.readFile !== '' ? ok(undefined) : undefined
  const stopped = stopError({ ...channel, sql: 'running' })
  if (stopped === undefined) return undefined
  return sameNumber.has(ioError.code) ? ok({ why: stopped, silent: false }) : fail('step-failed', stopped)
}
