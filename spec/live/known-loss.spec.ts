// The story of acknowledged transactions whose only other holder is gone as well: every sentence about loss counts them.
import { expect } from 'chai'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { logLines, lossless } from '../support/stories/story.js'
import { acknowledging, replicasOf } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const LOST = 3

describe('Transactions that were seen to be received', () => {
  let cluster: ProtectedCluster

  before(async () => {
    cluster = await startProtectedCluster({
      semiSync: true,
      options: lossless,
      settings: { 'failover-mode': 'manual' },
    })
    await acknowledging(cluster)
  })
  after(() => cluster?.destroy())

  it('are counted as lost when their holder died with the primary, in forecast, report and record', async () => {
    const primary = await cluster.primary()
    const [holder, left] = await replicasOf(cluster)
    await left.sql('STOP SLAVE IO_THREAD')
    for (let entry = 1; entry <= LOST; entry += 1)
      await primary.sql(`INSERT INTO spec.acknowledged VALUES (8, ${entry})`)
    await eventually(
      async () => (await cluster.explain()).ranking.some(({ missing }) => missing === LOST),
      'the manager has seen who received them',
    )
    await Promise.all([holder.kill(), primary.kill()])
    await left.sql('START SLAVE IO_THREAD')
    let { loss } = await cluster.explain()
    await eventually(
      async () => {
        loss = (await cluster.explain()).loss
        return loss.kind === 'at-least'
      },
      () => `the forecast counts them\n${cluster.manager.log().slice(-3_000)}`,
    )
    expect(loss).to.include({ transactions: LOST })
    await eventually(async () => (await cluster.explain()).primaryDead, 'the primary is dead')
    let answer = { status: 0, body: '' }
    await eventually(
      async () => {
        answer = await cluster.manager.post('/api/clusters/story/actions/failover')
        return answer.status === 200
      },
      () => `the failover is made: ${answer.status} ${answer.body}`,
    )
    await eventually(
      () => logLines(cluster, `At least ${LOST} transactions are lost`).length > 0,
      () => `the record counts them\n${cluster.manager.log().slice(-3_000)}`,
    )
    expect(logLines(cluster, 'No acknowledged transaction is lost')).to.deep.equal([])
    const crashes = await cluster.manager.get<readonly { LostGtid?: string }[]>('/api/clusters/story/topology/crashes')
    expect(crashes.at(-1)?.LostGtid).to.match(/-/)
  })
})
