// Cuts a replica from its source for good, and notes the state it was in: what its crash record is completed from.
import { done, type Failure, fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { errorNumber } from '../../connect/sql/failures.js'
import type { Row } from '../../connect/sql/session.js'
import type { Promote } from '../../model/operation/command.js'
import { memberAt } from '../../model/server/own-channel.js'
import type { Effect, Run } from '../kit/context.js'
import { execute, memberOf, nameOf, parsed, readServer } from '../kit/statements.js'
import { channelName, channelOf } from './positions.js'

/** A reading that was begun longer ago does not show whom the server follows: a person may have repointed it since. */
const YOUNG_MS = SECOND / 4

/** Ends and forgets the channel, and reads in the same round trip whether it is gone; gone already is done. */
export const promote: Effect<'promote'> = async (command, run) => {
  const { server } = command
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  const may = await refuseOtherSource(command, run)
  if (!may.ok) return may
  const channel = channelName(run, server)
  const changes = [...dialect.stopReplication(channel), ...dialect.forgetSource(channel)]
  const status = dialect.binlogStatus()
  const answer = await execute(run, {
    server,
    statements: [...changes, { sql: dialect.fastProbe, values: [] }, status],
    prompt: true,
  })
  if (!answer.ok && !isNoChannel(answer.failure)) return answer
  if (!answer.ok) {
    // It may follow by a channel that was given another name since it was last read.
    const now = await readServer(run, server)
    if (!now.ok) return now
    const left = channelOf(run, server, now.value)
    return left
      ? fail('step-failed', `${spec.name} follows a source by channel ${nameText(left.name)}, which is new`)
      : ok(`${spec.name} had no source`)
  }
  const state = parsed(dialect, answer.value.slice(changes.length, -1))
  if (!state.ok) return state
  if (channelOf(run, server, state.value)) return fail('step-failed', `${spec.name} still follows a source`)
  const binlog = coordinates(answer.value.at(-1) ?? [])
  run.notes.promoted.set(server, { at: run.context.now(), state: state.value, ...(binlog ? { binlog } : {}) })
  return ok(`${spec.name} has no source`)
}

/** Cut from a server that a person gave the role to, that one would lead nobody. */
async function refuseOtherSource({ server, sources }: Promote, run: Run): Promise<Result<void>> {
  if (!sources) return done
  const seen = run.notes.followed.get(server)
  const state = seen && run.context.now() - seen.at <= YOUNG_MS ? ok(seen.state) : await readServer(run, server)
  if (!state.ok) return state
  const channel = channelOf(run, server, state.value)
  const source = channel && memberAt(channel, run.context.server(server)?.replication?.others ?? [])
  return !source || sources.includes(source.id)
    ? done
    : fail('step-failed', `${nameOf(run, server)} follows ${nameOf(run, source.id)} by now: it is not cut from it`)
}

const nameText = (name: string): string => (name === '' ? 'default' : name)

/** A named channel that is not there: error 1617 on MariaDB, 3074 on MySQL. */
export const isNoChannel = (failure: Failure): boolean => [1617, 3074].includes(errorNumber(failure))

/** The answer of `binlogStatus`; undefined without a binary log. */
export function coordinates([row]: readonly Row[]): { file: string; position: number } | undefined {
  return row ? { file: String(row.File ?? ''), position: Number(row.Position ?? 0) } : undefined
}
