// The members of a cluster by its settings: addresses, names, ratings, flags.
import type { Memory } from '../../../lib/model/memory.js'
import { addressText, type Rating, type ServerAddress, type ServerSpec } from '../../../lib/model/server/server.js'
import { serverId } from '../../../lib/model/server/server-id.js'
import type { ServerSnapshot } from '../../../lib/model/snapshot.js'
import { splitAddress } from '../../../lib/settings/kit/address.js'
import type { Settings } from '../../../lib/settings/table/index.js'

/** A host list entry as an address; text that is none was refused when the settings were read. */
const parseAddress = (text: string): ServerAddress => splitAddress(text) ?? { host: text, port: 0 }

export function listMembers(
  cluster: string,
  settings: Settings,
  { maintenance }: Pick<Memory, 'maintenance'>,
): readonly ServerSpec[] {
  const addresses = unique(settings['db-servers-hosts'].map(parseAddress))
  const hosts = addresses.map(({ host }) => host)
  const named = (list: readonly string[], spec: ServerAddress, name: string) =>
    list.some(
      (entry) =>
        entry === addressText(spec) || entry === name || addressText(parseAddress(entry)) === addressText(spec),
    )
  return addresses.map((address) => {
    const id = serverId(cluster, addressText(address))
    const name = hosts.filter((host) => host === address.host).length === 1 ? address.host : addressText(address)
    const listed = (
      key:
        | 'db-servers-prefered-master'
        | 'db-servers-ignored-hosts'
        | 'db-servers-ignored-readonly'
        | 'replication-delayed-hosts',
    ) => named(settings[key], address, name)
    const rating: Rating = listed('db-servers-ignored-hosts')
      ? 'ignored'
      : listed('db-servers-prefered-master')
        ? 'preferred'
        : 'unrated'
    return {
      ...address,
      id,
      name,
      rating,
      maintenance: maintenance.includes(id),
      readOnlyIgnored: listed('db-servers-ignored-readonly'),
      delaySeconds: listed('replication-delayed-hosts') ? settings['replication-delayed-time'] : 0,
    }
  })
}

/** A member that was not probed yet. */
export const unseen = (spec: ServerSpec, memory: Memory): ServerSnapshot => ({
  ...spec,
  role: 'unknown',
  stateName: 'suspect',
  previousStateName: 'suspect',
  observation: 'unseen',
  observedAt: 0,
  probeMs: 0,
  failures: 0,
  refusals: 0,
  startedWithoutPrimary: false,
  stoppedOnRequest: memory.stoppedOnRequest.includes(spec.id),
})

/** The members with new configuration and old knowledge. */
export const mergeMembers = (
  specs: readonly ServerSpec[],
  known: readonly ServerSnapshot[],
  memory: Memory,
): readonly ServerSnapshot[] =>
  specs.map((spec) => {
    const before = known.find(({ id }) => id === spec.id)
    return before
      ? { ...before, ...spec, stoppedOnRequest: memory.stoppedOnRequest.includes(spec.id) }
      : unseen(spec, memory)
  })

const unique = (addresses: readonly ServerAddress[]): readonly ServerAddress[] => [
  ...new Map(addresses.map((address) => [addressText(address), address])).values(),
]
