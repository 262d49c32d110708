// The exports of the SQL dialects: identification of a server, and its statements and parsers.

export { dialectFor } from './for.js'
export { resolveComments } from './queries/comments.js'
export { type Call, type Judged, judgeStatement, unknownCall } from './queries/guard.js'
export { type DigestRequest, digestText, functionNamed, ownerOf, runningDigest, viewsNamed } from './queries/queries.js'
export { judgeFunction } from './queries/stored-function.js'
export { maskSecrets } from './reads/mask.js'
export {
  LONGEST_TEXT,
  type LogFile,
  type ReadBounds,
  type ReadStep,
  type ServerRead,
  serverReads,
} from './reads/read.js'
export { summariseSlow } from './reads/slow-log.js'
export { digestOf, normaliseStatement } from './reads/statement-text.js'
export { hourlyLogins } from './shared/access/hourly-logins.js'
export {
  activateRole,
  furtherPrivileges,
  grantedRoles,
  grantStatements,
  holds,
  type Privilege,
  type PrivilegeRow,
  parseGrants,
  privilegeOf,
  privilegeRows,
  rotationPrivileges,
  schedulerPrivilege,
} from './shared/access/privileges.js'
export {
  accountHosts,
  asReplica,
  repairCertificate,
  repairDefaults,
  repairLogin,
  repairTls,
} from './shared/access/source-login.js'
export { grantLines, type HiddenList, hiddenFrom } from './shared/access/visibility.js'
export { type EnforcedSetting, enforcedVariable } from './shared/control/enforced-variables.js'
export { MOST_EVENTS } from './shared/control/events.js'
export { isLockedOut, lockIn, parseHeldLock, parseLockWait } from './shared/control/lock-waits.js'
export { sessionStart, sessionValues, unknownVariable } from './shared/control/session-start.js'
export {
  isDiskFull,
  isWriting,
  parseSessions,
  type SessionRow,
  sessionList,
  TRX_LIST_MS,
} from './shared/control/sessions.js'
export { type FoundDefault, stoppingDefaults, stoppingIn } from './shared/control/stopping-defaults.js'
export type { Toggle, ToggleReading } from './shared/control/toggles.js'
export type {
  Capabilities,
  Dialect,
  KnownState,
  SemiSyncStatus,
  SlowAnswers,
  SlowPart,
  SourceTarget,
} from './shared/dialect/dialect.js'
export { type FailingEvent, parseFailing } from './shared/dialect/failing.js'
export { parseOrigins, parsePlugins } from './shared/probe/origins.js'
export { acknowledgementsIn } from './shared/probe/semi-sync.js'
export { ownGrants, sessionLimit } from './shared/probe/slow.js'
export { isEndedInLogin, isTlsRefused } from './shared/probe/tls-refused.js'
export { identify, onThisServerOnly, parseIdentity } from './statement/identity.js'
export { nativePassword } from './statement/native-password.js'
export { quoteIdentifier } from './statement/quote.js'
export { pairs as variablesByName } from './statement/rows.js'
export type { Rows, Statement } from './statement/statement.js'
export { withoutAliases } from './statement/variable-aliases.js'
