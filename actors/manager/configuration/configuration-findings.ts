// Findings about the configuration in force, for the cluster that each concerns.
import { coveredFamilies } from '../../../lib/access/coverage.js'
import type { Finding } from '../../../lib/model/finding.js'
import { type Configuration, effectiveValue, scopeOf } from '../../../lib/settings/configuration/configuration.js'
import { type Fault, renderFault, renderOrigin } from '../../../lib/settings/configuration/fault.js'
import type { Settings } from '../../../lib/settings/index.js'

/** Of a cluster, including the server's settings. `warnings` are those of the load. */
export function configurationFindings(
  configuration: Configuration,
  warnings: readonly Fault[],
  cluster: string,
): readonly Finding[] {
  const lost = warnings.filter(
    (warning) => warning.lost && (warning.section === cluster || warning.section === 'default'),
  )
  const passing = ['', cluster].flatMap((name) => [...(scopeOf(configuration, name)?.runtime.keys() ?? [])])
  const stale = replacedPlaces(configuration, cluster)
  return [
    ...(lost.length > 0 ? [{ code: 'WARN0302', detail: lost.map(renderFault).join('; ') } as const] : []),
    ...(passing.length > 0
      ? [{ code: 'WARN0102', detail: `${[...new Set(passing)].sort().join(', ')}.` } as const]
      : []),
    ...(stale.length > 0 ? [{ code: 'WARN0323', detail: `${stale.join(', ')}.` } as const] : []),
  ]
}

/** Of the settings of the server alone. */
export function serverFindings(server: Pick<Settings, 'api-trusted-proxies'>): readonly Finding[] {
  const families = coveredFamilies(server['api-trusted-proxies'])
  return families.length === 0
    ? []
    : [
        {
          code: 'WARN0253',
          detail: `All addresses of ${families.join(' and ')}: ${server['api-trusted-proxies'].join(', ')}.`,
        },
      ]
}

/** Where passwords that a rotation replaced are still configured. */
function replacedPlaces({ server, clusters }: Configuration, cluster: string): readonly string[] {
  const own = clusters.get(cluster)
  return [...(own?.replaced.keys() ?? [])].flatMap((name) => {
    const given = own && effectiveValue(server, own, name).replaced
    if (!given) return []
    const shared = own.given.has(name) ? '' : ' (for every cluster that does not set it)'
    return [`${name} of ${renderOrigin(given.origin)}${shared}`]
  })
}
