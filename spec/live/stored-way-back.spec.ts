// Stories of old primaries that diverged and come back from a stored backup without a person: by one setting each.
import { expect } from 'chai'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { makeBackup, setSetting } from '../support/stories/backups.js'
import { diverge } from '../support/stories/divergence.js'
import { durable, end, expectWhole, load, logLines, onlyOn, progress } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const alone = [
  'INSERT INTO spec.acknowledged VALUES (1000, 1), (1000, 2)',
  'CREATE TABLE spec.alone (a INT PRIMARY KEY)',
]

describe('an old primary that diverged, and a stored backup', () => {
  let cluster: ProtectedCluster
  afterEach(() => end(cluster))

  /** The backup is older than its death: what was written since comes from the binary logs. */
  const comesBackBy = async (setting: string, backup: string) => {
    cluster = await startProtectedCluster({ options: durable })
    const writers = load(cluster, { count: 2 })
    await progress(writers, 30)
    await makeBackup(cluster, backup)
    await progress(writers, 30)
    await writers.stop()
    const { old, next } = await diverge(cluster, alone)
    await setSetting(cluster, setting, 'true')
    old.start()
    await old.waitUp()
    await eventually(
      async () => (await cluster.stateOf(old)) === 'Slave',
      () => `${old.name} is a replica\n${cluster.manager.log().slice(-6_000)}`,
    )
    const later = load(cluster, { count: 2, first: 300 })
    await progress(later, 20)
    await later.stop()
    await expectWhole(cluster, next)
    expect(await onlyOn(old, next)).to.deep.equal([])
    expect(await old.sql("SHOW TABLES FROM spec LIKE 'alone'")).to.deep.equal([])
  }

  it('is filled with the logical one by autorejoin-logical-backup', async () => {
    await comesBackBy('autorejoin-logical-backup', 'actions/backup-logical?wait=true')
    expect(logLines(cluster, 'is brought back by logical-backup')).to.not.deep.equal([])
    expect(await cluster.alerts()).to.not.include('WARN0190')
  })

  it('is filled with the physical one by autorejoin-physical-backup', async () => {
    await comesBackBy('autorejoin-physical-backup', 'actions/backup-physical?wait=true')
    expect(logLines(cluster, 'is brought back by physical-backup')).to.not.deep.equal([])
  })

  it('is a finding where there is none to return from', async () => {
    cluster = await startProtectedCluster({ count: 2, settings: { 'autorejoin-logical-backup': true } })
    await cluster.opens('WARN0190')
  })
})
