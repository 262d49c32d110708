// The name of a registered manager: `domain.subdomain.zone`.
import { fail, ok, type Result } from '../../base/result.js'

export interface InstanceUri {
  readonly domain: string
  readonly subdomain: string
  readonly zone: string
}

/** A label of a domain name: what a group and a project of a git host may be called, too. */
const SLUG = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'

/** Three of them, joined by dots. */
export const uriPattern = new RegExp(`^${SLUG}\\.${SLUG}\\.${SLUG}$`)

/** `bad-request` for anything but three slugs in lower case, joined by dots. */
export function parseUri(text: string): Result<InstanceUri> {
  const [domain = '', subdomain = '', zone = ''] = text.split('.')
  return uriPattern.test(text)
    ? ok({ domain, subdomain, zone })
    : fail(
        'bad-request',
        `uri ${JSON.stringify(text.slice(0, 200))}: allowed is domain.subdomain.zone, each of lower-case letters, digits and inner hyphens`,
      )
}

export const renderUri = ({ domain, subdomain, zone }: InstanceUri): string => `${domain}.${subdomain}.${zone}`

/** The three settings as one name; undefined while none or not all of them are set. */
export function uriOfSettings(
  settings: Readonly<Record<'hosted-domain' | 'hosted-sub-domain' | 'hosted-sub-domain-zone', string>>,
): InstanceUri | undefined {
  const { 'hosted-domain': domain, 'hosted-sub-domain': subdomain, 'hosted-sub-domain-zone': zone } = settings
  return domain === '' || subdomain === '' || zone === '' ? undefined : { domain, subdomain, zone }
}
