// How binary logs are stored by the settings as they are now. Pure but for the question which programs are installed.
import { logCopiesOf, storageOf } from '../../../lib/backup/place/from-settings.js'
import type { StoringSettings } from '../../../lib/backup/storing/storing-state.js'
import { possibleCompression } from '../../../lib/backup/stream/index.js'
import type { Backup } from '../../../lib/model/backup.js'
import type { Settings } from '../../../lib/settings/index.js'

interface Stored {
  readonly settings: Settings
  /** Newest last; undefined until they were read. */
  readonly backups?: readonly Backup[]
}

interface Where {
  readonly cluster: string
  readonly directory: string
}

export function storingSettings({ settings, backups }: Stored, { cluster, directory }: Where): StoringSettings {
  // Before it is known which backups there are, any of the files may be needed.
  const neededFrom = backups ? backups.findLast(({ state }) => state === 'valid')?.startedAt : 0
  return {
    directory,
    serverId: settings['check-binlog-server-id'],
    keep: settings['backup-binlogs-keep'],
    ...(neededFrom === undefined ? {} : { neededFrom }),
    compress: true,
    ...(settings['binlog-copy-mode'] === 'mysqlbinlog' ? {} : { closedOnly: true as const }),
    ...(settings['binlog-parse-mode'] === 'mysqlbinlog' ? { verifyBy: settings['backup-mysqlbinlog-path'] } : {}),
    ...elsewhere(cluster, settings),
  }
}

function elsewhere(cluster: string, settings: Settings): Pick<StoringSettings, 'elsewhere'> {
  const storage = storageOf(cluster, settings)
  const compression = possibleCompression(storage.compression)
  const targets = logCopiesOf(settings, storage).map(({ place, intervalMs }) => ({
    ...{ place, intervalMs },
    // A repository of restic compresses and encrypts already.
    coding:
      place.kind === 'restic'
        ? { compression: 'none' as const, encrypted: false }
        : { compression, encrypted: storage.encryption !== undefined },
  }))
  const keys = { keyFile: storage.keyFile, recipients: storage.encryption?.recipients ?? [] }
  return targets.length === 0 ? {} : { elsewhere: { cluster, keys, targets } }
}
