// Who may do what by one scope's settings: the lists that people write and those that the service itself keeps, as one.
import type { AccessLists } from '../../access/index.js'
import { reveal, secret } from '../../base/secret.js'
import type { Settings } from '../table/index.js'

export function accessLists(settings: Settings): AccessLists {
  const credentials = [settings['api-credentials'], settings['api-credentials-external']].map(reveal)
  return {
    credentials: secret(joined(credentials)),
    allow: joined([settings['api-credentials-acl-allow'], settings['api-credentials-acl-allow-external']]),
    discard: joined([settings['api-credentials-acl-discard'], settings['api-credentials-acl-discard-external']]),
  }
}

const joined = (lists: readonly string[]): string => lists.filter(Boolean).join(',')
