// The dialect of MySQL.
import type { ServerIdentity } from '../../model/server/server.js'
import { plain } from '../shared/control/locks.js'
import type { Dialect } from '../shared/dialect/dialect.js'
import { mysqlOrigins } from '../shared/probe/origins.js'
import { sharedStatements } from '../shared/shared-statements.js'
import { capabilitiesOf } from './capabilities.js'
import { flushTables, globalReadLock, refuseReplicating, releaseCommits, setReadOnly, setSemiSync } from './control.js'
import { dormantEvents, enabledEvents } from './events.js'
import { heldLocks, lockHolders } from './lock-holders.js'
import * as logins from './logins.js'
import { command } from './names.js'
import { fastProbe, parseFastProbe, parseSemiSyncStatus, semiSyncStatus } from './probe.js'
import { queries } from './queries.js'
import { processTable as processTableOf, readSession, reads } from './reads.js'
import * as replication from './replication.js'
import * as skip from './skip.js'
import { mysqlToggles } from './toggles.js'

export function mysqlDialect(identity: ServerIdentity): Dialect {
  const capabilities = capabilitiesOf(identity)
  const processTable = processTableOf(capabilities)
  const binlogStatus = () => plain(capabilities.binaryLogStatus ? 'SHOW BINARY LOG STATUS' : 'SHOW MASTER STATUS')
  return {
    ...sharedStatements({
      identity,
      processTable,
      queryNumber: "CRC32(CONCAT(ID, COALESCE(INFO, '')))",
      binlogStatus,
      enabledEvents,
    }),
    dormantEvents,
    identity,
    capabilities,
    fastProbe: fastProbe(capabilities),
    parseFastProbe: (results, known) => parseFastProbe(identity, results, known),
    ...(capabilities.semiSync === 'none' ? {} : { semiSyncStatus }),
    parseSemiSyncStatus,
    stopReceiving: (channel) => replication.stopReceiving(capabilities, channel),
    startReceiving: (channel) => replication.startReceiving(capabilities, channel),
    stopReplication: (channel) => replication.stopReplication(capabilities, channel),
    startReplication: (channel) => replication.startReplication(capabilities, channel),
    forgetSource: (channel) => replication.forgetSource(capabilities, channel),
    forgetHistory: () => replication.forgetHistory(capabilities),
    changeSource: (channel, source) => replication.changeSource(capabilities, channel, source),
    ...logins,
    renewLogin: (channel, password) => logins.renewLogin(capabilities, channel, password),
    judgeAccounts: (rows, change) => logins.judgeAccounts(capabilities, rows, change),
    setReplicaPosition: replication.setReplicaPosition,
    waitApplied: replication.waitApplied,
    writtenPosition: replication.writtenPosition,
    positionText: replication.positionText,
    refuseReplicating,
    setReadOnly,
    setSemiSync: (sides) => setSemiSync(capabilities, sides),
    flushTables,
    globalReadLock,
    releaseCommits: () => releaseCommits(capabilities),
    privilegedWriters: () => [],
    waitingForLock: () => undefined,
    lockHolders: () => lockHolders,
    heldLocks: () => heldLocks,
    replicaStatus: () => plain(command(capabilities, 'SHOW REPLICA STATUS')),
    toggles: mysqlToggles,
    actSession: skip.actSession,
    binlogHistory: skip.binlogHistory,
    resetBinlogs: (history) => skip.resetBinlogs(capabilities, history),
    failingEvent: (channel) => skip.failingEvent(capabilities, channel),
    skipEvent: (channel, event) => skip.skipEvent(capabilities, channel, event),
    valueOrigins: () => mysqlOrigins,
    read: (what, bounds) => reads(capabilities)[what](bounds),
    readRefusal: () => undefined,
    readSession,
    queries: queries(capabilities),
  }
}
