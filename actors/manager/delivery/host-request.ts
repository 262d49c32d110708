// Whether a question for a need comes from the host of the service itself: only the host acts on the answer.
import { networkInterfaces } from 'node:os'
import { isWithin } from '../../../lib/access/download.js'
import { createResolver, type Lookup } from '../../../lib/connect/resolve.js'
import type { Caller } from '../../protocol/manager/face.js'

export type Asking = Pick<Caller, 'user' | 'apiToken' | 'address'>

export interface HostQuestion {
  readonly cluster: string
  /** Host of the service: a name or an address. */
  readonly host: string
  /** The hosts of the whole cluster: their names are resolved together. */
  readonly hosts: readonly string[]
  readonly by: Asking
  /** `api-config-download-addresses`: networks of hosts, which may lie behind an address translation; none: no such network. */
  readonly networks: readonly string[]
}

/**
 * Answers for questions: true where no person has logged in for it, and it comes from an address of the host, or from a network
 * that is stated for hosts. Names are resolved once a minute at most. Never throws.
 */
export function createHostCheck(find?: Lookup): (question: HostQuestion) => Promise<boolean> {
  const resolvers = new Map<string, ReturnType<typeof createResolver>>()
  return async ({ cluster, host, hosts, by, networks }) => {
    if (by.user !== '' && by.apiToken === undefined) return false
    if (networks.length > 0 && isWithin(by.address, networks)) return true
    const resolve = resolvers.get(cluster) ?? createResolver(find)
    resolvers.set(cluster, resolve)
    const addresses = (await resolve(hosts))[host.toLowerCase()] ?? [host]
    return addresses.some((address) => isSame(address, by.address) || (isHere(address) && isHere(by.address)))
  }
}

const isSame = (one: string, other: string): boolean => plain(one) === plain(other)

/** This machine asks itself by any of its addresses. */
const isHere = (address: string): boolean =>
  plain(address) === '::1' ||
  plain(address).startsWith('127.') ||
  Object.values(networkInterfaces()).some((all = []) => all.some((own) => isSame(own.address, address)))

const plain = (address: string): string =>
  address
    .toLowerCase()
    .replace(/^::ffff:(?=[\d.]+$)/, '')
    .replace(/%.*$/, '')
