// Whether a request was made on this machine by its own user: only there the shipped password is accepted.
import { isIPv4, isIPv6 } from 'node:net'

/** What a request reveals about its origin; headers by lower-case name. */
export interface Origin {
  readonly address: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** 127.0.0.0/8, ::1 and the mapped forms. */
export function isLoopback(address: string): boolean {
  const plain = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
  return (isIPv4(plain) && plain.startsWith('127.')) || (isIPv6(plain) && plain === '::1')
}

/**
 * True for a loopback connection that no proxy forwards and no foreign web page makes: a page from elsewhere open in
 * a browser on this machine also connects from 127.0.0.1 (its Origin shows it), or by a name made to point here (its
 * Host, which HTTP/2 calls :authority).
 */
export function isLocal({ address, headers }: Origin): boolean {
  if (!isLoopback(address)) return false
  if (['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some((name) => headers[name] !== undefined)) return false
  const named = headers.host ?? headers[':authority'] ?? 'localhost'
  return isLocalHost(hostOf(`http://${named}`)) && isLocalOrigin(headers.origin)
}

function isLocalOrigin(origin: string | readonly string[] | undefined): boolean {
  return origin === undefined || (typeof origin === 'string' && isLocalHost(hostOf(origin)))
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : ''
}

function isLocalHost(host: string): boolean {
  return host === 'localhost' || isLoopback(host)
}
