// What follows a valid backup: its copy in the archive, the removal of those that need not be kept, the operator's script.
import { Catalogue } from '../../../lib/backup/catalogue/index.js'
import { archiveBackup } from '../../../lib/backup/method/archive.js'
import { removeAll } from '../../../lib/backup/method/make-room.js'
import type { BackupStorage } from '../../../lib/backup/place/from-settings.js'
import { SECOND } from '../../../lib/base/time.js'
import { planRetention } from '../../../lib/decide/backup/retention.js'
import type { Backup } from '../../../lib/model/backup.js'
import type { BackingUp } from './backing-up.js'
import type { JobRun } from './queue.js'

const postScripts = { logical: 'backup-logical-post-script', physical: 'backup-physical-post-script' } as const

export interface Followed {
  readonly backup: Backup
  readonly storage: BackupStorage
  readonly catalogue: Catalogue
}

/** Nothing of it makes the backup less valid: what fails is in the log of the job and in that of the cluster. */
export async function followBackup(
  actor: BackingUp,
  { backup, storage, catalogue }: Followed,
  run: JobRun,
): Promise<void> {
  const { settings, name } = actor.state
  const complain = (text: string) => {
    run.log(text)
    actor.tell('noted', { level: 'ERROR', text: `Backup ${backup.id}: ${text}`, module: 'backup-stream' })
  }
  const archive = storage.archive && new Catalogue(storage.archive, name, storage.keyFile)
  if (storage.archive && archive) {
    const deadlineMs = settings['backup-timeout'] * SECOND
    const order = { from: catalogue, to: archive, place: storage.archive, backup, deadlineMs }
    const archived = await archiveBackup(order, run)
    if (!archived.ok) complain(`it is not in the archive: ${archived.failure.message}`)
  }
  for (const place of [catalogue, ...(archive ? [archive] : [])]) {
    const reading = await place.read(run.signal)
    const retired = reading.ok
      ? await removeAll({ catalogue: place }, planRetention(reading.value.backups, storage.retention).remove, run.log)
      : reading
    if (!retired.ok) complain(`older ones are not removed: ${retired.failure.message}`)
  }
  const script = settings[postScripts[backup.kind]]
  if (script !== '') actor.scripts.add({ script, args: [name, backup.host, String(backup.port), backup.path] })
}
