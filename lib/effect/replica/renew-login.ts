// Gives a replica's channels the new password to log in to their source with, and sees them running again.
import { done, fail, ok, type Result } from '../../base/result.js'
import { SECOND, sleep } from '../../base/time.js'
import type { Channel, ServerState } from '../../model/server/reading.js'
import type { CommandOf, Effect, Run } from '../kit/context.js'
import type { EffectServer } from '../kit/server.js'
import { execute, memberOf, readServer } from '../kit/statements.js'
import { ANSWER_MS, channelOf, receivedBy, untilApplied } from '../primary/positions.js'

/** Left of the command's time for the change itself and for the connection that follows. */
const CHANGE_MS = 8 * SECOND

export const renewLogin: Effect<'renew-login'> = async (command, run) => {
  const member = memberOf(run, command.server)
  if (!member.ok) return member
  for (const name of command.channels) {
    const renewed = await renewChannel(run, member.value, { name, start: command.start })
    if (!renewed.ok) return renewed
  }
  return ok(`${member.value.spec.name} logs in to its source with the new password`)
}

type Turn = Pick<CommandOf<'renew-login'>, 'start'> & { readonly name: string }

async function renewChannel(run: Run, { spec, dialect }: EffectServer, { name, start }: Turn): Promise<Result<void>> {
  const starts = start ? dialect.startReplication(name) : []
  const finished = start ? await finish(run, { spec, dialect }, name) : done
  if (!finished.ok) {
    await execute(run, { server: spec.id, statements: starts })
    return finished
  }
  const { password } = run.context.settings().replication
  const statements = [...dialect.stopReplication(name), ...dialect.renewLogin(name, password), ...starts]
  const changed = await execute(run, { server: spec.id, statements })
  if (!changed.ok) return changed
  return start ? untilConnected(run, spec, name) : done
}

/**
 * The change throws the relay log away where both threads must be stopped for it: what is in it was acknowledged
 * perhaps, so it is applied first. Another channel than the cluster's fetches the rest again.
 */
async function finish(
  run: Run,
  { spec, dialect }: Pick<EffectServer, 'spec' | 'dialect'>,
  name: string,
): Promise<Result<unknown>> {
  const stopped = await execute(run, { server: spec.id, statements: dialect.stopReceiving(name) })
  if (!stopped.ok) return stopped
  const state = await readServer(run, spec.id)
  if (!state.ok) return state
  const channel = channelOf(run, spec.id, state.value)
  if (channel?.name !== name || !channel.usesGtid || channel.sql !== 'running' || channel.delaySeconds > 0) return done
  const until = run.context.now() + Math.max(0, run.remaining() - CHANGE_MS)
  const within: Run = { ...run, remaining: () => Math.max(0, until - run.context.now()) }
  return untilApplied(within, { server: spec.id, wanted: receivedBy(run, spec.id, state.value), state: state.value })
}

/** Both threads run, and the source has accepted the login. */
async function untilConnected(
  run: Run,
  { id, name: called }: EffectServer['spec'],
  name: string,
): Promise<Result<void>> {
  for (let pause = 5; ; pause = Math.min(pause * 2, 200)) {
    const reading = await readServer(run, id)
    if (!reading.ok) return reading
    const channel = named(reading.value, name)
    if (!channel) return fail('step-failed', `${called} has no replication channel`)
    if (channel.io === 'running' && channel.sql === 'running' && channel.readFile !== '') return done
    const { io, sql, ioError, sqlError } = channel
    const error = [ioError, sqlError].find(({ code }) => code !== 0)
    if (run.signal.aborted || run.remaining() <= ANSWER_MS) {
      const why = error ? `: error ${error.code}: ${error.message}` : ''
      return fail('deadline-passed', `${called}: receiving is ${io}, applying ${sql}${why}`)
    }
    await sleep(Math.min(pause, run.remaining() - ANSWER_MS), run.signal)
  }
}

const named = (state: ServerState, name: string): Channel | undefined =>
  state.channels.find((channel) => channel.name === name)
