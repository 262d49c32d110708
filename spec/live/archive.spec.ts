// Backups that are copied to restic: encrypted physical ones are restored, the archive outlives the working directory, proofs by schedule.
import { rmSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { Catalogue } from '../../lib/backup/catalogue/index.js'
import { unwrap } from '../../lib/base/result.js'
import { secret } from '../../lib/base/secret.js'
import { MINUTE } from '../../lib/base/time.js'
import { newDirectory } from '../support/machine/directories.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { jobLog, listJobs, makeBackup, setSetting } from '../support/stories/backups.js'
import { end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

interface Listed {
  readonly backup: {
    readonly id: number
    readonly backupTool: string
    readonly places: readonly string[]
    readonly encrypted: boolean
    readonly proof?: { readonly result: string; readonly restoreSeconds: number }
  }
}

describe('backups in an archive', () => {
  const repository = path.join(newDirectory('archive'), 'restic')
  let cluster: ProtectedCluster
  let physical: number
  before(async () => {
    cluster = await startProtectedCluster({
      count: 2,
      settings: {
        ...{ 'backup-restic': true, 'backup-restic-binary-path': 'restic', 'backup-restic-password': 'only here' },
        ...{ 'backup-restic-repository': repository, 'backup-encryption': true, 'compress-backups': true },
        ...{ 'backup-keep-hourly': 1, 'backup-keep-daily': 0, 'backup-keep-weekly': 0 },
        ...{ 'backup-keep-monthly': 0, 'backup-keep-yearly': 0 },
      },
    })
  })
  after(() => end(cluster))

  const list = async () => (await cluster.manager.get<readonly Listed[]>(`${C}/backups`)).map(({ backup }) => backup)
  const find = async (id: number) => (await list()).find((backup) => backup.id === id)
  const archived = async () => {
    const config = { kind: 'restic', binary: 'restic', password: secret('only here'), timeoutMs: MINUTE } as const
    const catalogue = new Catalogue({ ...config, repository: `${repository}/story` }, 'story', '')
    return unwrap(await catalogue.read(new AbortController().signal)).backups
  }
  const prove = async (id: number) => {
    const reply = await cluster.manager.post(`${C}/actions/prove-backup?backup=${id}&wait=true`)
    const job = (await listJobs(cluster)).at(-1)
    expect(reply.status, `${reply.body}\n${(await jobLog(cluster, job?.id ?? 0)).slice(-2_000)}`).to.equal(202)
  }
  const bySchedule = async (task: string, count: number) => {
    const done = async () =>
      (await listJobs(cluster)).filter((job) => job.user === 'scheduler' && job.task === task && job.phase === 'done')
    await setSetting(cluster, 'monitoring-scheduler', 'true')
    await eventually(
      async () => (await done()).length >= count,
      () => `${count} times ${task} by schedule\n${cluster.manager.log().slice(-3_000)}`,
    )
    await setSetting(cluster, 'monitoring-scheduler', 'false')
    const open = async () => (await listJobs(cluster)).filter(({ phase }) => phase === 'queued' || phase === 'running')
    await eventually(async () => (await open()).length === 0, 'what was begun has ended')
  }

  it('are listed once with both places, a physical one encrypted', async () => {
    physical = (await makeBackup(cluster, 'actions/backup-physical?wait=true')).id
    expect(await find(physical), cluster.manager.log().match(/it is not in the archive[^"]*/)?.[0]).to.deep.include({
      places: ['directory', 'restic'],
      encrypted: true,
    })
    await prove(physical)
    expect((await find(physical))?.proof?.result).to.equal('proven')
  })

  it('are thinned out in both places after a backup by schedule', async () => {
    await setSetting(cluster, 'scheduler-db-servers-logical-backup-cron', '* * * * * *')
    await bySchedule('backup-logical', 2)
    await setSetting(cluster, 'scheduler-db-servers-logical-backup', 'false')
    // Of the hour the newest; the hour may end in between.
    let [here, there]: [readonly number[], readonly number[]] = [[], []]
    await eventually(
      async () => {
        here = (await list()).filter(({ backupTool }) => backupTool === 'mysqldump').map(({ id }) => id)
        there = (await archived()).filter(({ tool }) => tool === 'mysqldump').map(({ id }) => id)
        return (here.length === 1 || here.length === 2) && there.join() === here.join()
      },
      () => `both places have the newest: ${here} here, ${there} there`,
    )
  })

  it('are proven by schedule, with the duration', async () => {
    await setSetting(cluster, 'scheduler-backup-proof-cron', '* * * * * *')
    await setSetting(cluster, 'scheduler-backup-proof', 'true')
    await bySchedule('proof', 1)
    await setSetting(cluster, 'scheduler-backup-proof', 'false')
    const newest = (await list()).at(-1)
    expect(newest?.proof?.result).to.equal('proven')
    expect(newest?.proof?.restoreSeconds).to.be.greaterThan(0)
  })

  it('are listed and restored from the archive when the working directory has lost them', async () => {
    // The manager may write there at the same moment.
    rmSync(path.join(cluster.manager.dataDirectory, 'backups/story'), {
      recursive: true,
      maxRetries: 20,
      retryDelay: 100,
    })
    await eventually(
      async () => {
        await cluster.manager.post(`${C}/actions/backup-logical?wait=true`)
        return (await find(physical))?.places.join() === 'restic'
      },
      () => `the list has it from the archive\n${cluster.manager.log().slice(-3_000)}`,
    )
    await prove(physical)
    expect((await archived()).find(({ id }) => id === physical)?.proof?.result).to.equal('proven')
  })
})
