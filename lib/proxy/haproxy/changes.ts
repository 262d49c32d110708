// The commands that bring HAProxy to the wanted state, and what still differs.
import { addressText, type ServerAddress } from '../../model/server/server.js'
import type { ProxyTarget } from '../kit/index.js'
import type { HaproxyServer } from './tables.js'

export interface Backends {
  /** `haproxy-api-write-backend`: its server `leader` is the primary. */
  readonly write: string
  /** `haproxy-api-read-backend`: one server per database, named by its id. */
  readonly read: string
}

/** The server of the write backend. */
export const LEADER = 'leader'

/** One server as it should be; without an address only its state is set. */
export interface Wanted {
  readonly backend: string
  readonly name: string
  readonly address?: ServerAddress
  readonly adminState: HaproxyServer['adminState']
}

/** The write backend first: clients wait for it. */
export const wantedServers = (target: ProxyTarget, backends: Backends): readonly Wanted[] => [
  target.primary
    ? { backend: backends.write, name: LEADER, address: target.primary, adminState: 'ready' }
    : { backend: backends.write, name: LEADER, adminState: 'maint' },
  ...target.readers.map(
    (reader): Wanted => ({ backend: backends.read, name: reader.id, address: reader, adminState: reader.state }),
  ),
]

/**
 * Commands for what differs. Where the leader moves, its sessions end (their old primary no longer writes) and its
 * health is reset: the next check decides.
 */
export function changesFor(wanted: readonly Wanted[], present: readonly HaproxyServer[]): readonly string[] {
  return wanted.flatMap((want) => {
    const now = find(present, want)
    if (!now) return []
    const path = `${want.backend}/${want.name}`
    const moved = want.address !== undefined && !isAt(now, want.address)
    const closed = want.name === LEADER && (moved || (want.adminState === 'maint' && now.adminState !== 'maint'))
    return [
      ...(moved ? [`set server ${path} addr ${want.address?.host} port ${want.address?.port}`] : []),
      ...(moved && want.name === LEADER ? [`set server ${path} health up`] : []),
      ...(now.adminState === want.adminState ? [] : [`set server ${path} state ${want.adminState}`]),
      ...(closed ? [`shutdown sessions server ${path}`] : []),
    ]
  })
}

/** What differs, one phrase each. */
export function differences(wanted: readonly Wanted[], present: readonly HaproxyServer[]): readonly string[] {
  return wanted.flatMap((want) => {
    const path = `${want.backend}/${want.name}`
    const now = find(present, want)
    if (!now) return [`there is no server ${path}`]
    if (want.address && !isAt(now, want.address))
      return [`${path} is at ${addressText(now)} instead of ${addressText(want.address)}`]
    return now.adminState === want.adminState ? [] : [`${path} is ${now.adminState} instead of ${want.adminState}`]
  })
}

const find = (present: readonly HaproxyServer[], { backend, name }: Wanted): HaproxyServer | undefined =>
  present.find((server) => server.backend === backend && server.name === name)

const isAt = (now: HaproxyServer, { host, port }: ServerAddress): boolean => now.host === host && now.port === port
