// Reads `host`, `host:port` and `[address]:port` as they stand in host lists.
import { isIPv4, isIPv6 } from 'node:net'
import { isReservedName } from '../../access/reserved-names.js'

const DATABASE_PORT = 3306

export interface HostAndPort {
  readonly host: string
  readonly port: number
}

/** The parts of an address, brackets removed; undefined for text that is none. `port` fills in for a missing one. */
export function splitAddress(text: string, port = DATABASE_PORT): HostAndPort | undefined {
  const match = /^(?:\[([0-9a-fA-F:.%\w]+)\]|([A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?\.?))(?::(\d{1,5}))?$/.exec(
    text.trim(),
  )
  const host = match?.[1] ?? match?.[2]
  const number = match?.[3] === undefined ? port : Number(match[3])
  const isName = match?.[1] === undefined ? isHostName(host ?? '') : isIPv6(host ?? '')
  return host === undefined || !isName || number < 1 || number > 65_535 ? undefined : { host, port: number }
}

/**
 * An IPv4 address, or a name of labels up to 63 characters: what is only digits and dots is no name. Hosts are keys and folders,
 * so that reserved names are none either.
 */
function isHostName(host: string): boolean {
  if (isReservedName(host)) return false
  if (/^[\d.]+$/.test(host)) return isIPv4(host)
  return host.length <= 253 && host.split('.').every((label) => label.length <= 63)
}

/** Whether the text is `host=address`, each with or without a port. */
export function isAddressPair(text: string): boolean {
  const [host = '', address = '', ...more] = text.split('=')
  return more.length === 0 && splitAddress(host) !== undefined && splitAddress(address) !== undefined
}

/** Left and right side of such a pair, blanks removed. */
export const addressPair = (pair: string): readonly [host: string, address: string] => {
  const [host = '', address = ''] = pair.split('=')
  return [host.trim(), address.trim()]
}

/**
 * The address that pairs state for the server at another one: that of its host and port, else that of its host alone. An address
 * without a port has the port of the server. Undefined where none names it.
 */
export function statedAddress(pairs: readonly string[], server: HostAndPort): HostAndPort | undefined {
  const fits = (isExact: boolean) =>
    pairs.map(addressPair).find(([host]) => hasPort(host) === isExact && isServer(host, server))
  const [, address] = fits(true) ?? fits(false) ?? []
  return address === undefined ? undefined : splitAddress(address, server.port)
}

const isServer = (text: string, { host, port }: HostAndPort): boolean => {
  const named = splitAddress(text, port)
  return named !== undefined && named.host.toLowerCase() === host.toLowerCase() && named.port === port
}

const hasPort = (text: string): boolean => /:\d{1,5}$/.test(text)
