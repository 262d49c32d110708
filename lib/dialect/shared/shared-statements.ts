// The part of a dialect that both flavours share.

import { enableEvent, parseEvents, seesEveryEvent, setEventScheduler } from './control/events.js'
import { lockSessions } from './control/lock-waits.js'
import { markPrimary, unlock } from './control/locks.js'
import {
  commitsUnderWay,
  countDumpThreads,
  countSpaceWaits,
  killSession,
  longWrites,
  unfinishedWrites,
  waitingCommits,
} from './control/sessions.js'
import type { Dialect } from './dialect/dialect.js'
import { readOnlyOrigins } from './probe/origins.js'
import {
  accountPrivileges,
  binaryLogs,
  globalStatus,
  globalVariables,
  ownGrants,
  parseSlowProbe,
  plugins,
  sessionLimit,
  statementHistory,
} from './probe/slow.js'
import { dumpsAndStatements, watchedStatements } from './probe/watched.js'

interface Own extends Pick<Dialect, 'identity' | 'binlogStatus' | 'enabledEvents'> {
  /** Lists the sessions of the flavour. */
  readonly processTable: string
  /** The column of that table, or the expression, in which two statements of a session differ. */
  readonly queryNumber: string
}

export const sharedStatements = ({ identity, processTable, queryNumber, binlogStatus, enabledEvents }: Own) =>
  ({
    slowProbe: (replicationUser, watched = {}) => ({
      spaceWaits: countSpaceWaits(processTable),
      variables: globalVariables(),
      status: globalStatus(),
      ...(watched.withoutPlugins ? {} : { plugins }),
      binlog: binlogStatus(),
      binlogs: binaryLogs,
      dumpThreads:
        watched.statementsMs === undefined
          ? countDumpThreads(processTable)
          : dumpsAndStatements(processTable, watched.statementsMs),
      statementHistory,
      ownGrants,
      replicationGrants: accountPrivileges(replicationUser),
      sessionLimit,
      readOnlyOrigin: readOnlyOrigins[identity.flavour],
      ...watchedStatements(processTable, watched),
      events: enabledEvents(),
    }),
    parseSlowProbe: (answers) => parseSlowProbe(answers, identity),
    setEventScheduler,
    enabledEvents,
    enableEvent,
    parseEvents,
    ownGrants: () => ownGrants,
    seesEveryEvent: (held) => seesEveryEvent(identity, held),
    unlock,
    markPrimary,
    longWrites: (seconds) => longWrites(processTable, seconds),
    unfinishedWrites: () => unfinishedWrites(processTable),
    waitingCommits: () => waitingCommits(processTable),
    commitsUnderWay: () => commitsUnderWay(processTable, queryNumber),
    lockSessions: () => lockSessions(processTable),
    killSession,
    binlogStatus,
    variableList: globalVariables,
    pluginList: () => plugins,
  }) satisfies Partial<Dialect>
