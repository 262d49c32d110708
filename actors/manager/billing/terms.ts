// What a cluster is sold at which price, by the settings, and who operates and pays for it.
import { type AclEntry, parseAcl } from '../../../lib/access/acl.js'
import {
  type PerFamily,
  parsePrice,
  perFamily,
  readQuantities,
  type Tariff,
  type Terms,
  type UnitFamily,
  type Usage,
} from '../../../lib/price/index.js'
import { accessLists, type Settings } from '../../../lib/settings/index.js'

const GB_IN_MB = 1024

const prices = {
  dbu: 'hosted-marketplace-dbu-price',
  stateful_dbu: 'hosted-marketplace-dbu-price',
  apu: 'hosted-marketplace-apu-price',
  bku: 'hosted-marketplace-bku-price',
  bau: 'hosted-marketplace-bau-price',
} as const satisfies PerFamily<string>

/** Ten-thousandths of the currency for a unit of each family and a month. */
export const pricesOf = (server: Settings): PerFamily<number> =>
  perFamily((family) => parsePrice(server[prices[family]]))

const tariffOf = (family: UnitFamily, server: Settings, cluster: Settings): Tariff => ({
  price: family === 'bau' && cluster['hosted-marketplace-bau-client-storage'] ? 0 : parsePrice(server[prices[family]]),
  overPct: server['hosted-marketplace-overcommit-price-pct'],
  underPct: server['hosted-marketplace-undercommit-price-pct'],
})

/** What a cluster is sold, and the sizes of its services. */
export const termsOf = (settings: Settings): Terms => ({
  plan: {
    dbu: settings['prov-db-dbu'],
    apu: settings['prov-service-plan-apu'],
    bku: settings['prov-service-plan-bku'],
  },
  database: {
    ...{ cores: settings['prov-db-cores'], memoryMb: settings['prov-db-memory'] },
    ...{ diskGb: settings['prov-db-disk'], iops: settings['prov-db-iops'] },
  },
  proxy: { cores: settings['prov-proxy-cpu-cores'], memoryMb: settings['prov-proxy-memory'] * GB_IN_MB },
})

/** The readings of a cluster: its units at the prices of the service. */
export function readingsOf(
  usage: Usage,
  { server, cluster }: { readonly server: Settings; readonly cluster: Settings },
) {
  const quantities = readQuantities(usage, termsOf(cluster))
  return perFamily((family) => ({ ...quantities[family], tariff: tariffOf(family, server, cluster) }))
}

/** Partners operate a cluster from outside, sponsors pay for it. */
const partnerRoles: ReadonlySet<string> = new Set(['extdbops', 'extsysops'])
const sponsorRoles: ReadonlySet<string> = new Set(['sponsor'])

/** Reads identities by the access lists, each text once: clusters that share a list share its entries. */
export function openIdentities() {
  const parsed = new Map<string, readonly AclEntry[]>()
  const entriesOf = (text: string): readonly AclEntry[] => {
    const known = parsed.get(text) ?? parseAcl(text)
    parsed.set(text, known)
    return known
  }
  return (cluster: string, settings: Settings) => {
    const entries = entriesOf(accessLists(settings).allow).filter(
      ({ clusters, roles }) => roles.length > 0 && (clusters.has('*') || clusters.has(cluster)),
    )
    const holding = (wanted: ReadonlySet<string>) =>
      [
        ...new Set(entries.flatMap(({ user, roles }) => (roles.some((role) => wanted.has(role)) ? [user] : []))),
      ].toSorted()
    return { partners: holding(partnerRoles), sponsors: holding(sponsorRoles) }
  }
}
