// The addresses of host names, as this machine resolves them: bounded, and kept for a minute.
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { MINUTE, SECOND, sleep, now as systemNow } from '../base/time.js'

/** IP addresses by host name in lower case; without names that have none at present. */
export type ResolvedHosts = Readonly<Record<string, readonly string[]>>

export type Lookup = (host: string) => Promise<readonly string[]>

/** Longest wait for the name service: what is not known then is left out, and asked again a minute later. */
const LOOKUP_MS = SECOND

const ask: Lookup = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

/** Answers for host names; addresses among them are left out. Names that are not asked for again are forgotten. Never throws. */
export function createResolver(find: Lookup = ask, now: () => number = systemNow) {
  const known = new Map<string, { readonly at: number; readonly addresses: readonly string[] }>()
  const resolve = async (host: string): Promise<void> => {
    const before = known.get(host)
    if (before && now() - before.at < MINUTE) return
    const waiting = new AbortController()
    const addresses = await Promise.race([
      find(host).catch(() => undefined),
      sleep(LOOKUP_MS, waiting.signal).then(() => undefined),
    ])
    waiting.abort()
    known.set(host, { at: now(), addresses: addresses ? [...addresses].sort() : (before?.addresses ?? []) })
  }
  return async (hosts: readonly string[]): Promise<ResolvedHosts> => {
    const names = [...new Set(hosts.map((host) => host.toLowerCase()))].filter(
      (host) => host !== '' && isIP(host) === 0,
    )
    for (const name of known.keys()) if (!names.includes(name)) known.delete(name)
    await Promise.all(names.map(resolve))
    return Object.fromEntries(
      names.flatMap((name) => {
        const found = known.get(name)
        return found && found.addresses.length > 0 ? [[name, found.addresses] as const] : []
      }),
    )
  }
}
