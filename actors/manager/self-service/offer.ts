// What a manager offers in self-service, by its settings, and what of it is taken, by its configuration.

import { reveal } from '../../../lib/base/secret.js'
import {
  type Offer,
  RESERVED_DATABASES,
  type SelfServiceApplicant,
  type Units,
  uriOfSettings,
} from '../../../lib/hosted/index.js'
import { readQuantities, type Usage } from '../../../lib/price/index.js'
import type { Configuration } from '../../../lib/settings/configuration/configuration.js'
import { accessLists, type Settings } from '../../../lib/settings/index.js'
import type { Caller } from '../../protocol/manager/caller.js'
import { openIdentities, termsOf } from '../billing/terms.js'
import { findPair } from '../configuration/find-pair.js'

const HOSTS = 'its hosts belong to the operator, who adds clusters there'
const MISSING = 'this manager does not act on its services'

/** Why an orchestrator is not offered: only one that finds places for services has clusters without an operator. */
const barriers: Readonly<Record<Settings['prov-orchestrator'], string | undefined>> = {
  local: undefined,
  onpremise: HOSTS,
  slapos: HOSTS,
  opensvc: MISSING,
  kube: MISSING,
}

const planOf = (settings: Settings) => ({
  dbu: settings['prov-db-dbu'],
  apu: settings['prov-service-plan-apu'],
  bku: settings['prov-service-plan-bku'],
})

/** By the settings that hold for every cluster that does not set them itself. */
export function offerOf(server: Settings): Offer {
  const orchestrator = server['prov-orchestrator']
  const barrier = barriers[orchestrator]
  return {
    ...{ isOn: server['hosted-self-service-clusters'], isHosted: server.hosted, orchestrator },
    ...(barrier === undefined ? {} : { barrier }),
    ...{ maxClusters: server['hosted-self-service-max-clusters-per-user'], plan: planOf(server) },
    pool: {
      ...{ cores: server['resource-manager-infra-cpu-cores'], memoryMb: server['resource-manager-infra-memory-mb'] },
      quotaPct: server['resource-manager-infra-quota-pct'],
    },
    canBorrow: server['hosted-self-service-clusters-can-borrow'],
  }
}

/**
 * The plan that a cluster reserves: that of each of its servers, in self-service of two at least, and that of the cluster. One without
 * servers that an operator added is none yet.
 */
export function soldOf(settings: Settings): Units {
  const { dbu, apu } = planOf(settings)
  const isSelfService = settings['hosted-self-service-sponsor'] !== ''
  const databases = Math.max(settings['db-servers-hosts'].length, isSelfService ? RESERVED_DATABASES : 0)
  return databases === 0 ? { dbu: 0, apu: 0 } : { dbu: databases * dbu, apu }
}

/** What a cluster uses beyond the plan that it reserves. */
export function overOf(usage: Usage, settings: Settings): Units {
  const sold = soldOf(settings)
  const { dbu, apu } = readQuantities(usage, termsOf(settings))
  return { dbu: Math.max(0, dbu.billable - sold.dbu), apu: Math.max(0, apu.billable - sold.apu) }
}

export const sumUnits = (all: readonly Units[]): Units =>
  all.reduce((sum, { dbu, apu }) => ({ dbu: sum.dbu + dbu, apu: sum.apu + apu }), { dbu: 0, apu: 0 })

/** The plans of all clusters. */
export const soldIn = ({ clusters }: Configuration): Units =>
  sumUnits([...clusters.values()].map(({ settings }) => soldOf(settings)))

/** Clusters that the identity created, and those whose access lists name it as a sponsor. */
export function sponsoredIn({ clusters }: Configuration, identity: string): readonly string[] {
  const identities = openIdentities()
  return [...clusters].flatMap(([name, { settings }]) => {
    const isSponsor =
      settings['hosted-self-service-sponsor'] === identity || identities(name, settings).sponsors.includes(identity)
    return isSponsor ? [name] : []
  })
}

export const applicantOf = (configuration: Configuration, { user, apiToken }: Caller): SelfServiceApplicant => ({
  identity: user,
  isSignOn: isSignOn(configuration, user),
  hasApiToken: apiToken !== undefined,
})

/** A list has it without a password, and none has it with one. */
function isSignOn({ server, clusters }: Configuration, user: string): boolean {
  const scopes = new Map([server, ...clusters.values()].map(({ settings }) => [listText(settings), settings]))
  const passwords = [...scopes.values()].flatMap((settings) => findPair(settings, user) ?? [])
  return passwords.length > 0 && passwords.every((password) => password === '')
}

const listText = (settings: Settings): string => reveal(accessLists(settings).credentials)

/** The name of this manager at its service, in parts; empty where it has none. */
export function placeOf(server: Settings) {
  const { domain = '', subdomain = '', zone = '' } = uriOfSettings(server) ?? {}
  return { domain, subDomain: subdomain, zone }
}
