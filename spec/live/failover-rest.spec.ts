// The story of a failover that cannot succeed: its attempts rest, one finding counts them, and what heals it ends them.
import { expect } from 'chai'
import { accounts, type Node } from '../support/databases/node.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { logLines } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

interface Alerts {
  readonly errors: readonly { readonly number: string; readonly desc: string }[]
}

const MONITOR = `'${accounts.monitor.user}'@'127.0.0.1'`
const NEEDED = 'SUPER, REPLICATION SLAVE ADMIN ON *.*'

/** Sessions keep the privileges that they logged in with: the manager gets others. */
const endSessions = (node: Node) => node.sql(`KILL USER ${accounts.monitor.user}`)

describe('A failover whose steps are refused', () => {
  let cluster: ProtectedCluster
  before(async () => {
    cluster = await startProtectedCluster({ settings: { 'failover-limit': 0 } })
  })
  after(() => cluster?.destroy())

  const finding = async () => {
    const { errors } = await cluster.manager.get<Alerts>('/api/clusters/story/topology/alerts')
    return errors.find(({ number }) => number === 'ERR00189')?.desc ?? ''
  }
  const linesOf = (kind: string) => logLines(cluster, `"kind":"${kind}"`)

  it('is tried again after rests, with one finding and one line for each attempt, until the cause is gone', async () => {
    const primary = await cluster.primary()
    const replicas = cluster.nodes.filter((node) => node !== primary)
    await primary.sql(`REVOKE ${NEEDED} FROM ${MONITOR}`)
    await cluster.convergesOn(primary)
    for (const node of replicas) await endSessions(node)
    await cluster.ready()
    await primary.kill()
    await eventually(async () => (await finding()).includes(' 1 failed'), 'the first attempt is counted')
    const ends = () => linesOf('failover').filter((line) => line.includes('rolled-back'))
    await eventually(() => ends().length === 1, 'its end is in the log, after its steps')
    await eventually(() => logLines(cluster, 'OPENED ERR00189').length === 1, 'so is the finding')
    const [steps, changes] = [linesOf('step').length, linesOf('finding-opened').length]
    await eventually(async () => (await finding()).includes(' 4 failed'), 'the fourth attempt is counted')
    expect(await finding())
      .to.include('error 1227')
      .and.to.include('The next one: ')
    await eventually(() => ends().length === 4, 'the four ends are in the log')
    expect(logLines(cluster, 'Failover begins')).to.have.length(1)
    expect(linesOf('step')).to.have.length(steps)
    expect(linesOf('finding-opened').slice(changes).join('\n')).not.to.include('ERR00')
    for (const node of replicas) await node.sql(`SET SESSION sql_log_bin = 0; GRANT ${NEEDED} TO ${MONITOR}`)
    await cluster.movedFrom(primary)
    await cluster.closes('ERR00189')
  })
})
