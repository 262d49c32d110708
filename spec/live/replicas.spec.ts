// Stories of replicas: one dies and returns, one cannot apply, and one primary dies after the other.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { caughtUp } from '../support/databases/database.js'
import { newDirectory } from '../support/machine/directories.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { begunIn } from '../support/stories/intact.js'
import {
  allWriteTo,
  asReplica,
  comesBack,
  durable,
  end,
  expectWhole,
  load,
  lossless,
  progress,
} from '../support/stories/story.js'
import { acknowledging } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

describe('a cluster whose replicas fail', () => {
  let cluster: ProtectedCluster
  /** Each story begins with the cluster as the one before left it: whole. */
  before(async () => {
    cluster = await startProtectedCluster({ semiSync: true, options: lossless, settings: { 'failover-limit': 0 } })
  })
  beforeEach(() => acknowledging(cluster))
  after(() => end(cluster))

  it('goes on when one dies, and takes it back when it returns', async () => {
    const primary = await cluster.primary()
    const [replica] = cluster.nodes.filter((node) => node !== primary)
    if (!replica) throw new Error('there are replicas')
    const writers = load(cluster, { count: 8 })
    await progress(writers, 50)
    await replica.kill()
    await eventually(async () => (await cluster.stateOf(replica)) === 'Failed', 'the manager sees it')
    await cluster.opens('WARN0171')
    await progress(writers, 100)
    replica.start('--rpl-semi-sync-slave-enabled=ON')
    await replica.waitUp()
    await progress(writers, 50)
    await writers.stop()
    await expectWhole(cluster, primary)
    expect(await writers.missingOn(replica)).to.deep.equal([])
    expect(await begunIn(cluster), cluster.manager.log()).to.not.include('failover')
  })

  it('survives the death of the second primary before the first is back', async () => {
    const first = await cluster.primary()
    const writers = load(cluster, { count: 8, first: 8 })
    await progress(writers, 100)
    await first.kill()
    const second = await cluster.movedFrom(first)
    await progress(writers, 100)
    await second.kill()
    const third = await cluster.movedFrom(second)
    await progress(writers, 100)
    expect(await writers.missingOn(third)).to.deep.equal([])
    await allWriteTo(writers, third)
    const crashes = await Promise.all([first, second].map((node) => comesBack(cluster, node, ...asReplica)))
    expect(crashes.map(({ Outcome }) => Outcome)).to.deep.equal(['rejoined', 'rejoined'])
    await writers.stop()
    await expectWhole(cluster, third)
    expect(await writers.missingOn(third)).to.deep.equal([])
  })

  // The last one: two of its servers stay dead.
  it('acknowledges nothing that only the new primary has while the other replica missed the failover', async () => {
    const first = await cluster.primary()
    const { candidate } = await cluster.explain()
    const absent = await cluster.replicaCalled((id) => id !== candidate)
    const writers = load(cluster, { count: 8, first: 16 })
    await progress(writers, 100)
    absent.pause()
    await first.kill()
    const second = await cluster.movedFrom(first)
    absent.resume()
    await progress(writers, 20)
    await second.kill()
    expect(await cluster.movedFrom(second)).to.equal(absent)
    await progress(writers, 20)
    await writers.stop()
    expect(await writers.missingOn(absent)).to.deep.equal([])
  })
})

describe('a replica that cannot apply', () => {
  let cluster: ProtectedCluster | undefined
  after(() => end(cluster))

  it('is never promoted, is named, and the scripts of the operator are notified', async () => {
    const scripts = await writeScripts()
    const story = await startProtectedCluster({ options: durable, settings: scripts.settings })
    cluster = story
    const old = await story.primary()
    const [broken, sound] = story.nodes.filter((node) => node !== old)
    if (!broken || !sound) throw new Error('there are two replicas')
    const row = 'INSERT INTO spec.acknowledged VALUES (1000, 1)'
    await caughtUp(old, broken)
    await broken.sql(`SET SESSION sql_log_bin=0; ${row}`)
    await old.sql(row)
    await story.opens('ERR00042')
    const rank = (await story.explain()).ranking.find(({ reason }) => reason.includes(`${broken.port}`))
    expect(rank).to.include({ eligible: false, code: 'ERR00042' })
    const address = `127.0.0.1:${broken.port}`
    await scripts.received(`open story ${address} ERR00042`)
    await scripts.received(`state story 127.0.0.1 ${broken.port} SlaveErr Slave`)
    await scripts.received(`error ${address} Slave SlaveErr`)
    const writers = load(story, { count: 4 })
    await progress(writers, 50)
    await writers.stop()
    await caughtUp(old, sound)
    await old.kill()
    expect(await story.movedFrom(old)).to.equal(sound)
    expect(await writers.missingOn(sound)).to.deep.equal([])
    expect((await comesBack(story, old)).Outcome).to.equal('rejoined')
    await broken.sql('SET SESSION sql_log_bin=0; DELETE FROM spec.acknowledged WHERE writer = 1000; START SLAVE')
    await expectWhole(story, sound)
    await scripts.received(`close story ${address} ERR00042`)
  })
})

/** One script for each occasion, which notes its name and its arguments. */
async function writeScripts() {
  const folder = newDirectory('scripts')
  const notes = path.join(folder, 'notes')
  const write = async (name: string): Promise<string> => {
    const file = path.join(folder, name)
    await writeFile(file, `#!/bin/sh\necho "${name} $*" >>'${notes}'\n`, { mode: 0o755 })
    return file
  }
  const settings = {
    'monitoring-open-state-script': await write('open'),
    'monitoring-close-state-script': await write('close'),
    'db-servers-state-change-script': await write('state'),
    'replication-error-script': await write('error'),
  }
  let lines: readonly string[] = []
  const received = (line: string): Promise<unknown> =>
    eventually(
      async () => {
        lines = (await readFile(notes, 'utf8').catch(() => '')).split('\n')
        return lines.includes(line)
      },
      () => `a script gets "${line}"; they got\n${lines.join('\n')}`,
    )
  return { settings, received }
}
