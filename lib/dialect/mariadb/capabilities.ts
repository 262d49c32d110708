// Capabilities of MariaDB 10.6 to 11.8.

import type { ServerIdentity } from '../../model/server/server.js'
import { compareVersions } from '../../model/server/version.js'
import type { Capabilities } from '../shared/dialect/dialect.js'

/** Semi-synchronous replication is built in since 10.3. */
export const capabilitiesOf = ({ flavour, version }: ServerIdentity): Capabilities => ({
  flavour,
  version,
  replicaWords: false,
  changeSource: false,
  replicaVariables: false,
  binaryLogStatus: false,
  performanceProcessList: false,
  superReadOnly: false,
  semiSync: 'old-names',
  semiSyncSides: { source: true, replica: true },
  demoteToReplica: compareVersions(version, { major: 10, minor: 10, patch: 0 }) >= 0,
  secondPassword: true,
  admitsAgain: true,
})
