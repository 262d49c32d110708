import { expect } from 'chai'
import { storingSettings } from '../../../../actors/cluster/backups/storing-settings.js'
import { defaultSettings } from '../../../../lib/settings/table/settings.js'
import { backupOf } from '../../../support/canned/backup.js'

describe('storingSettings', () => {
  const where = { cluster: 'shop', directory: '/logs' }

  it('reads as the server_id of the settings, and keeps as many closed files as they say', () => {
    const settings = defaultSettings({ 'check-binlog-server-id': 77_001, 'backup-binlogs-keep': 3 })
    expect(storingSettings({ settings, backups: [] }, where)).to.deep.equal({
      ...{ directory: '/logs', serverId: 77_001, keep: 3, compress: true },
    })
  })

  it('keeps what the newest valid backup needs', () => {
    const backups = [backupOf({ startedAt: 5_000 }), backupOf({ startedAt: 9_000, state: 'failed' })]
    expect(storingSettings({ settings: defaultSettings(), backups }, where).neededFrom).to.equal(5_000)
  })

  it('keeps everything until the backups are known', () => {
    expect(storingSettings({ settings: defaultSettings() }, where).neededFrom).to.equal(0)
  })

  it('takes closed files only, and has them read by mysqlbinlog, where the settings say so', () => {
    const settings = defaultSettings({
      ...{ 'binlog-copy-mode': 'ssh', 'binlog-parse-mode': 'mysqlbinlog', 'backup-mysqlbinlog-path': '/own' },
    })
    expect(storingSettings({ settings }, where)).to.include({ closedOnly: true, verifyBy: '/own' })
  })

  it('copies them where backups go, coded as they are, but to restic as they are', () => {
    const settings = defaultSettings({
      ...{ 'backup-streaming': true, 'backup-streaming-bucket': 'backups', 'backup-restic': true },
      ...{ 'backup-binlogs-copy-interval': 7, 'compress-backups': false },
    })
    const { targets = [] } = storingSettings({ settings }, where).elsewhere ?? {}
    expect(targets.map(({ place, intervalMs, coding }) => [place.kind, intervalMs, coding.encrypted])).to.deep.equal([
      ['s3', 7_000, false],
      ['restic', 30_000, false],
    ])
  })
})
