// The part of a dialect that both flavours share.

import { dormantEvents, enableEvent, markPrimary, setEventScheduler, unlock } from './control/locks.js'
import {
  countDumpThreads,
  countSpaceWaits,
  killSession,
  longWrites,
  unfinishedWrites,
  waitingCommits,
} from './control/sessions.js'
import type { Dialect } from './dialect/dialect.js'
import {
  accountPrivileges,
  binaryLogs,
  globalStatus,
  globalVariables,
  ownGrants,
  parseSlowProbe,
  plugins,
  statementHistory,
} from './probe/slow.js'
import { dumpsAndStatements, watchedStatements } from './probe/watched.js'

/** `processTable` lists the sessions of the flavour. */
export const sharedStatements = (processTable: string, binlogStatus: Dialect['binlogStatus']) =>
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
      ...watchedStatements(processTable, watched),
    }),
    parseSlowProbe,
    setEventScheduler,
    dormantEvents,
    enableEvent,
    unlock,
    markPrimary,
    longWrites: (seconds) => longWrites(processTable, seconds),
    unfinishedWrites: () => unfinishedWrites(processTable),
    waitingCommits: () => waitingCommits(processTable),
    killSession,
    binlogStatus,
    variableList: globalVariables,
    pluginList: () => plugins,
  }) satisfies Partial<Dialect>
