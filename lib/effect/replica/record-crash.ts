// Completes the record of a primary's end with what the new primary had at that moment, and writes it to a file.
import { ok, type Result } from '../../base/result.js'
import type { Crash } from '../../model/operation/crash.js'
import { noTransactions, union } from '../../model/server/gtid.js'
import type { Channel, ServerState } from '../../model/server/reading.js'
import { writeCrashFile } from '../../store/cluster/crash-files.js'
import type { CommandOf, Effect, Run } from '../kit/context.js'
import type { Noted } from '../kit/notes.js'
import { sourcesOf } from '../kit/server.js'
import { execute, memberOf, nameOf, readServer } from '../kit/statements.js'
import { channelOf, isAt } from '../primary/positions.js'
import { coordinates } from '../primary/promote.js'

/**
 * The state noted when the server was promoted is exact; without one (a restarted manager) it is read now, and may then
 * hold writes of the new primary itself, which carry its own origin.
 */
export const recordCrash: Effect<'record-crash'> = async ({ crash }, run) => {
  const taken = await takeover(run, crash)
  if (!taken.ok) return taken
  const completed = completeCrash(run, crash, taken.value)
  const { directory, crashRecorded, settings } = run.context
  crashRecorded(completed)
  const written = await writeCrashFile({ directory, crash: completed, keep: settings().crashFilesKept })
  return written.ok ? ok(`${nameOf(run, crash.oldPrimary)} recorded in ${written.value}`) : written
}

async function takeover(run: Run, crash: CommandOf<'record-crash'>['crash']): Promise<Result<Noted>> {
  const id = crash.newPrimary
  const noted = run.notes.promoted.get(id)
  if (noted && noted.at >= crash.at) return ok(noted)
  const member = memberOf(run, id)
  if (!member.ok) return member
  const state = await readServer(run, id)
  if (!state.ok) return state
  const status = await execute(run, { server: id, statements: [member.value.dialect.binlogStatus()], late: true })
  const binlog = status.ok ? coordinates(status.value[0] ?? []) : undefined
  return ok({ at: run.context.now(), state: state.value, ...(binlog ? { binlog } : {}) })
}

function completeCrash(run: Run, crash: Crash, { state, binlog }: Noted): Crash {
  const followed = run.notes.followed.get(crash.newPrimary)
  const before = followed && followed.at >= crash.at ? followed.state : state
  const channel = channelOfOld(run, crash, before)
  const { gtid } = state
  return {
    ...crash,
    received: union(gtid.executed, channelOf(run, crash.newPrimary, state)?.received ?? noTransactions),
    byOrigin: gtid.byOrigin,
    receivedText: gtid.text.executed,
    ...(channel ? { oldFile: channel.readFile, oldPosition: channel.readPosition } : {}),
    ...(binlog ? { newFile: binlog.file, newPosition: binlog.position } : {}),
  }
}

/** The channel to the old primary; a candidate may have followed another server last, to fetch what that one had. */
function channelOfOld(run: Run, crash: Crash, state: ServerState): Channel | undefined {
  const channel = channelOf(run, crash.newPrimary, state)
  const old = run.context.server(crash.oldPrimary)
  return channel && old && sourcesOf(old).some((address) => isAt(channel, address)) ? channel : undefined
}
