// The face of the SQL dialects: what a server is, and the statements and parsers that fit it.
export type {
  Capabilities,
  Dialect,
  KnownState,
  Rows,
  SemiSyncStatus,
  SlowAnswers,
  SlowPart,
  SourceTarget,
  Statement,
} from './dialect.js'
export { dialectFor } from './for.js'
export { identify, parseIdentity } from './identity.js'
export { parseOrigins, parsePlugins } from './origins.js'
export { quoteIdentifier } from './quote.js'
export { type LogFile, type ReadBounds, type ReadStep, type ServerRead, serverReads } from './reads/read.js'
export { summariseSlow } from './reads/slow-log.js'
export { pairs as variablesByName } from './rows.js'
export { grantOf, type Wish } from './wishes.js'
