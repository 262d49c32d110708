// How the servers of a cluster stand to each other, asked and waited for.
import type { Node } from '../databases/node.js'
import { type ProtectedCluster, sourceOf } from '../manager/protected-cluster.js'
import { eventually } from '../wait.js'

/** Questions about the cluster that a story has at the moment it asks. */
export function shapeOf(now: () => ProtectedCluster) {
  const states = async () => (await now().servers()).map(({ state }) => state)
  /** A failure shows how things are then. */
  const waits = (ask: () => Promise<boolean>, what: string) =>
    eventually(ask, what).catch(async (error: Error) => {
      const sources = await Promise.all(now().nodes.map((one) => (one.pid === 0 ? 'down' : sourceOf(one))))
      throw new Error(`${error.message}\n${await states()}\n${sources}\n${now().manager.log().slice(-3_000)}`)
    })
  return {
    node: (index: number): Node => now().databases.node(index),
    topology: async () => (await now().manager.get<{ topology: string }>('/api/clusters/story')).topology,
    closed: (one: Node) => one.value('SELECT @@read_only'),
    states,
    waits,
    become: (...wanted: readonly string[]) =>
      waits(async () => (await states()).join() === wanted.join(), `the states become ${wanted}`),
    follows: (one: Node, source: Node) =>
      waits(async () => (await sourceOf(one)) === `${source.port} Yes Yes`, `${one.name} follows ${source.name}`),
  }
}
