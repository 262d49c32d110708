// Findings of one server: its connection, its role, its replication, its transactions.
import { counted, transactions } from '../../base/counted.js'
import { SECOND } from '../../base/time.js'
import type { FindingCode } from '../../model/findings.js'
import { contains, formatSet, type GtidSet, isEmpty, noTransactions } from '../../model/server/gtid.js'
import { ANOTHER_SERVER } from '../../model/server/instance.js'
import { heldLockText, lockWaitText } from '../../model/server/lock-wait.js'
import { addressText } from '../../model/server/server.js'
import { clusterChannels, findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { UNKNOWN_HOST } from '../failover/death/evidence.js'
import { foreignHold, foreignNeverHad, withoutForeign } from '../repair/foreign-hold.js'
import { repeatedTransactions } from '../repair/position.js'
import { judgeReturn, type Stray } from '../repair/rejoin.js'
import { channelOf, isPositionRefused, isPurged, isReachable, isWritable } from '../situation/channel.js'
import { isGaleraMember } from '../situation/galera.js'
import { wouldPassOver } from '../situation/history/ambiguous.js'
import { missingFromPrimary, startedWithout } from '../situation/history/history.js'
import {
  aheadOf,
  certainPart,
  countOf,
  errantOf,
  errantText,
  executedByOrigin,
  heldByOrigin,
} from '../situation/history/holdings.js'
import { heldLockOf, LOCKED_MS, lockWaitOf } from '../situation/lock-wait.js'
import type { DecideSettings, Situation } from '../situation/situation.js'
import { isFull, isUnresolved, isUserFull } from '../situation/state-name.js'
import { cannotReplicate } from '../situation/stopping-defaults.js'
import { strayAddress } from '../situation/topology/source-address.js'
import { lostSource } from '../situation/topology/source-contact.js'
import { deniedLogin, refusedLogin, wrongAddress } from '../situation/topology/source-login.js'
import { refusedFiles } from '../situation/topology/tls-files.js'
import {
  type FindingInput,
  hasJustRejoined,
  isBecomingPrimary,
  isBetweenSources,
  isHandedOver,
  isMoving,
  names,
  type ServerRow,
  when,
} from './row.js'
import { differingVariables } from './variable-diff.js'

/** How many variables a finding names. */
const MOST_NAMED = 8

/** A password goes only to a server that has proven its key, or has shown it before. */
const isSealed = (settings: DecideSettings): boolean =>
  settings['db-servers-tls-use-generated-cert'] ||
  settings['db-servers-tls-ca-cert'] !== '' ||
  settings['db-servers-public-keys'] !== '' ||
  (settings['db-servers-public-key-policy'] === 'first-use' && !settings['db-servers-accept-unproven-keys'])

/** A slow probe may fall between two slow commits: the finding stays for two of them. */
const SLOW_COMMITS_MS = 25 * SECOND

export const serverRows: readonly ServerRow[] = [
  {
    code: 'WARN0171',
    detail: ({ name, observation, error, maintenance, stoppedOnRequest }) => {
      const isDown = observation === 'refused' || observation === 'silent'
      return when(isDown && !maintenance && !stoppedOnRequest, withName(name, error?.message ?? observation))
    },
  },
  {
    code: 'ERR00062',
    detail: (server, { situation: { settings } }) => {
      if (isUnresolved(server)) return withName(server.name, server.error?.message ?? '')
      const channel = channelOf(server, settings)
      const isLost = isReachable(server) && channel?.io === 'connecting' && channel.ioError.code === UNKNOWN_HOST
      return isLost ? `${server.name} cannot resolve its source: ${channel.ioError.message}` : undefined
    },
  },
  ...(['ERR00076', 'ERR00004', 'ERR00006', 'ERR00014', 'ERR00182', 'ERR00183', 'ERR00187'] as const).map(
    (code): ServerRow => ({
      code,
      detail: (server) => when(rejectionOf(server) === code, withName(server.name, server.error?.message ?? '')),
    }),
  ),
  {
    code: 'WARN0252',
    detail: ({ name, state }, { situation: { settings } }) => {
      const then = settings['db-servers-accept-unproven-keys']
        ? 'its RSA key is accepted unproven (db-servers-accept-unproven-keys)'
        : 'the password is not sent to it: when it has restarted, the manager may be unable to log in'
      return when(state?.identity.flavour === 'mysql' && !isSealed(settings), `${name}: ${then}.`)
    },
  },
  {
    code: 'ERR00063',
    detail: (server, { situation, found }) => {
      const isSecond = isStrayWriter(server, situation) && server.sourceId === undefined
      if (isSecond) return `${server.name} is writable besides the primary.`
      return found.find(({ code, server: id }) => code === 'ERR00063' && id === server.id)?.detail
    },
  },
  {
    code: 'WARN0235',
    detail: (server, { situation }) =>
      when(isStrayWriter(server, situation) && server.sourceId !== undefined, server.name),
  },
  {
    code: 'WARN0232',
    detail: (server, { situation: { snapshot, memory } }) => {
      const isClosed = server.id === snapshot.primary && isReachable(server) && !isWritable(server)
      const reason = memory.closedByHand ? ' was set read-only manually.' : ''
      return when(isClosed && !snapshot.operation, `${server.name}${reason}`)
    },
  },
  {
    code: 'WARN0087',
    detail: (server, { situation: { snapshot } }) => {
      const twin = snapshot.servers.find(
        ({ id, state }) => id !== server.id && state && state.serverNumber === server.state?.serverNumber,
      )
      return twin && `${server.name} and ${twin.name}: ${twin.state?.serverNumber}`
    },
  },
  {
    code: 'WARN0091',
    detail: (server, { situation: { snapshot, memory } }) => {
      const primary = findServer(snapshot, snapshot.primary)
      if (!primary || server.id === primary.id || server.sourceId === undefined) return undefined
      const extra = errantOf(server, primary, memory)
      return when(!isEmpty(extra), `${server.name}: ${errantText(extra, server)}`)
    },
  },
  {
    code: 'ERR00064',
    detail: (server, { situation: { snapshot, settings } }) => {
      const source = channelOf(server, settings)?.source
      const isForeign = source && server.sourceId === undefined && server.id !== snapshot.primary && isReachable(server)
      return isForeign ? `${server.name} follows ${source.host}:${source.port}, which is no member.` : undefined
    },
  },
  {
    code: 'ERR00066',
    detail: (server, { situation }) => {
      const { memory, snapshot } = situation
      if (snapshot.primary === undefined || server.id === snapshot.primary) return undefined
      if (snapshot.topology === 'active-passive' || isHandedOver(server, situation)) return undefined
      if (isBecomingPrimary(server, situation) || hasJustRejoined(server, situation)) return undefined
      const isKnown = memory.crashes.some(({ oldPrimary }) => oldPrimary === server.id)
      const isAlone = server.role === 'standalone' && isReachable(server) && !isEmpty(executedByOrigin(server))
      return when(isAlone && !isKnown, server.name)
    },
  },
  {
    code: 'WARN0233',
    detail: (server, { situation }) => {
      const { snapshot, settings } = situation
      const channel = channelOf(server, settings)
      const acknowledges = server.state?.semiSync.replicaActive === true && server.sourceId === snapshot.primary
      if (!channel || !acknowledges || !isReachable(server)) return undefined
      if (isHandedOver(server, situation) || isBetweenSources(server, situation)) return undefined
      const reason = channel.sqlError.message || 'its SQL thread is stopped'
      return when(channel.sql !== 'running', `${server.name}: ${reason}`)
    },
  },
  {
    code: 'WARN0084',
    detail: (server, { situation: { snapshot, settings } }) => {
      const primary = findServer(snapshot, snapshot.primary)
      if (!settings['monitoring-variable-diff'] || !primary || server.id === primary.id) return undefined
      const differing = server.sourceId === undefined ? [] : differingVariables(primary, server)
      const more = differing.length > MOST_NAMED ? ` and ${differing.length - MOST_NAMED} more` : ''
      const named = differing.slice(0, MOST_NAMED).join(', ')
      return when(differing.length > 0, `${server.name}: ${named}${more}`)
    },
  },
  {
    code: 'ERR00088',
    detail: (server, { situation: { settings } }) => {
      const channel = channelOf(server, settings)
      const isDenied = channel?.ioError.code === 1045 && isReachable(server)
      return isDenied ? `${server.name}: ${channel.ioError.message}` : undefined
    },
  },
  {
    code: 'ERR00151',
    detail: (server, { situation }) => {
      const repeated =
        isReachable(server) && !isAhead(server, situation) ? repeatedTransactions(server, situation) : undefined
      return repeated === undefined
        ? undefined
        : `${server.name}: ${transactions(repeated)} of its binary log would be applied again; server_id is ${server.state?.serverNumber}.`
    },
  },
  {
    code: 'ERR00161',
    detail: (server, { situation }) => {
      const { snapshot, settings, now } = situation
      const lost = server.maintenance ? undefined : lostSource(server, { servers: snapshot.servers, settings, now })
      return lost === undefined || isHandedOver(server, situation) ? undefined : `${server.name}: ${lost}`
    },
  },
  {
    code: 'ERR00160',
    detail: (server) => {
      const { login } = server
      return login?.state === 'denied' && isReachable(server) ? `${deniedLogin(login)}.` : undefined
    },
  },
  {
    code: 'ERR00194',
    detail: (server) => {
      const over = server.login?.over
      const isWrong = over?.leads === 'elsewhere' && !server.login?.outdated && isReachable(server)
      return isWrong ? `${wrongAddress(server, over)}.` : undefined
    },
  },
  {
    code: 'WARN0260',
    detail: (server, { situation }) => {
      const stray = isMoving(situation) ? undefined : strayAddress(server, situation)
      return (
        stray &&
        `${server.name} follows ${stray.source.name} over ${addressText(stray.at)}; replication-hosts states ${addressText(stray.stated)}.`
      )
    },
  },
  {
    code: 'WARN0261',
    detail: (server, { situation }) => {
      const { login } = server
      const open = isReachable(server) && login?.state === 'unknown' && refusedLogin(server, situation)
      return open ? `${open}.` : undefined
    },
  },
  {
    code: 'WARN0262',
    detail: (server) => {
      const stops = isReachable(server) ? cannotReplicate(server) : undefined
      return stops && `${server.name} ${stops}.`
    },
  },
  {
    code: 'ERR00196',
    detail: (server, { situation: { settings } }) => {
      const channel = isReachable(server) ? channelOf(server, settings) : undefined
      const refused = channel && refusedFiles(channel)
      return refused && `${server.name}: ${refused}.`
    },
  },
  {
    code: 'WARN0100',
    detail: (server) => when(server.slow?.diskFull === true && isReachable(server), server.name),
  },
  {
    code: 'WARN0258',
    detail: (server, { situation: { now } }) => {
      const { commitWaits: waits, name } = server
      if (!waits || now - waits.at > SLOW_COMMITS_MS || !isReachable(server)) return undefined
      return `${name}: ${counted(waits.sessions, 'session')} waited more than 2 s in a commit, the longest for ${waits.seconds} s.`
    },
  },
  {
    code: 'WARN0257',
    detail: (server, { situation: { now } }) => {
      const wait = lockWaitOf(server)
      return wait && when(now - wait.since >= LOCKED_MS, `${server.name}: its applier ${lockWaitText(wait)}.`)
    },
  },
  {
    code: 'WARN0268',
    detail: (server, { situation: { now } }) => {
      const lock = heldLockOf(server)
      return lock && when(now - lock.since >= LOCKED_MS, `${server.name}: ${heldLockText(lock)}.`)
    },
  },
  {
    code: 'WARN0022',
    detail: (server, { situation, strays }) => {
      const stray = strayOf(server, situation, strays)
      const returns = stray && judgeReturn(stray, situation) === 'returns'
      return returns ? `${server.name}: ${stray.reason}.` : undefined
    },
  },
  {
    code: 'WARN0251',
    detail: (server, { situation, strays }) => {
      const stray = strayOf(server, situation, strays)
      const judged = stray && judgeReturn(stray, situation)
      return typeof judged === 'object' ? `${server.name}: ${stray?.reason}, and ${judged.left}.` : undefined
    },
  },
  {
    code: 'WARN0186',
    detail: (server, { strays, situation }) => {
      const stray = strays.get(server.id)
      const extra = stray && withoutForeign(stray.extra, foreignHold(server, situation))
      return extra && !isEmpty(extra)
        ? `${server.name} has errant transactions: ${errantText(extra, server)}.`
        : undefined
    },
  },
  {
    code: 'WARN0267',
    detail: ({ id, name }, { situation: { memory } }) => {
      const listed = memory.crashes.find(({ oldPrimary, outcome }) => oldPrimary === id && outcome?.listed === true)
      const { tailFile, extraText } = listed?.outcome ?? {}
      if (!listed || memory.returns?.[id]?.tail !== undefined) return undefined
      return `${name}: ${extraText ?? 'its own transactions'}; the list is in ${tailFile}.`
    },
  },
  {
    code: 'WARN0182',
    detail: (server, { situation, strays }) => {
      const { id, name } = server
      const { memory, settings } = situation
      const stray = strays.get(id)
      const extra = stray && withoutForeign(stray.extra, foreignHold(server, situation))
      const isSaved = memory.crashes.some((crash) => crash.oldPrimary === id && crash.outcome?.tailFile !== undefined)
      if (!extra || isEmpty(extra) || isSaved || memory.returns?.[id]?.tail !== undefined) return undefined
      const known = memory.crashes.some(({ oldPrimary }) => oldPrimary === id)
      if (known && settings['autorejoin-backup-binlog']) return undefined
      const why = known ? 'autorejoin-backup-binlog is off' : 'no crash record says since when they are its own'
      return `${name} has ${countOf(extra, certainPart(extra, server))} that are not saved: ${why}.`
    },
  },
  {
    code: 'ERR00117',
    detail: (server, { situation }) => {
      // What a candidate still has to apply is not missing; the operation checks it before the candidate is opened.
      if (server.id !== situation.snapshot.primary || isMoving(situation)) return undefined
      const lost = missingFromPrimary(situation, server)
      if (!isReachable(server) || isEmpty(lost)) return undefined
      return `${server.name}: ${formatSet(lost)}. ${causeOf(server, situation)} ${holdersOf(lost, server, situation)}`
    },
  },
  {
    code: 'ERR00124',
    detail: ({ name, missingOwn: lost }) => lost && `${name}: ${formatSet(lost)}.`,
  },
  ...(['ERR00125', 'ERR00126'] as const).map(
    (code): ServerRow => ({
      code,
      detail: (server, { situation }) => {
        const channel = channelOf(server, situation.settings)
        if (!channel || !isReachable(server) || !isPositionRefused(channel)) return undefined
        const executed = formatSet(server.state?.gtid.executed ?? noTransactions)
        const never = isPurged(channel) ? foreignNeverHad(server, situation) : []
        const why =
          never.length === 0
            ? ''
            : ` Its source also replicates from another cluster, and this server has nothing of what came from there (${never.join(', ')}).`
        return when(
          isPurged(channel) === (code === 'ERR00125'),
          `${server.name}, at ${executed}: ${channel.ioError.message}${why}`,
        )
      },
    }),
  ),
  {
    code: 'ERR00128',
    detail: (server, { situation: { snapshot, memory } }) => {
      const { name, ambiguous } = server
      if (ambiguous) return `${name}: ${formatSet(ambiguous)}.`
      const other = wouldPassOver(server, snapshot.primary, memory)
      return isEmpty(other)
        ? undefined
        : `${name}: ${formatSet(other)}. It does not replicate, and is not made a replica.`
    },
  },
  {
    code: 'ERR00127',
    detail: (server, { situation: { snapshot } }) => {
      const primary = findServer(snapshot, snapshot.primary)
      if (!primary || server.id === primary.id || !isReachable(server) || !server.state) return undefined
      if (snapshot.topology === 'active-passive' || isGaleraMember(server) || clusterChannels(server).length > 0)
        return undefined
      return when(isEmpty(executedByOrigin(server)) && !isEmpty(executedByOrigin(primary)), server.name)
    },
  },
]

/** It holds nothing that the primary is missing, and its role is not just being handed over. */
function strayOf(server: ServerSnapshot, situation: Situation, strays: FindingInput['strays']): Stray | undefined {
  const stray = strays.get(server.id)
  return stray && isEmpty(stray.extra) && !isHandedOver(server, situation) ? stray : undefined
}

/** Why the primary is missing transactions, as far as its start shows. */
function causeOf(server: ServerSnapshot, situation: Situation): string {
  if (isEmpty(executedByOrigin(server))) return 'It holds no transactions: its data directory is empty or new.'
  if (startedWithout(situation, server))
    return 'It started without them: a crash took them, or its data directory is an older copy.'
  return situation.memory.held?.startedAt === undefined
    ? 'The manager never saw it with all of them: since when they are missing is not known.'
    : 'Its process did not restart: its binary log was reset, or it was opened without them.'
}

/** Who can replace it. */
function holdersOf(lost: GtidSet, { id }: ServerSnapshot, { snapshot, settings }: Situation): string {
  const holders = snapshot.servers.filter(
    (server) => server.id !== id && isReachable(server) && contains(heldByOrigin(server, settings), lost),
  )
  return holders.length > 0 ? `All of them are on ${names(holders)}.` : 'No server that answers holds all of them.'
}

/** It has transactions of its own that its source is missing: they stop it, not a position that is behind. */
function isAhead(server: ServerSnapshot, { snapshot, settings, memory }: Situation): boolean {
  const source = findServer(snapshot, server.sourceId)
  return source !== undefined && !isEmpty(aheadOf(server, source, { settings, memory }))
}

/** Error messages mostly begin with the server's address. */
const withName = (name: string, message: string): string => (message.startsWith(name) ? message : `${name}: ${message}`)

/** MariaDB and MySQL: at the login (1862), or at the first statement of a session that may only set the password (1820). */
const EXPIRED = /\berror (1820|1862): /

/** Why a server that is alive gives no state: no free connection, login refused, or a statement of the probe refused. */
function rejectionOf(server: ServerSnapshot): FindingCode | undefined {
  if (server.observation !== 'rejected') return undefined
  if (server.error?.code === ANOTHER_SERVER) return 'ERR00182'
  if (server.error?.code === 'sql-key-unproven') return 'ERR00183'
  if (isFull(server)) return isUserFull(server) ? undefined : 'ERR00076'
  if (EXPIRED.test(server.error?.message ?? '')) return 'ERR00187'
  if (server.error?.code !== 'sql-failed') return 'ERR00004'
  return /denied/i.test(server.error.message) ? 'ERR00006' : 'ERR00014'
}

/** Writable and not the primary, while no operation runs. */
const isStrayWriter = (server: ServerSnapshot, { snapshot: { primary, operation } }: Situation): boolean =>
  primary !== undefined &&
  server.id !== primary &&
  !operation &&
  !isGaleraMember(server) &&
  isReachable(server) &&
  isWritable(server)
