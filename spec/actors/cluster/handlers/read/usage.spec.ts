// What is accounted of a cluster: services that answer, bytes by where they are.
import { expect } from 'chai'
import { readUsage } from '../../../../../actors/cluster/handlers/read/usage.js'
import { unwrap } from '../../../../../lib/base/result.js'
import type { WatchedProxy } from '../../../../../lib/proxy/standing.js'
import { defaultSettings } from '../../../../../lib/settings/index.js'
import { backupOf } from '../../../../support/canned/backup.js'
import { primary, replica, situation } from '../../../../support/simulator/situation.js'

const proxy = (state: WatchedProxy['state']) => ({ state }) as WatchedProxy
const state = {
  ...{
    snapshot: situation([primary(), replica(2), { ...replica(3), observation: 'unseen' as const }]).snapshot,
    ready: true,
  },
  proxies: [proxy('running'), proxy('desync'), proxy('suspect'), proxy('failed')],
  settings: defaultSettings({ 'monitoring-datadir': '/state' }),
  backups: [
    backupOf({ id: 1, size: 100, place: 'directory' }),
    backupOf({ id: 2, size: 10, place: 'directory', also: ['s3'] }),
    backupOf({ id: 3, size: 1, place: 'restic' }),
  ],
}

describe('readUsage', () => {
  it('counts what is monitored and what of it answers', () => {
    const { databases, proxies } = unwrap(readUsage(state))
    expect({ databases, proxies }).to.deep.equal({ databases: { all: 3, running: 2 }, proxies: { all: 4, running: 2 } })
  })

  it('counts a copy in two places twice, and an archive on a local disk as local', () => {
    const { localBytes, archivedBytes } = unwrap(readUsage(state))
    expect({ localBytes, archivedBytes }).to.deep.equal({ localBytes: 111, archivedBytes: 10 })
  })

  it('counts an archive in object storage as archived', () => {
    const elsewhere = { 'backup-restic-aws': true, 'backup-restic-repository': 's3:https://s3.example/bucket' }
    const { localBytes, archivedBytes } = unwrap(readUsage({ ...state, settings: defaultSettings(elsewhere) }))
    expect({ localBytes, archivedBytes }).to.deep.equal({ localBytes: 110, archivedBytes: 11 })
  })

  it('reports nothing before servers were probed and backups read', () => {
    const { backups: _, ...unread } = state
    for (const early of [{ ...state, ready: false }, unread]) expect(readUsage(early).ok).to.equal(false)
  })
})
