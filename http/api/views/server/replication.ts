// The replication status of one channel as clients read it: SHOW SLAVE STATUS in lower camel case, NULLs as objects.
import { formatSet } from '../../../../lib/model/server/gtid.js'
import type { Channel, ServerState, ThreadState } from '../../../../lib/model/server/reading.js'
import { nullInt64, nullString } from '../kit/null.js'

const threadTexts: Readonly<Record<ThreadState, string>> = { running: 'Yes', connecting: 'Connecting', stopped: 'No' }

/** One entry of `replications`: keys named in dist/doc/api.md, those of the other flavour not valid. */
export function renderChannel(channel: Channel, state: ServerState) {
  const mariadb = state.identity.flavour === 'mariadb'
  return {
    postgresExternalId: nullString(undefined),
    ...filtersOf(channel, mariadb),
    connectionName: nullString(mariadb ? channel.name : undefined),
    channelName: nullString(mariadb ? undefined : channel.name),
    masterHost: nullString(channel.source.host),
    masterUser: nullString(channel.source.user),
    masterPort: nullString(`${channel.source.port}`),
    masterServerId: channel.source.serverNumber,
    masterLogFile: nullString(channel.readFile),
    readMasterLogPos: nullString(`${channel.readPosition}`),
    relayMasterLogFile: nullString(channel.executedFile),
    execMasterLogPos: nullString(`${channel.executedPosition}`),
    slaveIoRunning: nullString(threadTexts[channel.io]),
    slaveSqlRunning: nullString(threadTexts[channel.sql]),
    slaveSQLRunningState: nullString(channel.sqlThreadState),
    secondsBehindMaster: nullInt64(channel.lagSeconds),
    slaveHeartbeatPeriod: channel.heartbeatPeriodSeconds,
    lastIoErrno: nullString(`${channel.ioError.code}`),
    lastIoError: nullString(channel.ioError.message),
    lastSqlErrno: nullString(`${channel.sqlError.code}`),
    lastSqlError: nullString(channel.sqlError.message),
    ...(mariadb ? mariadbPositions(channel, state) : mysqlPositions(channel)),
    sqlDelay: nullInt64(channel.delaySeconds),
  }
}

/** Key → column of the replication status; those of domains are MariaDB's. `eeplicate…` is misspelt in the interface. */
const filterColumns = {
  ...{ replicateDoDb: 'replicate_do_db', replicateIgnoreDb: 'replicate_ignore_db' },
  ...{ replicateDoTable: 'replicate_do_table', replicateIgnoreTable: 'replicate_ignore_table' },
  ...{ replicateWildDoTable: 'replicate_wild_do_table', replicateWildIgnoreTable: 'replicate_wild_ignore_table' },
  replicateIgnoreServerIds: 'replicate_ignore_server_ids',
}
const domainColumns = {
  ...{ replicateDoDomainIds: 'replicate_do_domain_ids', eeplicateDoDomainIds: 'replicate_do_domain_ids' },
  replicateIgnoreDomainIds: 'replicate_ignore_domain_ids',
}

/** Empty where nothing is filtered; not valid where the flavour has no such filter. */
const filtersOf = ({ filters = {} }: Channel, mariadb: boolean) => ({
  ...Object.fromEntries(Object.entries(filterColumns).map(([key, column]) => [key, nullString(filters[column] ?? '')])),
  ...Object.fromEntries(
    Object.entries(domainColumns).map(([key, column]) => [
      key,
      nullString(mariadb ? (filters[column] ?? '') : undefined),
    ]),
  ),
})

const mariadbPositions = (channel: Channel, state: ServerState) => ({
  usingGtid: nullString(channel.usesGtid ? 'Slave_Pos' : 'No'),
  gtidIoPos: nullString(receivedText(channel, state)),
  gtidSlavePos: nullString(state.gtid.text.replica),
  retrievedGtidSet: nullString(undefined),
  executedGtidSet: nullString(undefined),
})

const mysqlPositions = (channel: Channel) => ({
  usingGtid: nullString(channel.usesGtid ? 'Yes' : 'No'),
  gtidIoPos: nullString(undefined),
  gtidSlavePos: nullString(undefined),
  retrievedGtidSet: nullString(formatSet(channel.received)),
  executedGtidSet: nullString(formatSet(channel.applied)),
})

/** A received position as `domain-server-sequence`: a set by domain no longer knows the origin; it is the source. */
const receivedText = ({ received, source }: Channel, { gtid }: ServerState): string =>
  Object.entries(received)
    .map(([domain, intervals]) => [domain, intervals.at(-1)?.[1] ?? 0] as const)
    .map(
      ([domain, sequence]) =>
        applied(gtid.text.replica, domain, sequence) ?? `${domain}-${source.serverNumber}-${sequence}`,
    )
    .join(',')

const applied = (position: string, domain: string, sequence: number): string | undefined =>
  position.split(',').find((gtid) => gtid.startsWith(`${domain}-`) && gtid.endsWith(`-${sequence}`))
