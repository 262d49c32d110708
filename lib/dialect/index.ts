// The face of the SQL dialects: what a server is, and the statements and parsers that fit it.
export type {
  Capabilities,
  Dialect,
  KnownState,
  SemiSyncStatus,
  SlowAnswers,
  SlowPart,
  SourceTarget,
} from './dialect.js'
export { type FailingEvent, parseFailing } from './failing.js'
export { dialectFor } from './for.js'
export { identify, parseIdentity } from './identity.js'
export { nativePassword } from './native-password.js'
export { parseOrigins, parsePlugins } from './origins.js'
export {
  furtherPrivileges,
  grantStatements,
  holds,
  type Privilege,
  type PrivilegeRow,
  parseGrants,
  privilegeOf,
  privilegeRows,
} from './privileges.js'
export { resolveComments } from './queries/comments.js'
export { type Call, type Judged, judgeStatement, unknownCall } from './queries/guard.js'
export { type DigestWish, digestText, functionNamed, ownerOf, runningDigest, viewsNamed } from './queries/queries.js'
export { judgeFunction } from './queries/stored-function.js'
export { quoteIdentifier } from './quote.js'
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
export { pairs as variablesByName } from './rows.js'
export type { Rows, Statement } from './statement.js'
export type { Toggle, ToggleReading } from './toggles.js'
export { withoutAliases } from './variable-aliases.js'
export { grantOf, type Wish } from './wishes.js'
