// Where users reach the API: what links in mails, runbooks and alerts begin with.
import os from 'node:os'
import type { Settings } from '../table/index.js'

type Place = Pick<Settings, 'api-public-url' | 'api-bind' | 'api-port'>

/** Addresses that mean every one of the machine. */
const everyAddress: readonly string[] = ['', '0.0.0.0', '::', '[::]']

/**
 * `api-public-url`, else https with the address and the port that the API is bound to, of every address the name of this
 * machine; without a slash at its end. '' where the port is not known before the start (0).
 */
export function publicUrl(settings: Place, hostname: string = os.hostname()): string {
  const { 'api-public-url': given, 'api-bind': bind, 'api-port': port } = settings
  if (given !== '') return given.replace(/\/+$/, '')
  if (port === 0) return ''
  const host = everyAddress.includes(bind) ? hostname : bind
  return `https://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`
}
