// What follows a valid backup.
import { expect } from 'chai'
import { followBackup } from '../../../../actors/cluster/backups/after-backup.js'
import type { BackingUp } from '../../../../actors/cluster/backups/backing-up.js'
import { Catalogue } from '../../../../lib/backup/catalogue/index.js'
import { storageOf } from '../../../../lib/backup/place/from-settings.js'
import { defaultSettings } from '../../../../lib/settings/table/settings.js'
import { backupOf } from '../../../support/canned/backup.js'
import { newDirectory } from '../../../support/machine/directories.js'

describe('followBackup', () => {
  for (const kind of ['logical', 'physical'] as const)
    it(`runs the script of ${kind} backups, with the server and the path of the backup`, async () => {
      const settings = defaultSettings({
        'monitoring-datadir': newDirectory('data'),
        'backup-logical-post-script': '/after-logical',
        'backup-physical-post-script': '/after-physical',
      })
      const scripts: unknown[] = []
      const actor = {
        state: { settings, name: 'shop' },
        tell: () => undefined,
        scripts: { add: (script: unknown) => scripts.push(script) },
      } as unknown as BackingUp // what it uses of a running cluster
      const storage = storageOf('shop', settings)
      const backup = backupOf({ kind })
      const run = {
        ...{ id: 1, signal: new AbortController().signal, log: () => undefined },
        progress: () => ({ bytes: 0, at: 0 }) as never,
      }
      await followBackup(
        actor,
        { backup, storage, catalogue: new Catalogue(storage.target, 'shop', storage.keyFile) },
        run,
      )
      expect(scripts).to.deep.equal([
        { script: `/after-${kind}`, args: ['shop', 'db1.example', '3306', 'shop/db1.example_3306/1795412345'] },
      ])
    })
})
