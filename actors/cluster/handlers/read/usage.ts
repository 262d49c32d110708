// What is accounted of a cluster at one instant: how many of its services run, and the bytes of its backups. Pure.
import { isArchiveLocal } from '../../../../lib/backup/place/from-settings.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import type { Backup, BackupPlace } from '../../../../lib/model/backup.js'
import type { Usage } from '../../../../lib/price/index.js'
import type { ClusterState } from '../../state/state.js'

type Known = Pick<ClusterState, 'snapshot' | 'proxies' | 'backups' | 'settings' | 'ready'>

/**
 * Read of the state alone; a server or proxy runs while its latest probe was answered. Failure: `wrong-state`, before every server
 * was probed and the backups were read.
 */
export function readUsage({ snapshot, proxies, backups, settings, ready }: Known): Result<Usage> {
  if (!ready || !backups) return fail('wrong-state', 'not every server was probed, or the backups are not read yet')
  const isLocal = (place: BackupPlace): boolean =>
    place === 'directory' || (place === 'restic' && isArchiveLocal(snapshot.cluster, settings))
  const bytes = (wanted: boolean): number =>
    backups.reduce(
      (sum, backup) => sum + backup.size * placesOf(backup).filter((at) => isLocal(at) === wanted).length,
      0,
    )
  return ok({
    databases: {
      all: snapshot.servers.length,
      running: snapshot.servers.filter(({ observation }) => observation === 'answered').length,
    },
    proxies: {
      all: proxies.length,
      running: proxies.filter(({ state }) => state === 'running' || state === 'desync').length,
    },
    localBytes: bytes(true),
    archivedBytes: bytes(false),
  })
}

/** Each place that has its bytes: a copy in two places is there twice. */
const placesOf = ({ place, also = [] }: Backup): readonly BackupPlace[] => [...new Set([place, ...also])]
