// Stories of old primaries that diverged and come back without a hand: by one setting each.
import { readdir } from 'node:fs/promises'
import { expect } from 'chai'
import { caughtUp, type Node } from '../support/databases/database.js'
import { type ProtectedCluster, sourceOf, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { diverge, executeAlone } from '../support/stories/divergence.js'
import { durable, end, expectWhole, load, logLines, onlyOn, progress } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const alone = [
  'INSERT INTO spec.acknowledged VALUES (1000, 1), (1000, 2)',
  'DELETE FROM spec.acknowledged WHERE writer = 0 AND entry < 3',
  'UPDATE spec.acknowledged SET entry = entry + 5000 WHERE writer = 1 AND entry < 3',
]

/** It has what the others have, nothing else, and what it had alone is saved. */
async function expectBack(cluster: ProtectedCluster, old: Node, next: Node): Promise<void> {
  const writers = load(cluster, { count: 2, first: 300 })
  await progress(writers, 20)
  await eventually(
    async () => (await cluster.stateOf(old)) === 'Slave',
    () => `${old.name} is a replica\n${cluster.manager.log().slice(-6_000)}`,
  )
  await progress(writers, 20)
  await writers.stop()
  await expectWhole(cluster, next)
  expect(await onlyOn(old, next)).to.deep.equal([])
  await eventually(async () => !(await cluster.alerts()).includes('WARN0186'), 'the finding is closed')
  const crashes = await cluster.manager.get<
    readonly { readonly URL: string; readonly TailFile?: string; Outcome?: string }[]
  >('/api/clusters/story/topology/crashes')
  const saved = await readdir(crashes.find(({ URL }) => URL.endsWith(`:${old.port}`))?.TailFile ?? '')
  expect(saved).to.include.members(['crash.json', 'tail.sql'])
}

describe('an old primary that diverged', () => {
  let cluster: ProtectedCluster
  afterEach(() => end(cluster))

  const begin = async (settings: Readonly<Record<string, boolean>>, statements = alone) => {
    cluster = await startProtectedCluster({ options: durable, settings })
    const writers = load(cluster, { count: 4 })
    await progress(writers, 60)
    await writers.stop()
    const servers = await diverge(cluster, statements)
    servers.old.start()
    await servers.old.waitUp()
    return servers
  }

  it('undoes what it wrote alone, proven against the new primary, by autorejoin-flashback', async () => {
    const { old, next } = await begin({ 'autorejoin-flashback': true, 'autorejoin-flashback-on-unsync': true })
    await expectBack(cluster, old, next)
    expect(logLines(cluster, 'undone, and proven')).to.not.deep.equal([])
  })

  it('is filled with a dump by autorejoin-mysqldump', async () => {
    const { old, next } = await begin({ 'autorejoin-mysqldump': true })
    await expectBack(cluster, old, next)
    expect(logLines(cluster, 'by dump')).to.not.deep.equal([])
  })

  it('is filled with a dump when its flashback is not possible', async () => {
    const { old, next } = await begin(
      { 'autorejoin-flashback': true, 'autorejoin-flashback-on-unsync': true, 'autorejoin-mysqldump': true },
      [...alone, 'CREATE TABLE spec.alone (a INT PRIMARY KEY)'],
    )
    await expectBack(cluster, old, next)
    expect(logLines(cluster, 'by dump')).to.not.deep.equal([])
    expect(await old.sql("SHOW TABLES FROM spec LIKE 'alone'")).to.deep.equal([])
  })

  it('comes back beside a replica that died with it and wrote alone, too', async () => {
    cluster = await startProtectedCluster({ options: durable, settings: { 'autorejoin-mysqldump': true } })
    const writers = load(cluster, { count: 4 })
    await progress(writers, 60)
    await writers.stop()
    const old = await cluster.primary()
    const [other, next] = cluster.nodes.filter((node) => node !== old) as [Node, Node]
    for (const node of [other, next]) await caughtUp(old, node)
    await Promise.all([old.kill(), other.kill()])
    expect(await cluster.movedFrom(old)).to.equal(next)
    await executeAlone(old, alone)
    await executeAlone(other, ['INSERT INTO spec.acknowledged VALUES (2000, 1)'])
    for (const node of [old, other]) node.start()
    await Promise.all([old.waitUp(), other.waitUp()])
    await expectBack(cluster, old, next)
    await eventually(
      async () => (await sourceOf(other)) === `${next.port} Yes Yes`,
      () => `${other.name} is a replica of ${next.name}\n${cluster.manager.log().slice(-6_000)}`,
    )
    await caughtUp(next, other)
    expect(await onlyOn(other, next)).to.deep.equal([])
    expect(logLines(cluster, 'by dump')).to.have.length.at.least(2)
  })
})
