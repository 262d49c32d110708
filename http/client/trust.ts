// Whom the client believes: which certificates it takes, and whether it may talk without TLS.
import { isLoopback } from '../../lib/access/local.js'
import type { Endpoint } from './endpoint.js'

export interface Trust {
  /** The certificate is checked: against the named CA when there is one, else against the system's. */
  readonly checked: boolean
  /** Where the server speaks no TLS, password and token may go out in the clear. */
  readonly plain: boolean
}

/**
 * A loopback connection cannot be intercepted, so a self-signed certificate and plain HTTP are accepted there.
 * Elsewhere that needs the word `insecure`; a named CA is always checked, on loopback too.
 */
export function judgeTrust({ host, caFile, insecure }: Omit<Endpoint, 'port'>): Trust {
  if (caFile !== undefined) return { checked: true, plain: false }
  const open = insecure || isLoopbackHost(host)
  return { checked: !open, plain: open }
}

/** Loopback by its name or address; brackets of an IPv6 address may stand. */
export const isLoopbackHost = (host: string): boolean => host === 'localhost' || isLoopback(bareHost(host))

/** `[::1]` → `::1`. */
export const bareHost = (host: string): string => host.replace(/^\[|\]$/g, '')
