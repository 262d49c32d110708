// Hosts that settings name (preferred, ignored, with an address of their own) and that are no members: a misspelt name would do nothing, silently.
import type { Finding } from '../../model/finding.js'
import type { FindingCode } from '../../model/findings.js'
import { addressText, type ServerSpec } from '../../model/server/server.js'
import { splitAddress, statedAddress } from '../../settings/kit/address.js'

const lists = {
  'db-servers-ignored-hosts': 'ERR00059',
  'db-servers-prefered-master': 'ERR00074',
  'replication-hosts': 'ERR00194',
} as const satisfies Readonly<Record<string, FindingCode>>

type ListName = keyof typeof lists

export const judgeLists = (
  settings: Readonly<Record<ListName, readonly string[]>>,
  servers: readonly Pick<ServerSpec, 'name' | 'host' | 'port'>[],
): readonly Finding[] =>
  (Object.keys(lists) as ListName[]).flatMap((setting) => {
    const isKnown = setting === 'replication-hosts' ? isStated : isNamed
    const strangers = settings[setting].filter((entry) => !servers.some((server) => isKnown(server, entry)))
    const text = setting === 'replication-hosts' ? ' names no server of the cluster' : ''
    return strangers.length === 0 ? [] : [{ code: lists[setting], detail: `${strangers.join(', ')}${text}.` }]
  })

const isStated = (server: Pick<ServerSpec, 'host' | 'port'>, pair: string): boolean =>
  statedAddress([pair], server) !== undefined

/** An entry without a port names the default one, or a host that is a member once. */
function isNamed(server: Pick<ServerSpec, 'name' | 'host' | 'port'>, entry: string): boolean {
  const address = splitAddress(entry)
  return entry === server.name || (address !== undefined && addressText(address) === addressText(server))
}
