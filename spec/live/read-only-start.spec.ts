// A replica that is read-only by a statement alone is named: its next start is open. One whose options have it is not.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import type { Memory } from '../../lib/model/memory.js'
import { replicate } from '../support/databases/database.js'
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
  const isReadOf = (node: Node) =>
    eventually(async () => {
      const cluster = clusterOf()
      const { id } = (await cluster.viewOf(node)) ?? {}
      const { body } = unwrap(await cluster.manager.session.call('GET', `${C}/servers/${id}/variables`))
      return body.includes('READ_ONLY')
    }, `the variables of ${node.name} were read`)
  /** What the manager keeps of the process of the node. */
  const isKept = (node: Node, open: boolean) =>
    eventually(
      async () => {
        const cluster = clusterOf()
        const { id = '' } = (await cluster.viewOf(node)) ?? {}
        const text = readFileSync(path.join(cluster.manager.dataDirectory, 'story', 'state.json'), 'utf8')
        const { value } = JSON.parse(text) as { value?: { memory: Memory } }
        return value?.memory.readOnlyStarts?.[id]?.open === open
      },
      `${node.name} is taken to start ${open ? 'open' : 'closed'}`,
    )
  const moveTo = async (node: Node) => {
    const cluster = clusterOf()
    const { status, body } = await cluster.manager.post(
      `${C}/servers/${(await cluster.viewOf(node))?.id}/actions/switchover`,
    )
    expect(status, body).to.equal(200)
    await eventually(async () => (await cluster.primaryNow()) === node, `${node.name} is the primary`)
  }
  return { names, replicas, isReadOf, isKept, moveTo }
}

describe('a replica that was adopted with read_only', () => {
  let cluster: ProtectedCluster
  const { names, replicas, isReadOf, isKept, moveTo } = watching(() => cluster)

  before(async () => {
    cluster = await startProtectedCluster()
  })
  after(() => end(cluster))

  it('by SET GLOBAL is named, and the primary is not', async () => {
    await names(...(await replicas()))
    await isKept(await cluster.primary(), true)
  })

  it('is named where it started open and the manager closed it, not where its options have it: whatever set it since', async () => {
    const [first, second] = await replicas()
    const old = await cluster.primary()
    await Promise.all([first.stop(), second.stop()])
    first.start('--read-only=ON')
    second.start()
    await Promise.all([first.waitUp(), second.waitUp()])
    await eventually(async () => (await second.value('SELECT @@read_only')) === '1', 'the manager closes it')
    await isKept(first, false)
    await cluster.ready()
    await moveTo(second)
    await cluster.manager.end('SIGTERM')
    await first.sql('SET GLOBAL read_only = OFF; SET GLOBAL read_only = ON')
    cluster.manager.start()
    await cluster.ready()
    // One that starts reads each server in detail soon: its variables and what set them.
    await Promise.all([first, second].map(isReadOf))
    await names(old)
    await moveTo(first)
    await names(old, second)
    await moveTo(old)
    await names(second)
  })
})

const mysql = await findVersion('mysql-9')

if (!mysql.available) absent('a replica of MySQL that was adopted closed', mysql.reason)
else
  describe('a replica of MySQL that was adopted closed', () => {
    let cluster: ProtectedCluster
    const { names, isReadOf } = watching(() => cluster)

    before(async () => {
      const arrange = async ([primary, first, second]: readonly Node[]) => {
        if (!primary || !first || !second) throw new Error('there are three')
        await replicate(primary, [first, second], { readOnly: false })
        await first.sql('SET PERSIST super_read_only = ON')
        await second.sql('SET GLOBAL super_read_only = ON')
      }
      cluster = await startProtectedCluster({ software: 'mysql-9', arrange })
    })
    after(() => end(cluster))

    it('by super_read_only is named where SET GLOBAL set it, not where SET PERSIST did', async () => {
      const [, first, second] = cluster.nodes
      if (!first || !second) throw new Error('there are three')
      await Promise.all([first, second].map(isReadOf))
      await names(second)
      const source = "SELECT VARIABLE_SOURCE FROM performance_schema.variables_info WHERE VARIABLE_NAME = 'read_only'"
      expect([await second.value('SELECT @@read_only'), await second.value(source)]).to.deep.equal(['1', 'COMPILED'])
    })
  })
