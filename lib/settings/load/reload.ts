// What a reload keeps of the running configuration: changes that last until restart, and clusters removed meanwhile.
import { fail, ok, type Result } from '../../base/result.js'
import { type Configuration, givenValue, type Scope, withCluster } from '../configuration/configuration.js'
import type { Layer } from '../configuration/layer.js'
import { sameValue } from '../table/settings.js'

/**
 * A run-time change of a given value is kept as long as that value is still given as before: who edits the file and
 * reloads means the file.
 */
export function carryOver(running: Configuration, loaded: Configuration): Configuration {
  const server = { ...loaded.server, runtime: kept({ running, loaded }, running.server, loaded.server) }
  const removed = new Set([...running.removed].filter((name) => loaded.clusters.has(name)))
  const clusters = [...loaded.clusters]
    .filter(([name]) => !removed.has(name))
    .map(([name, scope]) => [name, carryScope({ running, loaded }, running.clusters.get(name), scope)] as const)
  return { ...loaded, server, clusters: new Map(clusters), removed }
}

interface Both {
  readonly running: Configuration
  readonly loaded: Configuration
}

const carryScope = (both: Both, before: Scope | undefined, scope: Scope): Scope =>
  before ? { ...scope, runtime: kept(both, before, scope) } : scope

const kept = ({ running, loaded }: Both, before: Scope, after: Scope): Layer =>
  new Map(
    [...before.runtime].filter(([name]) => {
      const was = givenValue(running.server, before, name)
      const is = givenValue(loaded.server, after, name)
      return was && is ? sameValue(name, was.value, is.value) : was === is
    }),
  )

/**
 * The running configuration with one cluster as it was loaded: what the files say of the server, of `[Default]` and of other
 * clusters is not put in force. `no-grant` where they no longer have the cluster: to end it concerns the whole service.
 */
export function adoptCluster(running: Configuration, loaded: Configuration, name: string): Result<Configuration> {
  const scope = loaded.clusters.get(name)
  return scope
    ? ok(withCluster(running, name, scope))
    : fail('no-grant', `the files have no cluster ${name} any more: a reload of all clusters ends it`)
}
