// What configuration files, environment and flags give, as files of the repository: secrets encrypted.
import { stringify } from 'smol-toml'
import type { Secret } from '../../base/secret.js'
import type { Configuration, Scope } from '../../settings/configuration/configuration.js'
import type { Layer } from '../../settings/configuration/layer.js'
import { storedValue } from '../../settings/load/saved.js'
import type { SettingName } from '../../settings/table/index.js'

/** The section of `hosted.toml` with the names of the clusters. */
export const FLEET_SECTION = 'hosted'
export const DEFAULT_SECTION = 'Default'

export const givenSection = (cluster: string): string => `given-${cluster}`

/** How this host reaches the repository, and where its own files are: nothing that another host could use. */
const ofHost: ReadonlySet<SettingName> = new Set<SettingName>([
  ...(['git-url', 'git-username', 'git-acces-token', 'git-ca-cert', 'monitoring-datadir'] as const),
  ...(['monitoring-restore-config-on-start', 'monitoring-confdir-backup'] as const),
  ...(['monitoring-key-path', 'include', 'monitoring-confdir-extra'] as const),
])

const TITLE = '# Written by the manager from its configuration files; a change here has no effect.\n'

/** The text of `<cluster>/immutable.toml`; undefined where the files give the cluster nothing. */
export function renderGiven(cluster: string, { given }: Scope, key: Secret | undefined): string | undefined {
  if (given.size === 0) return undefined
  return TITLE + stringify({ [givenSection(cluster)]: plainValues(given, key) })
}

/** The text of `hosted.toml`: names in order, then `[Default]` without what belongs to the host. */
export function renderFleet({ clusters, server, key }: Configuration): string {
  const names = [...clusters.keys()].sort()
  const common = plainValues(new Map([...server.given].filter(([name]) => !ofHost.has(name))), key)
  return TITLE + stringify({ [FLEET_SECTION]: { clusters: names }, [DEFAULT_SECTION]: common })
}

/** In the order of their names: equal layers give equal texts. */
const plainValues = (layer: Layer, key: Secret | undefined): Record<string, unknown> =>
  Object.fromEntries(
    [...layer]
      .sort(([left], [right]) => left.localeCompare(right))
      .map(([name, entry]) => [name, storedValue(name, entry, key)]),
  )
