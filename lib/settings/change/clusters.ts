// Adding and removing clusters of the running configuration. Pure: a new configuration comes back.
import { fail, ok, type Result } from '../../base/result.js'
import { type Configuration, emptyScope, withCluster } from '../configuration/configuration.js'
import { clusterNameRule, isClusterName } from '../kit/cluster-name.js'
import { changeSetting } from './change.js'

/** A new cluster with its first values; give its name to `saveChanges` afterwards. `bad-name`, `cluster-exists`, … */
export function addCluster(
  configuration: Configuration,
  name: string,
  values: Readonly<Record<string, unknown>> = {},
): Result<Configuration> {
  if (!isClusterName(name)) return fail('bad-name', `${name}: allowed: ${clusterNameRule}`)
  if (configuration.clusters.has(name)) return fail('cluster-exists', `cluster ${name} exists already`)
  let next = withCluster(configuration, name, { ...emptyScope, added: true })
  for (const [setting, value] of Object.entries(values)) {
    const changed = changeSetting(next, { scope: name, name: setting, value })
    if (!changed.ok) return changed
    next = changed.value.configuration
  }
  return ok({ ...next, removed: new Set([...next.removed].filter((removed) => removed !== name)) })
}

/** The configuration without a cluster. One that a file declares comes back at the next start. */
export function removeCluster(configuration: Configuration, name: string): Result<Configuration> {
  const scope = configuration.clusters.get(name)
  if (!scope) return fail('unknown-cluster', `no cluster ${name}`)
  const clusters = new Map(configuration.clusters)
  clusters.delete(name)
  return ok({
    ...configuration,
    clusters,
    removed: new Set([...configuration.removed, ...(scope.added ? [] : [name])]),
  })
}
