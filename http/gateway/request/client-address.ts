// The address that a request comes from, and whether by TLS: of the connection, or what a trusted proxy says of it.
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isWithin } from '../../../lib/access/download.js'

/**
 * `X-Forwarded-For` is read from its end, as far as the proxies on the way are in `trusted` (address ranges): the first one
 * that is not is the client. Anybody may write the header, so that of a connection from elsewhere counts for nothing.
 */
export function clientAddress({ socket, headers }: IncomingMessage, trusted: readonly string[]): string {
  const peer = socket.remoteAddress ?? ''
  const forwarded = headers['x-forwarded-for']
  if (trusted.length === 0 || forwarded === undefined || !isWithin(peer, trusted)) return peer
  let address = peer
  for (const entry of String(forwarded).split(',').reverse()) {
    const named = entry.trim()
    if (isIP(named) === 0) break
    address = named
    if (!isWithin(named, trusted)) break
  }
  return address
}

/** Whether the client speaks TLS: to us, or to a proxy that is trusted. */
export function isSecure({ socket, headers }: IncomingMessage, trusted: readonly string[]): boolean {
  if ('encrypted' in socket && socket.encrypted === true) return true
  const isTold = trusted.length > 0 && headers['x-forwarded-proto'] === 'https'
  return isTold && isWithin(socket.remoteAddress ?? '', trusted)
}
