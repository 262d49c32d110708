// Work that a running manager begins automatically, at the moments that its settings name.
import { expect } from 'chai'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end, logLines } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

describe('rolling work by schedule', () => {
  let cluster: ProtectedCluster
  before(async () => {
    cluster = await startProtectedCluster({
      settings: { 'scheduler-db-servers-optimize': true, 'scheduler-db-servers-optimize-cron': '* * * * * *' },
    })
  })
  after(() => end(cluster))

  const run = () => cluster.manager.get<{ readonly kind: string; readonly owner: string } | null>(`${C}/rolling`)
  const set = async (name: string, value: string): Promise<void> => {
    const reply = await cluster.manager.post(`${C}/settings/actions/set/${name}/${encodeURIComponent(value)}`)
    expect(reply.status, reply.body).to.equal(200)
  }

  it('waits for the scheduler to be switched on, then begins, and is reported as work of the scheduler', async () => {
    expect(await run()).to.equal(null)
    await set('monitoring-scheduler', 'true')
    await eventually(
      () => logLines(cluster, 'Rolling optimize succeeded').length > 0,
      () => `a run by schedule succeeds\n${cluster.manager.log().slice(-3_000)}`,
    )
    await set('monitoring-scheduler', 'false')
    expect(await run()).to.include({ kind: 'optimize', owner: 'scheduler' })
    expect(logLines(cluster, 'By schedule (* * * * * *) a rolling optimize: next at ')).to.not.deep.equal([])
    expect(logLines(cluster, 'Rolling optimize started, requested by scheduler')).to.not.deep.equal([])
  })
})
