// A replica that is read-only by a statement alone is named: its next start is open. One whose options have it is not.
import { expect } from 'chai'
import type { Node } from '../support/databases/node.js'
import { findVersion } from '../support/databases/versions.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { absent } from '../support/run/absent.js'
import { end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

/** What a story asks of its cluster. */
function watching(clusterOf: () => ProtectedCluster) {
  /** Names of the servers that the finding is open for. */
  const named = async (): Promise<string> => {
    const cluster = clusterOf()
    const { warnings } = await cluster.manager.get<{ warnings: { number: string; desc: string }[] }>(
      `${C}/topology/alerts`,
    )
    return warnings
      .filter(({ number }) => number === 'WARN0271')
      .map(({ desc }) => desc)
      .sort()
      .join('\n')
  }
  const names = async (...nodes: readonly Node[]) => {
    const cluster = clusterOf()
    await eventually(
      async () => {
        const text = await named()
        return cluster.nodes.every((node) => text.includes(`127.0.0.1:${node.port}: `) === nodes.includes(node))
      },
      () => `${nodes.map(({ name }) => name)} are named\n${cluster.manager.log().slice(-2_000)}`,
    )
  }
  const replicas = async (): Promise<readonly [Node, Node]> => {
    const cluster = clusterOf()
    const primary = await cluster.primary()
    const [first, second] = cluster.nodes.filter((node) => node !== primary)
    if (!first || !second) throw new Error('there are two replicas')
    return [first, second]
  }
  return { names, replicas }
}

describe('a replica that was adopted with read_only', () => {
  let cluster: ProtectedCluster
  const { names, replicas } = watching(() => cluster)

  before(async () => {
    cluster = await startProtectedCluster({ semiSync: true })
    await cluster.ready()
  })
  after(() => end(cluster))

  it('by SET GLOBAL is named, and the primary is not', async () => {
    const [first, second] = await replicas()
    await names(first, second)
  })

  it('is not named once its options have it', async () => {
    const [first, second] = await replicas()
    await first.stop()
    first.start('--read-only=ON')
    await first.waitUp()
    // The second reading of its variables begins after the first one, with where they come from, was judged.
    const reads = () =>
      first.value(
        "SELECT variable_value FROM information_schema.GLOBAL_STATUS WHERE variable_name = 'COM_SHOW_VARIABLES'",
      )
    await eventually(async () => Number(await reads()) >= 2, 'its variables were read twice')
    await names(second)
    expect(await first.value('SELECT @@read_only')).to.equal('1')
  })

  it('is named when its start was open and the manager closed it', async () => {
    const [first, second] = await replicas()
    await first.stop()
    first.start()
    await first.waitUp()
    await eventually(async () => (await first.value('SELECT @@read_only')) === '1', 'the manager closes it')
    await names(first, second)
  })
})

const mysql = await findVersion('mysql-9')

if (!mysql.available) absent('a replica of MySQL that was adopted with read_only', mysql.reason)
else
  describe('a replica of MySQL that was adopted with read_only', () => {
    let cluster: ProtectedCluster
    const { names, replicas } = watching(() => cluster)

    before(async () => {
      cluster = await startProtectedCluster({ software: 'mysql-9' })
      await cluster.ready()
    })
    after(() => end(cluster))

    it('by SET GLOBAL is named, by SET PERSIST it is not', async () => {
      const [first, second] = await replicas()
      await names(first, second)
      await first.sql('SET PERSIST read_only = ON')
      await names(second)
    })
  })
