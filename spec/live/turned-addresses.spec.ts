// An address that leads to a stranger once the manager has asked who answers there, and before its program logs in.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { type Databases, type Node, startDatabases } from '../support/databases/database.js'
import { newDirectory } from '../support/machine/directories.js'
import { TcpGate } from '../support/machine/tcp-gate.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { type JobView, jobEnds, listBackups, listJobs, makeBackup, setSetting } from '../support/stories/backups.js'
import { end, expectWhole, load, progress } from '../support/stories/story.js'
import { idOf } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

describe('an address that turns while a program of the manager begins', () => {
  let cluster: ProtectedCluster
  let strangers: Databases
  let stranger: Node
  let gate: TcpGate
  let folder: string
  let replica: Node
  before(async () => {
    gate = await TcpGate.create()
    folder = newDirectory('turned')
    strangers = await startDatabases({ count: 1, prefix: 'stranger' })
    stranger = strangers.node(0)
    await stranger.sql('CREATE DATABASE own')
    await stranger.sql('CREATE TABLE own.kept (entry INT PRIMARY KEY)')
    await stranger.sql('INSERT INTO own.kept VALUES (1), (2)')
    cluster = await startProtectedCluster({
      ...{ count: 2, settings: { 'backup-logical-type': 'mydumper', 'failover-mode': 'manual' } },
      addresses: ([first, second]) => {
        void gate.lead(second?.port ?? 0)
        return [`127.0.0.1:${first?.port}`, gate.address]
      },
    })
    replica = cluster.databases.node(1)
    const writers = load(cluster, { count: 2 })
    await progress(writers, 20)
    await writers.stop()
    await setSetting(cluster, 'db-servers-backup-hosts', gate.address)
  })
  after(async () => {
    await end(cluster)
    await strangers?.teardown()
    await gate?.close()
  })

  const [began, turned] = ['began', 'turned']
  const at = (name: string) => path.join(folder, name)

  /** A program that says that it was started, and logs in once that is permitted. */
  function held(name: string): string {
    const file = at(name)
    const text = [
      ...['#!/bin/sh', `case " $* " in *--version*) exec ${name} "$@";; esac`, `touch ${at(began)}`],
      `until [ -e ${at(turned)} ]; do sleep 0.05; done`,
      `exec ${name} "$@"`,
    ]
    writeFileSync(file, `${text.join('\n')}\n`, { mode: 0o755 })
    return file
  }

  /** The job that is asked for, as it ended; the address led to the stranger before its program logged in. */
  async function turnedDuring(target: string, task: RegExp): Promise<JobView> {
    for (const name of [began, turned]) rmSync(at(name), { force: true })
    const asked = await cluster.manager.post(target)
    expect(asked.status, asked.body).to.be.lessThan(300)
    await eventually(
      () => existsSync(at(began)),
      () => `its program began\n${cluster.manager.log().slice(-3_000)}`,
    )
    gate.turn(stranger.port)
    writeFileSync(at(turned), '')
    const job = (await listJobs(cluster)).findLast((each) => task.test(each.task)) ?? expect.fail('there is a job')
    const ended = await jobEnds(cluster, job.id)
    gate.turn(replica.port)
    return ended
  }

  it('gives no backup of a stranger', async () => {
    await setSetting(cluster, 'backup-mydumper-path', held('mydumper'))
    const job = await turnedDuring(`${C}/actions/backup-logical`, /backup/)
    expect(job.result).to.include('another server answers').and.include(`:${stranger.port} (`)
    expect(job.phase).to.equal('failed')
    expect(await listBackups(cluster)).to.deep.equal([])
    // The same program, and the address leads where it did.
    await makeBackup(cluster, 'actions/backup-logical?wait=true')
  })

  it('loads nothing into a stranger, and the server is filled once the address leads there again', async () => {
    await setSetting(cluster, 'backup-mysqlclient-path', held('mariadb'))
    await loadsNothing('logicalmaster')
  })

  it('loads no stored backup into a stranger', async () => {
    await setSetting(cluster, 'backup-myloader-path', held('myloader'))
    await loadsNothing('logicalbackup')
  })

  async function loadsNothing(method: string): Promise<void> {
    const reseed = `${C}/servers/${await idOf(cluster, replica)}/actions/reseed/${method}`
    const job = await turnedDuring(reseed, /reseed/)
    expect(job.result).to.include('another server answers').and.include(`:${stranger.port} (`)
    expect(job.phase).to.equal('failed')
    expect((await stranger.sql('SHOW DATABASES')).map(({ Database }) => Database))
      .to.include('own')
      .and.not.include('spec')
    expect(await stranger.value('SELECT COUNT(*) FROM own.kept')).to.equal('2')
    const again = await cluster.manager.post(`${reseed}?wait=true`)
    expect(again.status, again.body).to.equal(200)
    await expectWhole(cluster, await cluster.primary())
  }
})
