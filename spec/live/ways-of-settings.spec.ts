// Stories of old primaries that diverged and come back by one setting each: a script, a restore in any case, a rebuild.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import type { Node } from '../support/databases/database.js'
import { accounts } from '../support/databases/node.js'
import { newDirectory } from '../support/machine/directories.js'
import { MadeCluster, nameOf } from '../support/manager/made-cluster.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { diverge } from '../support/stories/divergence.js'
import { durable, end, expectWhole, load, logLines, onlyOn, progress } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const alone = [
  'INSERT INTO spec.acknowledged VALUES (1000, 1), (1000, 2)',
  'CREATE TABLE spec.alone (a INT PRIMARY KEY)',
]

/** What an operator may write: a copy by the client programs, of the addresses that it is given. */
async function writeScript(): Promise<{ readonly file: string; readonly called: string }> {
  const folder = newDirectory('load-script')
  const [file, called] = [path.join(folder, 'load'), path.join(folder, 'called')]
  const { user, password } = accounts.root
  const login = `--no-defaults --user=${user} --password=${password} --skip-ssl`
  const script = `#!/bin/bash -e
set -o pipefail
echo "$@" >> ${called}
SERVER="${login} --host=$1 --port=$3" PRIMARY="${login} --host=$2 --port=$4"
mariadb $SERVER --execute='STOP ALL SLAVES; RESET SLAVE ALL; DROP DATABASE spec; RESET MASTER'
mariadb-dump $PRIMARY --all-databases --single-transaction --gtid --master-data=1 --routines --events --triggers --flush-privileges |
  mariadb $SERVER --init-command='SET SESSION sql_log_bin = 0'
mariadb $SERVER --execute='RESET SLAVE ALL'
`
  await writeFile(file, script, { mode: 0o755 })
  return { file, called }
}

describe('an old primary that diverged', () => {
  let cluster: ProtectedCluster | undefined
  afterEach(() => end(cluster))

  const begin = async (settings: Readonly<Record<string, string | boolean>>) => {
    cluster = await startProtectedCluster({ options: durable, settings })
    const writers = load(cluster, { count: 2 })
    await progress(writers, 30)
    await writers.stop()
    const servers = await diverge(cluster, alone)
    servers.old.start()
    await servers.old.waitUp()
    return { cluster, ...servers }
  }

  /** It has what the others have while clients write, and nothing else. */
  const expectBack = async (story: ProtectedCluster, { old, next }: { readonly old: Node; readonly next: Node }) => {
    await eventually(
      async () => (await story.stateOf(old)) === 'Slave',
      () => `${old.name} is a replica\n${story.manager.log().slice(-6_000)}`,
    )
    const writers = load(story, { count: 2, first: 300 })
    await progress(writers, 20)
    await writers.stop()
    await expectWhole(story, next)
    expect(await onlyOn(old, next)).to.deep.equal([])
    expect(await old.sql("SHOW TABLES FROM spec LIKE 'alone'")).to.deep.equal([])
    await story.closes('WARN0186')
  }

  it('is filled by the program of backup-load-script, which gets both addresses', async () => {
    const { file, called } = await writeScript()
    const { cluster: story, old, next } = await begin({ 'backup-load-script': file })
    await expectBack(story, { old, next })
    expect(logLines(story, 'is brought back by script')).to.not.deep.equal([])
    expect(await readFile(called, 'utf8')).to.equal(`${old.host} ${next.host} ${old.port} ${next.port}\n`)
  })

  it('is replaced by autorejoin-force-restore, and the next one too although it wrote nothing alone', async () => {
    const { cluster: story, old, next } = await begin({ 'autorejoin-force-restore': true })
    await expectBack(story, { old, next })
    const replaced = logLines(story, 'is brought back by dump').length
    expect(replaced).to.be.above(0)
    await next.kill()
    const last = await story.movedFrom(next)
    next.start()
    await next.waitUp()
    await expectWhole(story, last)
    expect(logLines(story, 'is brought back by dump').length).to.be.above(replaced)
    expect(logLines(story, 'autorejoin-force-restore is on')).to.not.deep.equal([])
  })
})

describe('an old primary that diverged, where the manager makes the servers', () => {
  let cluster: MadeCluster | undefined
  after(() => cluster?.destroy())

  it('is rebuilt and filled from a replica by autorejoin-physical-backup', async () => {
    cluster = await MadeCluster.start({ settings: { 'autorejoin-physical-backup': true } })
    const story = cluster
    const old = await story.primaryPort()
    const server = `/api/clusters/story/servers/${encodeURIComponent(nameOf(old))}/actions`
    const { file } = await story.ask(old, 'SELECT @@pid_file AS file')
    process.kill(Number(await readFile(String(file), 'utf8')), 'SIGKILL')
    await eventually(
      async () => (await story.primaryPort().catch(() => old)) !== old,
      () => `the role moves\n${story.log()}`,
    )
    // In maintenance it is left alone: what it writes then, no other server has.
    for (const action of ['set-maintenance', 'start']) {
      const { status, body } = await story.manager.post(`${server}/${action}`)
      expect(status, `${action}: ${body}`).to.equal(200)
    }
    await eventually(async () => (await story.login(old)).ok, `${nameOf(old)} answers`)
    await story.ask(old, 'CREATE TABLE story.alone (a INT PRIMARY KEY)')
    const stop = story.writing()
    expect((await story.manager.post(`${server}/del-maintenance`)).status).to.equal(200)
    await eventually(
      () => story.manager.log().includes('by rebuild: filled from'),
      () => `it is rebuilt\n${story.log()}`,
    )
    expect(await stop()).to.be.above(0)
    expect(await story.ask(old, "SHOW TABLES IN story LIKE 'alone'")).to.deep.equal({})
    expect(story.manager.log()).to.include('is brought back by rebuild: autorejoin-physical-backup is on')
  })
})
