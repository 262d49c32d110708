// What stories of switchovers share: asking for one, groups of writers, and a portrait of all servers to compare with.
import { expect } from 'chai'
import type { Preview } from '../../../lib/model/operation/preview.js'
import type { Node } from '../databases/database.js'
import { Writers, type WritersRequest } from '../databases/writers.js'
import type { ProtectedCluster } from '../manager/protected-cluster.js'
import { eventually } from '../wait.js'

export const SWITCHOVER = '/api/clusters/story/actions/switchover'

/** Numbers of writers that no earlier group of this process had. */
let first = 0

/** A group that writes already; its rows are its own. */
export function startWriters({ nodes }: ProtectedCluster, request: WritersRequest): Writers {
  const writers = new Writers(nodes, { ...request, first })
  first += request.count
  writers.start()
  return writers
}

export async function idOf(cluster: ProtectedCluster, node: Node): Promise<string> {
  const address = cluster.addressOf(node)
  const servers = await cluster.servers()
  const found = servers.find(({ host, port }) => address === `${host}:${port}`)
  if (!found) throw new Error(`the manager does not know ${address}`)
  return found.id
}

/** The first two nodes that are not the primary. */
export async function replicasOf(cluster: ProtectedCluster): Promise<readonly [Node, Node]> {
  const primary = await cluster.primary()
  const [one, other] = cluster.nodes.filter((node) => node !== primary)
  if (!one || !other) throw new Error('the cluster has two replicas')
  return [one, other]
}

/** What asks for a switchover to this node, or to the one that is elected. */
export const wishFor = (cluster: Pick<ProtectedCluster, 'addressOf'>, to: Node | undefined) =>
  to ? { prefmaster: cluster.addressOf(to) } : undefined

/**
 * Resolves when a switchover would begin: by what the manager has read, its candidate receives. A replica that may take over
 * from a dead primary may only be connecting, or not have been probed since it connected.
 */
export async function switchable(cluster: Pick<ProtectedCluster, 'manager' | 'addressOf'>, to?: Node): Promise<void> {
  const { manager } = cluster
  let answer = { status: 0, body: '' }
  await eventually(
    async () => {
      answer = await manager.post(`${SWITCHOVER}?plan=true`, wishFor(cluster, to))
      return answer.status === 200 && (JSON.parse(answer.body) as Preview).possible
    },
    () => `a switchover can begin: ${answer.status} ${answer.body}\n${manager.log().slice(-4_000)}`,
  )
}

/** A switchover that succeeds; resolves with the new primary. */
export async function switchOver(cluster: ProtectedCluster, to?: Node): Promise<Node> {
  await cluster.ready()
  await switchable(cluster, to)
  const answer = await cluster.manager.post(SWITCHOVER, wishFor(cluster, to))
  expect(answer.status, `${answer.body}\n${cluster.manager.log().slice(-4_000)}`).to.equal(200)
  return cluster.primary()
}

/** Changes from one moment to the next. */
const positions = /^gtid_/

/** By node: whom it follows and every variable it has. */
export type Portrait = ReadonlyMap<string, Readonly<Record<string, unknown>>>

/** Every variable of every server and whom it follows: equal portraits mean that nothing was changed. */
export async function portrait({ nodes }: ProtectedCluster): Promise<Portrait> {
  const entries = nodes.map(async (node) => {
    const [status = {}] = await node.sql('SHOW SLAVE STATUS')
    const { Master_Port, Slave_IO_Running, Slave_SQL_Running, Using_Gtid } = status
    const variables = await node.sql('SHOW GLOBAL VARIABLES')
    const settled = variables.filter(({ Variable_name }) => !positions.test(String(Variable_name)))
    const features = {
      source: [Master_Port, Slave_IO_Running, Slave_SQL_Running, Using_Gtid].join(' '),
      ...Object.fromEntries(settled.map(({ Variable_name, Value }) => [String(Variable_name), Value])),
    }
    return [node.name, features] as const
  })
  return new Map(await Promise.all(entries))
}

/** What is another than it was, a line each. */
export const changes = (before: Portrait, after: Portrait): readonly string[] =>
  [...before].flatMap(([name, features]) =>
    Object.entries(features)
      .filter(([key, value]) => after.get(name)?.[key] !== value)
      .map(([key, value]) => `${name} ${key}: ${value} → ${after.get(name)?.[key]}`),
  )

/** Ids of the sessions of clients that run on a node. */
export async function clientsOf(node: Node): Promise<readonly number[]> {
  const rows = await node.sql("SELECT ID AS id FROM information_schema.PROCESSLIST WHERE USER='writer' ORDER BY ID")
  return rows.map(({ id }) => Number(id))
}

/** Resolves when the cluster is protected and every commit waits for one of all its replicas. */
export async function acknowledging(cluster: ProtectedCluster): Promise<void> {
  await cluster.ready()
  const primary = await cluster.primary()
  await eventually(
    async () => {
      const [{ Value } = {}] = await primary.sql("SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_master_clients'")
      return Number(Value) === cluster.nodes.length - 1
    },
    `all replicas of ${primary.name} acknowledge\n${cluster.manager.log().slice(-6_000)}`,
  )
}
