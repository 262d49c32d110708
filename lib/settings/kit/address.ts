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
