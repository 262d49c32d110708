// Watches the threads of a replica until they run, or until it is known why they do not.
import { fail, type Result } from '../../base/result.js'
import { sleep } from '../../base/time.js'
import { refusedFiles } from '../../decide/situation/topology/tls-files.js'
import { channelNamed } from '../../model/server/own-channel.js'
import type { Channel, ServerState } from '../../model/server/reading.js'
import { addressText, type ServerAddress, type ServerId } from '../../model/server/server.js'
import type { Run } from '../kit/context.js'
import { readServer } from '../kit/statements.js'
import { ANSWER_MS, channelOf, isAt } from '../primary/positions.js'

/** Threads that come up and stop again do so within this time. */
const SETTLE_MS = 40

export const runs = ({ io, sql }: Channel): boolean => io === 'running' && sql === 'running'

/** A channel that was given another source. */
export interface Changed {
  readonly channel: string
  readonly source: ServerAddress
}

/**
 * Watches until the channel runs: for a moment, or, after a change of its source, until the first event has come. A thread that
 * stops with an error ends the wait with it.
 */
export async function untilRunning(run: Run, server: ServerId, changed?: Changed): Promise<Result<ServerState>> {
  const source = changed?.source
  let upSince: number | undefined
  let last: Channel | undefined
  for (let pause = 5; ; pause = Math.min(pause * 2, 200)) {
    const reading = await readServer(run, server)
    if (!reading.ok) return last && run.remaining() <= 0 ? fail('deadline-passed', notRunning(last)) : reading
    const channel = changed
      ? channelNamed(reading.value.channels, changed.channel)
      : channelOf(run, server, reading.value)
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

/** A thread that ended by an error does not restart automatically; one that still connects does, but with the same TLS files. */
export function stopError(channel: Channel): string | undefined {
  const { io, sql, ioError, sqlError } = channel
  // It is tried again by the server, but no try changes files on its host.
  const files = refusedFiles(channel)
  if (files !== undefined) return files
  if (io === 'stopped' && ioError.code !== 0) return `the I/O thread stopped: error ${ioError.code}: ${ioError.message}`
  if (sql === 'stopped' && sqlError.code !== 0)
    return `the SQL thread stopped: error ${sqlError.code}: ${sqlError.message}`
  return undefined
}

export const notRunning = ({ io, sql, ioError }: Channel): string =>
  `I/O thread ${io}, SQL thread ${sql}${ioError.code === 0 ? '' : `: error ${ioError.code}: ${ioError.message}`}`
