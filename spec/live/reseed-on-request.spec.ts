// Stories of a diverged server that a person brings back: the plan, its id, refusals, and a dump on request.
import { expect } from 'chai'
import type { Node } from '../support/databases/database.js'
import { PassingUser } from '../support/manager/passing-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { jobEnds } from '../support/stories/backups.js'
import { diverge } from '../support/stories/divergence.js'
import { HeldQueue } from '../support/stories/held-queue.js'
import { durable, end, expectWhole, load, logLines, onlyOn, progress } from '../support/stories/story.js'
import { idOf } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

interface Plan {
  readonly id: string
  readonly cause: string
  readonly chosen?: string
  readonly extraCount: number
  readonly saved?: string
}

const alone = ['INSERT INTO spec.acknowledged VALUES (1000, 1), (1000, 2)']

describe('a diverged server that a person brings back', () => {
  let cluster: ProtectedCluster
  let old: Node
  let next: Node
  let server: string
  before(async () => {
    cluster = await startProtectedCluster({ options: durable })
    const writers = load(cluster, { count: 4 })
    await progress(writers, 60)
    await writers.stop()
    ;({ old, next } = await diverge(cluster, alone))
    old.start()
    await old.waitUp()
    await cluster.opens('WARN0186')
    server = `/api/clusters/story/servers/${await idOf(cluster, old)}`
  })
  after(() => end(cluster))

  const planOf = (method = ''): Promise<Plan> => cluster.manager.get(`${server}/way-back${method}`)

  it('stays as it is without a setting, and its plan says what would be lost and where it is saved', async () => {
    await eventually(async () => (await planOf()).saved !== undefined, 'its transactions are saved')
    const plan = await planOf()
    expect(plan).to.include({ cause: 'diverged', extraCount: 1 })
    expect(plan.chosen).to.equal(undefined)
    expect(logLines(cluster, 'is brought back by')).to.deep.equal([])
  })

  it('needs the id of the plan, of the present one', async () => {
    const refused = await cluster.manager.post(`${server}/actions/reseed/logicalmaster`)
    expect(refused.status, refused.body).to.equal(409)
    expect(refused.body).to.include('confirm=')
    const other = await cluster.manager.post(`${server}/actions/reseed/logicalmaster?confirm=return/old`)
    expect(other.body).to.include('by now')
    expect(await onlyOn(old, next)).to.have.length(2)
  })

  it('is refused by a method that is not possible, with the reason', async () => {
    const { status, body } = await cluster.manager.post(`${server}/actions/reseed/physicalbackup`)
    expect(status).to.equal(409)
    expect(body).to.include('there is no valid physical backup')
  })

  it('does not begin when the user that asked for it is dropped while it waits, and a finding says so', async () => {
    const ann = await PassingUser.add(cluster.manager, 'ann')
    const queue = await HeldQueue.begin(
      cluster,
      cluster.nodes.filter((node) => node !== old),
      'spec.acknowledged',
    )
    const { id } = await planOf('?method=flashback')
    await ann.asks(`servers/${await idOf(cluster, old)}/actions/reseed/flashback?confirm=${encodeURIComponent(id)}`)
    const job = await queue.isBehind('reseed')
    await ann.drop()
    await queue.end()
    const ended = await jobEnds(cluster, job)
    expect(ended).to.include({ phase: 'cancelled', user: 'ann' })
    expect(ended.result).to.contain('the user ann that asked for it does not exist any more')
    expect(await onlyOn(old, next)).to.have.length(2)
    await ann.isNamed()
  })

  it('undoes what it wrote when a person confirms the plan', async () => {
    const { id, chosen } = await planOf('?method=flashback')
    expect(chosen).to.equal('flashback')
    const done = await cluster.manager.post(
      `${server}/actions/reseed/flashback?wait=true&confirm=${encodeURIComponent(id)}`,
    )
    expect(done.status, `${done.body}\n${cluster.manager.log().slice(-3_000)}`).to.equal(200)
    await expectWhole(cluster, next)
    expect(await onlyOn(old, next)).to.deep.equal([])
  })

  it('takes a dump of the primary on request although nothing is wrong with it', async () => {
    const done = await cluster.manager.post(`${server}/actions/reseed/logicalmaster?wait=true`)
    expect(done.status, done.body).to.equal(200)
    await expectWhole(cluster, next)
  })
})
