// Room for the next backup: whether the former ones go before it is valid.
import { expect } from 'chai'
import { backupFolder, Catalogue } from '../../../../lib/backup/catalogue/index.js'
import { makeRoom } from '../../../../lib/backup/method/make-room.js'
import { storageOf } from '../../../../lib/backup/place/from-settings.js'
import { unwrap } from '../../../../lib/base/result.js'
import { DAY, now } from '../../../../lib/base/time.js'
import type { Backup } from '../../../../lib/model/backup.js'
import { defaultSettings } from '../../../../lib/settings/table/settings.js'
import { backupOf } from '../../../support/canned/backup.js'
import { newDirectory } from '../../../support/machine/directories.js'

const { signal } = new AbortController()

describe('makeRoom', () => {
  const madeBefore = (id: number, days: number): Backup => {
    const backup = backupOf({ id, startedAt: now() - days * DAY })
    return { ...backup, path: backupFolder(backup) }
  }

  /** Which of two daily backups are there when the third begins. */
  const keptBy = async (keepUntilValid: boolean) => {
    const settings = defaultSettings({
      'monitoring-datadir': newDirectory('data'),
      'backup-keep-until-valid': keepUntilValid,
      ...{ 'backup-keep-hourly': 0, 'backup-keep-daily': 1, 'backup-keep-weekly': 0 },
      ...{ 'backup-keep-monthly': 0, 'backup-keep-yearly': 0 },
      ...{ 'backup-disk-threshold-warn': 0, 'backup-disk-threshold-crit': 0 },
    })
    const storage = storageOf('shop', settings)
    const catalogue = new Catalogue(storage.target, 'shop', storage.keyFile)
    for (const backup of [madeBefore(1, 2), madeBefore(2, 1)]) unwrap(await catalogue.keep(backup, signal))
    const { backups } = unwrap(await catalogue.read(signal))
    const request = { storage, catalogue, kind: 'logical', backups, dataBytes: 1_000 } as const
    unwrap(await makeRoom(request, () => undefined))
    return unwrap(await catalogue.read(signal)).backups.map(({ id }) => id)
  }

  it('keeps all former ones until the new one is valid by backup-keep-until-valid', async () => {
    expect(await keptBy(true)).to.deep.equal([1, 2])
  })

  it('removes without it what no period would keep beside the new one, never the newest valid one', async () => {
    expect(await keptBy(false)).to.deep.equal([2])
  })
})
