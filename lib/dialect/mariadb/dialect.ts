// The dialect of MariaDB.
import type { ServerIdentity } from '../../model/server/server.js'
import type { Dialect } from '../shared/dialect.js'
import { dormantEvents, enableEvent, markPrimary, plain, setEventScheduler, unlock } from '../shared/locks.js'
import { mariadbOrigins } from '../shared/origins.js'
import { countDumpThreads, killSession, longWrites, unfinishedWrites, waitingCommits } from '../shared/sessions.js'
import {
  accountPrivileges,
  binaryLogs,
  globalStatus,
  globalVariables,
  ownGrants,
  parseSlowProbe,
  plugins,
  statementHistory,
} from '../shared/slow.js'
import { capabilitiesOf } from './capabilities.js'
import { positionText } from './channel.js'
import * as control from './control.js'
import * as logins from './logins.js'
import { fastProbe, parseFastProbe, parseSemiSyncStatus, semiSyncStatus } from './probe.js'
import { queries } from './queries.js'
import { readRefusals, readSession, reads } from './reads.js'
import * as replication from './replication.js'
import * as skip from './skip.js'
import { mariadbToggles } from './toggles.js'

const processTable = 'information_schema.PROCESSLIST'
const binlogStatus = () => plain('SHOW MASTER STATUS')

export function mariadbDialect(identity: ServerIdentity): Dialect {
  const capabilities = capabilitiesOf(identity)
  return {
    identity,
    capabilities,
    fastProbe: fastProbe(identity),
    parseFastProbe: (results, known) => parseFastProbe(identity, results, known),
    semiSyncStatus,
    parseSemiSyncStatus,
    slowProbe: (replicationUser) => ({
      variables: globalVariables(),
      status: globalStatus(),
      plugins,
      binlog: binlogStatus(),
      binlogs: binaryLogs,
      dumpThreads: countDumpThreads(processTable),
      statementHistory,
      ownGrants,
      replicationGrants: accountPrivileges(replicationUser),
    }),
    parseSlowProbe,
    ...replication,
    changeSource: (channel, source) => replication.changeSource(capabilities, channel, source),
    ...logins,
    positionText,
    ...control,
    setEventScheduler,
    dormantEvents,
    enableEvent,
    unlock,
    markPrimary,
    longWrites: (seconds) => longWrites(processTable, seconds),
    unfinishedWrites: () => unfinishedWrites(processTable),
    waitingCommits: () => waitingCommits(processTable),
    releaseCommits: () => control.releaseCommits,
    killSession,
    binlogStatus,
    replicaStatus: () => plain('SHOW ALL SLAVES STATUS'),
    toggles: mariadbToggles,
    ...skip,
    variableList: globalVariables,
    pluginList: () => plugins,
    valueOrigins: () => mariadbOrigins,
    read: (what, bounds) => reads[what](bounds),
    readRefusal: (what, error) => readRefusals[what]?.[error],
    readSession,
    queries,
  }
}
