// A binary log that the manager deletes on request: from before it is sent until it is known whether the numbers went on or begin again,
// nothing is concluded from what the server shows, so it makes no difference whether a probe or the outcome comes first.
//
// The history that the log had is saved before the deletion. Where its end came without an outcome (the connection was lost, the manager
// was killed), the server shows it at any later time: a log that was begun with a history names that at its head, and one that was begun
// without names none of it there.
import type { Held, LogDeletion, LogOutcome, Memory } from '../../../model/memory.js'
import { contains, noTransactions, parseGtidSet, parseState } from '../../../model/server/gtid.js'
import type { ServerId } from '../../../model/server/server.js'
import type { Flavour } from '../../../model/server/version.js'
import type { ServerSnapshot } from '../../../model/snapshot.js'
import type { DecideSettings } from '../situation.js'
import { noteDeletedLog, renewLog } from './ambiguous.js'

export const beginDeletion = (memory: Memory, server: ServerId, deletion: LogDeletion): Memory => ({
  ...memory,
  deleting: { ...memory.deleting, [server]: deletion },
})

interface Deletion {
  readonly server: ServerId
  readonly outcome: LogOutcome
  readonly servers: readonly ServerSnapshot[]
  readonly settings: Pick<DecideSettings, 'replication-source-name'>
  readonly now: number
}

/**
 * Where the numbers went on, the history is the same one, and what the primary was seen without is given up. Where they begin again,
 * it begins with the next reading, and the others hold GTIDs that will name other transactions. Unknown: the server is asked once
 * it answers; where there is nothing to ask for, or its answer leaves that open, what is read next decides, as where a person
 * deleted it.
 */
export function endDeletion(before: Memory, { server, outcome, ...sight }: Deletion): Memory {
  const deletion = before.deleting?.[server]
  if (outcome === 'unknown' && deletion?.history !== undefined && !deletion.unread)
    return beginDeletion(before, server, { ...deletion, unread: true })
  const memory = withoutDeletion(before, server)
  if (outcome === 'unknown') return memory
  const renewed = renewLog(memory, server, sight.now)
  const { held } = memory
  if (held?.primary !== server) return renewed
  const { now } = sight
  const fresh = { primary: server, at: now, since: now, log: { file: '', position: 0, at: now } } as const
  if (outcome === 'begun-again') {
    const noted = noteDeletedLog(renewed, { ...sight, primary: server })
    return { ...noted, held: { ...fresh, set: noTransactions } }
  }
  const { forked: _, kept: __, keeping: ___, ...kept }: Held = held
  return { ...renewed, held: { ...kept, ...fresh } }
}

/** A manager that starts deletes none: it asks the servers what became of what its predecessor was at. */
export function leaveDeletions({ deleting = {}, ...memory }: Memory): Memory {
  const unread = Object.entries(deleting).flatMap(([server, deletion]) =>
    deletion.history === undefined ? [] : [[server, { ...deletion, unread: true as const }] as const],
  )
  return unread.length === 0 ? memory : { ...memory, deleting: Object.fromEntries(unread) }
}

export interface LogHead {
  /** The history that the server has now. */
  readonly history: string
  /** The history that its oldest binary log begins with. */
  readonly oldest: string
}

/**
 * The outcome by what the server shows later. A log that names the history of before at its head was begun with it. One that does not,
 * on a server without that history, was begun without. Else nothing was deleted, or so much was written since that it has as many again.
 */
export function judgeLogHead(history: string, head: LogHead, flavour: Flavour): LogOutcome {
  const parse = flavour === 'mariadb' ? parseState : parseGtidSet
  const before = parse(history)
  if (contains(parse(head.oldest), before)) return 'continued'
  return contains(parse(head.history), before) ? 'unknown' : 'begun-again'
}

function withoutDeletion(memory: Memory, server: ServerId): Memory {
  const { [server]: _, ...deleting } = memory.deleting ?? {}
  const { deleting: __, ...rest } = memory
  return Object.keys(deleting).length === 0 ? rest : { ...rest, deleting }
}
