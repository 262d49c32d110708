// Who may download a configuration archive: a pure decision from the request and the configuration.
import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { fail, ok, type Result } from '../base/result.js'

/** The restrictions on downloads of a cluster. */
export interface DownloadPolicy {
  /** `api-credentials-secure-config`: only with a login, or a bootstrap token of the server. */
  readonly secure: boolean
  /** `api-config-download-addresses`: where a download without a login may come from; none: anywhere. */
  readonly addresses: readonly string[]
  /** `api-config-download-tokens`: without a login it needs a bootstrap token of the server. */
  readonly tokens: boolean
}

/** The requester. */
export interface Downloader {
  /** Empty without a login. */
  readonly user: string
  /** The user holds a grant for archives. */
  readonly mayRead: boolean
  /** Of the connection. */
  readonly address: string
}

/** What permits a download; a token has still to be checked. Failure: `no-grant`. */
export function judgeDownload(policy: DownloadPolicy, asker: Downloader): Result<'login' | 'token' | 'open'> {
  if (asker.mayRead) return ok('login')
  if (policy.secure && asker.user !== '')
    return fail('no-grant', `${asker.user} does not have the grant to read archives`)
  if (!isWithin(asker.address, policy.addresses)) {
    return fail('no-grant', `${asker.address} is outside of api-config-download-addresses`)
  }
  return ok(policy.tokens || policy.secure ? 'token' : 'open')
}

/** Archives can be downloaded without authentication. */
export const isOpen = ({ secure, addresses, tokens }: DownloadPolicy): boolean =>
  !secure && addresses.length === 0 && !tokens

/** Whether an address lies in one of the ranges; no range means every address. */
export function isWithin(address: string, ranges: readonly string[]): boolean {
  if (ranges.length === 0) return true
  const plain = address.replace(/^::ffff:(?=[\d.]+$)/, '').replace(/%.*$/, '')
  if (!isIPv4(plain) && !isIPv6(plain)) return false
  return listOf(ranges).check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6')
}

const lists = new WeakMap<readonly string[], BlockList>()

function listOf(ranges: readonly string[]): BlockList {
  const known = lists.get(ranges)
  if (known) return known
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    list.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family)
  }
  lists.set(ranges, list)
  return list
}
