// Resolves host names to the addresses that HAProxy needs, without letting a slow resolver delay a change.
import { lookup } from 'node:dns/promises'
import net from 'node:net'
import { sleep } from '../../base/time.js'
import type { ServerAddress } from '../../model/server/server.js'

export interface AddressBook {
  /** Never fails: a name without an address is returned as it is, and refused by HAProxy by name. */
  resolve(address: ServerAddress): Promise<ServerAddress>
}

/** How long a resolver may take before the last known address is used. */
const LATE_MS = 300

/** `ask` answers the address of a host name; the system's resolver when absent. */
export function createAddressBook(ask: (host: string) => Promise<string> = systemLookup): AddressBook {
  const known = new Map<string, string>()
  const refresh = async (host: string): Promise<void> => {
    known.set(host, await ask(host))
  }
  return {
    async resolve({ host, port }) {
      if (net.isIP(host) !== 0) return { host, port }
      const settled = new AbortController()
      // The last known address is used when the resolver fails; a late answer is used by the next change.
      const fresh = refresh(host).catch(() => undefined)
      await Promise.race([fresh, sleep(LATE_MS, settled.signal)])
      settled.abort()
      return { host: known.get(host) ?? host, port }
    },
  }
}

const systemLookup = async (host: string): Promise<string> => (await lookup(host)).address
