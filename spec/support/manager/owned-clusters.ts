// A manager with two clusters of one database each, and an owner of one of them: for stories of owners.
import type { Databases } from '../databases/database.js'
import { accounts, type Node } from '../databases/node.js'
import { ManagerProcess } from './manager-process.js'

/** Clusters `shop` and `lab`; eve owns `lab` and has no grant elsewhere. */
export async function startOwnedClusters(
  { nodes }: Pick<Databases, 'nodes'>,
  settings: Readonly<Record<string, string | number | boolean>> = {},
): Promise<ManagerProcess> {
  const cluster = (index: number) => ({
    'db-servers-hosts': addressOf(nodes[index], index),
    'db-servers-credential': `${accounts.monitor.user}:${accounts.monitor.password}`,
    'replication-credential': `${accounts.replication.user}:${accounts.replication.password}`,
  })
  const manager = await ManagerProcess.create({
    settings: {
      'api-credentials': 'admin:spec-password,eve:eve-password,guest:guest-password',
      'api-credentials-acl-allow':
        'admin:cluster db proxy prov global grant show token,eve:cluster db proxy prov grant show:lab',
      ...settings,
    },
    clusters: { shop: cluster(0), lab: cluster(1) },
  })
  manager.start()
  await manager.alive()
  return manager
}

/** Without a node a port that nothing listens on. */
export const addressOf = (node: Node | undefined, index = 0): string => `127.0.0.1:${node?.port ?? 1 + index}`
