// The dialect of MariaDB.
import type { ServerIdentity } from '../../model/server/server.js'
import { plain } from '../shared/control/locks.js'
import type { Dialect } from '../shared/dialect/dialect.js'
import { mariadbOrigins } from '../shared/probe/origins.js'
import { sharedStatements } from '../shared/shared-statements.js'
import { capabilitiesOf } from './capabilities.js'
import { positionText } from './channel.js'
import * as control from './control.js'
import { dormantEvents, enabledEvents } from './events.js'
import { heldLocks, lockHolders } from './lock-holders.js'
import * as logins from './logins.js'
import { fastProbe, parseFastProbe, parseSemiSyncStatus, semiSyncStatus } from './probe.js'
import { queries } from './queries.js'
import { readRefusals, readSession, reads } from './reads.js'
import * as replication from './replication.js'
import * as skip from './skip.js'
import { mariadbToggles } from './toggles.js'
import { privilegedWriters, waitingForLock } from './writers.js'

const processTable = 'information_schema.PROCESSLIST'
const binlogStatus = () => plain('SHOW MASTER STATUS')

export function mariadbDialect(identity: ServerIdentity): Dialect {
  const capabilities = capabilitiesOf(identity)
  return {
    ...sharedStatements({ identity, processTable, queryNumber: 'QUERY_ID', binlogStatus, enabledEvents }),
    dormantEvents,
    identity,
    capabilities,
    fastProbe: fastProbe(identity),
    parseFastProbe: (results, known) => parseFastProbe(identity, results, known),
    semiSyncStatus,
    parseSemiSyncStatus,
    ...replication,
    changeSource: (channel, source) => replication.changeSource(capabilities, channel, source),
    ...logins,
    positionText,
    ...control,
    releaseCommits: () => control.releaseCommits,
    privilegedWriters,
    lockHolders: () => lockHolders,
    heldLocks: () => heldLocks,
    waitingForLock,
    replicaStatus: () => plain('SHOW ALL SLAVES STATUS'),
    toggles: mariadbToggles,
    ...skip,
    valueOrigins: () => mariadbOrigins,
    read: (what, bounds) => reads[what](bounds),
    readRefusal: (what, error) => readRefusals[what]?.[error],
    readSession,
    queries,
  }
}
