// What a backup would do, before anyone begins it. Pure.
import type { BackupKind } from '../../model/backup.js'
import type { Preview } from '../../model/operation/preview.js'
import type { ServerId } from '../../model/server/server.js'
import type { Settings } from '../../settings/index.js'
import { chooseSource, type SourceQuestion } from './source.js'

export type BackupPreviewSettings = SourceQuestion['settings'] &
  Pick<Settings, 'backup-lockddl' | 'backup-logical-type' | 'backup-physical-type'>

export interface BackupWork {
  readonly kind: BackupKind
  readonly server?: ServerId
}

/** Never a failure: a refusal is part of the preview. */
export function previewBackup(
  snapshot: SourceQuestion['snapshot'],
  settings: BackupPreviewSettings,
  work: BackupWork,
): Preview {
  const kind = `backup-${work.kind}`
  const chosen = chooseSource({ snapshot, settings, ...work })
  if (!chosen.ok) return { kind, possible: false, refusal: chosen.failure.message, steps: [], risks: [] }
  const [first, ...others] = chosen.value.rows
  const locks = settings['backup-lockddl']
  const steps = [
    ...(locks ? [`Hold off changes of tables on ${first?.name} while it is copied`] : []),
    `Copy ${first?.name} by ${settings[`backup-${work.kind}-type`]}: it ${first?.reason}`,
    'Verify its position, and write its record',
  ]
  return {
    ...{ kind, possible: true },
    steps: steps.map((text) => ({ text, blocksWrites: false })),
    risks: others.map(
      ({ name, reason, refused }) =>
        `${name} ${refused === undefined ? 'comes after it' : 'is no source'}: it ${reason}`,
    ),
  }
}
