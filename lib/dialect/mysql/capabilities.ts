// Capabilities of MySQL 8.0 to 9.x and Percona Server.
import type { ServerIdentity } from '../../model/server/server.js'
import { compareVersions, type Version } from '../../model/server/version.js'
import type { Capabilities } from '../shared/dialect/dialect.js'

/** Names changed step by step, see the release notes of 8.0.22, 8.0.23, 8.0.26, 8.2.0 and 8.4.0. */
export function capabilitiesOf({ flavour, version, optionalVariables = [] }: ServerIdentity): Capabilities {
  const since = (major: number, minor: number, patch: number) => atLeast(version, { major, minor, patch })
  const has = (side: string) => optionalVariables.includes(`rpl_semi_sync_${side}_enabled`)
  const newNames = has('source') || has('replica')
  return {
    flavour,
    version,
    replicaWords: since(8, 0, 22),
    changeSource: since(8, 0, 23),
    replicaVariables: since(8, 0, 26),
    binaryLogStatus: since(8, 2, 0),
    performanceProcessList: since(8, 0, 22),
    superReadOnly: true,
    semiSync: newNames ? 'new-names' : has('master') || has('slave') ? 'old-names' : 'none',
    semiSyncSides: { source: has('source') || has('master'), replica: has('replica') || has('slave') },
    demoteToReplica: false,
    secondPassword: since(8, 0, 14),
    admitsAgain: false,
  }
}

const atLeast = (version: Version, least: Version): boolean => compareVersions(version, least) >= 0
