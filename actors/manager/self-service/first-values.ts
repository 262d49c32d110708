// The settings that a cluster begins with when an identity creates it: its plan, accounts that no other cluster has, and its sponsor.
import { addUser, updateUser } from '../../../lib/access/user-lists.js'
import { ok, type Result } from '../../../lib/base/result.js'
import { reveal } from '../../../lib/base/secret.js'
import type { Settings } from '../../../lib/settings/index.js'
import { newPassword } from '../rotation/rotation-logins.js'

/**
 * What a sponsor may do, on its cluster alone: populate, provision, use and drop it. Not its sizes, plan and orchestrator
 * (prov-settings), not its users (cluster-grant), nothing of the service.
 */
export const sponsorGrants = [
  ...['cluster-create-monitor', 'cluster-drop-monitor', 'cluster-settings', 'cluster-delete', 'cluster-show'],
  ...['cluster-replication', 'cluster-switchover', 'cluster-failover', 'cluster-rolling'],
  ...['prov-cluster-provision', 'prov-cluster-unprovision', 'prov-db', 'prov-proxy'],
  ...['db', 'proxy', 'show', 'grant-show', 'token-create'],
] as const

/** `bad-request` for a name that the access lists cannot hold. */
export function firstValues(
  server: Settings,
  { cluster, identity }: { readonly cluster: string; readonly identity: string },
): Result<Readonly<Record<string, unknown>>> {
  const inherited = {
    credentials: server['api-credentials-external'],
    allow: server['api-credentials-acl-allow-external'],
  }
  const form = { username: identity, password: '', roles: 'sponsor', grants: sponsorGrants.join(' ') }
  const added = addUser(inherited, form, cluster)
  const isListed = !added.ok && added.failure.code === 'user-exists'
  const lists = isListed ? updateUser(inherited, form, cluster) : added
  if (!lists.ok) return lists
  return ok({
    'hosted-self-service-sponsor': identity,
    'api-credentials-external': reveal(lists.value.credentials),
    'api-credentials-acl-allow-external': lists.value.allow,
    'prov-orchestrator': server['prov-orchestrator'],
    'prov-db-dbu': server['prov-db-dbu'],
    'prov-service-plan-apu': server['prov-service-plan-apu'],
    'prov-service-plan-bku': server['prov-service-plan-bku'],
    'prov-db-apply-dynamic-config': true,
    // A server or proxy that the sponsor adds gets to know nothing that opens another cluster.
    'db-servers-credential': `monitor:${newPassword()}`,
    'replication-credential': `replication:${newPassword()}`,
    'haproxy-password': newPassword(),
    'proxysql-password': newPassword(),
    'maxscale-pass': newPassword(),
  })
}
