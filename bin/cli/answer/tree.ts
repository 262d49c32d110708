// Servers as a tree: each below the one that it replicates from. Pure.
import { addressText, answers, lagText, memberAbove, type WireServer } from '../../../http/client/wire.js'

/** A server with the lines in front of it that lead to its source. */
export interface Branch {
  readonly server: WireServer
  /** `├─ `, `│  └─ `; empty for a server that follows none. */
  readonly lines: string
}

/** Every server once, sources before what follows them; in a ring the first member is the top. */
export function treeOf(servers: readonly WireServer[]): readonly Branch[] {
  const placed = new Set<string>()
  const branches: Branch[] = []
  const place = (server: WireServer, lines: string, below: string): void => {
    if (placed.has(server.id)) return
    placed.add(server.id)
    branches.push({ server, lines })
    const followers = servers.filter((other) => !placed.has(other.id) && memberAbove(other, servers)?.id === server.id)
    followers.forEach((follower, index) => {
      const isLast = index === followers.length - 1
      place(follower, `${below}${isLast ? '└─ ' : '├─ '}`, `${below}${isLast ? '   ' : '│  '}`)
    })
  }
  for (const server of servers) if (!memberAbove(server, servers)) place(server, '', '')
  for (const server of servers) place(server, '', '')
  return branches
}

/** `└─ db2:3306  Slave, 0 s behind, Running OK`. */
export const branchText = ({ server, lines }: Branch): string =>
  `${lines}${addressText(server)}  ${[server.state, answers(server) ? lagOfFollower(server) : '', noteOf(server)].filter(Boolean).join(', ')}`

const lagOfFollower = (server: WireServer): string => {
  const lag = lagText(server)
  return lag === '-' ? '' : `${lag} behind`
}

const noteOf = ({ isMaintenance, replicationHealth }: WireServer): string =>
  [isMaintenance ? 'maintenance' : '', replicationHealth].filter(Boolean).join(', ')
