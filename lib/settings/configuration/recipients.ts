// Whom the service sends mail to: addresses of the configuration files are trusted, those that were set at run time are limited.
import { done, fail, type Result } from '../../base/result.js'
import type { SettingValue } from '../kit/row.js'
import type { SettingName, Settings } from '../table/index.js'
import { sameValue, withSettings } from '../table/settings.js'
import { type Configuration, effectiveValue, givenValue, type Scope } from './configuration.js'
import type { OriginKind } from './fault.js'

/** Settings that name receivers of mail. */
const receivers = ['mail-to', 'alert-escalation-mail-to'] as const satisfies readonly SettingName[]

/** Addresses that one of them may name at run time. */
const MOST = 50

/** Origins that only an administrator of the machine writes. */
const trusted: ReadonlySet<OriginKind> = new Set(['default', 'file', 'environment', 'flag'])

/** Whether files, environment or flags give the value in force of a cluster's setting, `[Default]` among them. */
export function isGiven({ server, clusters }: Configuration, cluster: string, name: SettingName): boolean {
  const own = clusters.get(cluster) ?? server
  return trusted.has(effectiveValue(server, own, name).origin.kind)
}

/** Whether the text is one address without a name: nothing in it can be read as a second one. */
export const isAddress = (text: string): boolean => domainOf(text) !== undefined

/** Whether mail may go to this address although no file names it. */
export function isAllowed(server: Settings, address: string): boolean {
  const domains = server['mail-allowed-domains']
  return domains.length === 0 || domains.some((domain) => domain.toLowerCase() === domainOf(address))
}

/** The settings as mail is sent by them: receivers that were set at run time, less those outside `mail-allowed-domains`. */
export function mailSettings(configuration: Configuration, cluster: string): Settings | undefined {
  const { server, clusters } = configuration
  const settings = cluster === '' ? server.settings : clusters.get(cluster)?.settings
  if (!settings || server.settings['mail-allowed-domains'].length === 0) return settings
  const limited = receivers.flatMap((name) => {
    const text = isGiven(configuration, cluster, name) ? settings[name] : kept(server.settings, settings[name])
    return text === settings[name] ? [] : [[name, text] as const]
  })
  return limited.length === 0 ? settings : withSettings(settings, Object.fromEntries(limited))
}

interface RunTimeValue {
  readonly setting: SettingName
  readonly value: SettingValue
}

/** `wrong-value` for receivers that may not be set at run time. What files, environment or flags give may always be set. */
export function permitRecipients(server: Scope, own: Scope, { setting, value }: RunTimeValue): Result<void> {
  if (!receivers.some((name) => name === setting) || typeof value !== 'string') return done
  const given = givenValue(server, own, setting)?.value
  if (given !== undefined && sameValue(setting, given, value)) return done
  if (value.split(/[,;]/).length > MOST)
    return fail('wrong-value', `${setting}: at run time, at most ${MOST} addresses`)
  const { settings } = server
  if (settings['mail-allowed-domains'].length === 0) return done
  const refused = addressesOf(value).find((address) => !isAllowed(settings, address))
  const domains = settings['mail-allowed-domains'].join(', ')
  return refused === undefined
    ? done
    : fail('wrong-value', `${setting}: ${refused}: at run time, addresses of mail-allowed-domains only: ${domains}`)
}

const kept = (server: Settings, text: string): string =>
  addressesOf(text)
    .filter((address) => isAllowed(server, address))
    .join(', ')

const addressesOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean)

/** In lower case. */
const domainOf = (address: string): string | undefined =>
  /^[\w.#$&'*+/=?^`{|}~-]+@([A-Za-z0-9.-]+)$/.exec(address)?.[1]?.toLowerCase()
