// Findings of watching a server: restarts, slow answers, disks, long statements and transactions.
import { MINUTE, SECOND } from '../../base/time.js'
import { isWriting } from '../../dialect/index.js'
import type { SlowReading } from '../../model/server/reading.js'
import type { LongSession, Volume } from '../../model/server/watched.js'
import type { ServerSnapshot } from '../../model/snapshot.js'
import { staysHalfClosed } from '../repair/half-closed.js'
import { isReachable } from '../situation/channel.js'
import { gaveRoleUp, refuseEvents, waitingEvents } from '../situation/events.js'
import { usedPercent } from '../watching/volumes.js'
import { isMoving, type ServerRow, when } from './row.js'
import { mayStartOpen } from './starts-open.js'

/** So long after its start a server counts as restarted. */
const RESTART_MS = 10 * MINUTE
/** Answers are slow for so long before it is reported: one that was held up is no condition. */
const SLOW_MS = 10 * SECOND
/** A file system counts as nearly full from here on where no limit is set. */
const USUAL_PERCENT = 90
/** Fewer slow statements between two readings are no condition. */
const LEAST_SLOW = 10

export const watchRows: readonly ServerRow[] = [
  {
    code: 'WARN0397',
    detail: (server, { situation }) => {
      const concerns = server.id === situation.snapshot.primary || gaveRoleUp(situation, server)
      return concerns && isReachable(server) && !server.maintenance ? refuseEvents(server) : undefined
    },
  },
  {
    code: 'WARN0270',
    detail: (server, { situation }) => waitingEvents(situation, server),
  },
  {
    code: 'WARN0271',
    detail: (server, { situation }) =>
      when(
        !isMoving(situation) && mayStartOpen(server, situation),
        `${server.name}: read_only was set by a statement.`,
      ),
  },
  {
    code: 'WARN0273',
    detail: (server, { situation }) => when(staysHalfClosed(server, situation), server.name),
  },
  {
    code: 'WARN0236',
    detail: (server, { situation: { now } }) => {
      const { name, restartedAt = 0, restartedUnasked = false, state } = server
      const isShown = restartedUnasked && now - restartedAt <= RESTART_MS && isReachable(server)
      return isShown ? `${name}, version ${state?.identity.versionText}.` : undefined
    },
  },
  {
    code: 'WARN0237',
    detail: ({ name, slowAnswersSince, probeMs }, { situation: { now } }) =>
      slowAnswersSince !== undefined && now - slowAnswersSince >= SLOW_MS
        ? `${name}: the latest in ${roughly(probeMs)} ms.`
        : undefined,
  },
  {
    code: 'ERR00079',
    detail: (server, { situation: { settings } }) => {
      if (!settings['monitoring-disk-usage']) return undefined
      const limit = settings['monitoring-disk-usage-pct'] || USUAL_PERCENT
      const full = (server.volumes ?? []).filter(({ fileSystem }) => usedPercent(fileSystem) >= limit)
      return full.length === 0 ? undefined : `${server.name}: ${full.map(volumeText).join('; ')}.`
    },
  },
  {
    code: 'WARN0088',
    detail: ({ name, slowStatements, ...server }) => {
      const { slow, all } = slowStatements ?? { slow: 0, all: 0 }
      const isMany = slow >= LEAST_SLOW && slow >= all / 10 && server.observation === 'answered'
      return isMany ? `${name}: ${slow} of ${all} between the latest two readings of its counters.` : undefined
    },
  },
  {
    code: 'WARN0360',
    detail: (server) =>
      named(
        server,
        readable(server)?.longStatements?.filter(({ waitsForLock }) => !waitsForLock),
      ),
  },
  {
    code: 'WARN0361',
    detail: (server) => named(server, readable(server)?.openTransactions),
  },
  {
    code: 'WARN0122',
    detail: (server) =>
      named(
        server,
        readable(server)?.longStatements?.filter(({ waitsForLock }) => waitsForLock),
      ),
  },
  {
    code: 'WARN0217',
    detail: (server, { situation: { snapshot, settings } }) => {
      if (server.id !== snapshot.primary) return undefined
      const least = settings['switchover-wait-write-query']
      const { longStatements = [], openTransactions = [] } = readable(server) ?? {}
      const writes = [
        ...longStatements.filter(({ statement }) => isWriting(statement)),
        ...openTransactions.filter(({ rowsChanged = 0 }) => rowsChanged > 0),
      ].filter(({ seconds }) => seconds >= least)
      return named(server, [...new Map(writes.map((session) => [session.id, session])).values()])
    },
  },
]

/** One digit is exact enough: the detail does not change with every probe. */
const roughly = (ms: number): number => Number(ms.toPrecision(1))

/** What slow probes read of a server that answers. */
const readable = (server: ServerSnapshot): SlowReading | undefined => (isReachable(server) ? server.slow : undefined)

/** Sessions that a finding names. */
const MOST_NAMED = 3
/** Where a statement is cut, characters. */
const LONGEST_TEXT = 120

function named({ name }: ServerSnapshot, sessions: readonly LongSession[] = []): string | undefined {
  if (sessions.length === 0) return undefined
  const texts = sessions.slice(0, MOST_NAMED).map(({ id, user, seconds, statement }) => {
    const text = statement.replace(/\s+/g, ' ').slice(0, LONGEST_TEXT)
    return `connection ${id} of ${user} for ${seconds} s${text === '' ? '' : `: ${text}`}`
  })
  const more = sessions.length > MOST_NAMED ? `; and ${sessions.length - MOST_NAMED} more` : ''
  return `${name}: ${texts.join('; ')}${more}.`
}

const GIB = 1_073_741_824

function volumeText({ kind, directory, fileSystem }: Volume): string {
  const { path, availableBytes } = fileSystem
  const mounted = path === directory ? '' : `, mounted at ${path}`
  return `${usedPercent(fileSystem)} % used on ${directory} (${kind}${mounted}), ${(availableBytes / GIB).toPrecision(2)} GiB left`
}
