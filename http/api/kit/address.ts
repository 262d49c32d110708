// Hosts and addresses as the API takes them: each pattern of the OpenAPI document allows exactly what the server accepts.
import * as z from 'zod'

const label = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?'
/** Labels up to 63 characters; what is only digits and dots is no name, whatever stands behind it. */
const nameBefore = (end: string) => `(?![\\d.]+${end})${label}(?:\\.${label})*\\.?`
const plain = (pattern: RegExp) => pattern.source.replace(/^\^|\$$/g, '')
const ipv4 = `(?:${plain(z.regexes.ipv4)})`
/** RFC 4291, section 2.2; of the forms that end like IPv4 only the mapped one. */
const ipv6 = `(?:${plain(z.regexes.ipv6)}|::[Ff]{4}:${ipv4})`
const port = '(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])'

/** A name, IPv4, or IPv6 with or without brackets: for a host whose port stands apart. */
export const hostText = () =>
  z
    .string()
    .max(253)
    .regex(new RegExp(`^(?:${nameBefore('$')}|${ipv4}|\\[${ipv6}\\]|${ipv6})$`), 'a host name or address')

/** `name:port`, `IPv4:port` or `[IPv6]:port`. */
export const addressWithPort = () =>
  z
    .string()
    .max(253)
    .regex(new RegExp(`^(?:${nameBefore(':')}|${ipv4}|\\[${ipv6}\\]):${port}$`), 'host:port')
