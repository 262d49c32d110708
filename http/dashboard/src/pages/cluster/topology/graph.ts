// Who replicates from whom, as a forest of groups: a ring is one group, a Galera cluster is one, every other server is its own. Pure.
import type { Channel, Server } from '../../../model/cluster/server.js'

/** A server that others replicate from and that is no member. */
export interface Outsider {
  readonly id: string
  readonly address: string
}

export interface Group {
  readonly id: string
  readonly form: 'single' | 'ring' | 'galera' | 'outside'
  /** Of a ring in the order in which they replicate. */
  readonly servers: readonly Server[]
  readonly outsider?: Outsider
  readonly children: readonly Group[]
}

/** One channel: `to` replicates from `from`. */
export interface Edge {
  readonly from: string
  readonly to: string
  readonly channel: Channel
  /** The layout has `to` below `from`; other channels are drawn across. */
  readonly isTree: boolean
}

export interface Graph {
  readonly roots: readonly Group[]
  readonly edges: readonly Edge[]
}

const outsiderId = ({ sourceHost, sourcePort }: Channel): string => `outside ${sourceHost}:${sourcePort}`

const sourceOf = (channel: Channel): string => channel.source ?? outsiderId(channel)

export function buildGraph(servers: readonly Server[]): Graph {
  const byId = new Map(servers.map((server) => [server.id, server]))
  const outsiders = outsidersOf(servers)
  const groups = groupServers(servers)
  const groupOf = new Map(groups.flatMap((group) => group.servers.map(({ id }) => [id, group.id] as const)))
  for (const { id } of outsiders) groupOf.set(id, id)

  // The first channel whose source is in another group decides below whom a group stands.
  const parents = new Map<string, string>()
  for (const group of groups)
    for (const { channels } of group.servers)
      for (const channel of channels) {
        const above = groupOf.get(sourceOf(channel))
        if (above === undefined || above === group.id || parents.has(group.id)) continue
        if (!isBelow(above, group.id, parents)) parents.set(group.id, above)
      }

  const all = [
    ...groups,
    ...outsiders.map((outsider) => ({ id: outsider.id, form: 'outside' as const, servers: [], outsider })),
  ]
  const build = (group: Omit<Group, 'children'>): Group => ({
    ...group,
    children: all.filter(({ id }) => parents.get(id) === group.id).map(build),
  })
  const roots = all.filter(({ id }) => !parents.has(id)).map(build)
  return {
    roots: roots.toSorted((a, b) => weightOf(b) - weightOf(a)),
    edges: edgesOf(servers, byId, { groupOf, parents }),
  }
}

/** The tree of the primary comes first, then larger ones. */
const weightOf = (group: Group): number =>
  sizeOf(group) + (group.servers.some(({ role }) => role === 'primary') ? 1_000_000 : 0)

export const sizeOf = (group: Group): number =>
  group.servers.length + group.children.reduce((sum, child) => sum + sizeOf(child), 0)

function isBelow(id: string, ancestor: string, parents: ReadonlyMap<string, string>): boolean {
  for (let at: string | undefined = id; at !== undefined; at = parents.get(at)) if (at === ancestor) return true
  return false
}

function outsidersOf(servers: readonly Server[]): readonly Outsider[] {
  const found = new Map<string, Outsider>()
  for (const { channels } of servers)
    for (const channel of channels)
      if (channel.source === undefined && channel.sourceHost !== '') {
        const id = outsiderId(channel)
        found.set(id, { id, address: `${channel.sourceHost}:${channel.sourcePort}` })
      }
  return [...found.values()]
}

type Grouped = Omit<Group, 'children'>

function groupServers(servers: readonly Server[]): readonly Grouped[] {
  const galera = servers.filter(({ role, word }) => role === 'member' || (role === 'primary' && word === 'Synced'))
  const members = galera.some(({ role }) => role === 'member')
    ? servers.filter((server) => galera.includes(server) || server.role === 'primary')
    : []
  const rings = cyclesOf(servers.filter((server) => !members.includes(server)))
  const inRing = new Set(rings.flat().map(({ id }) => id))
  return [
    ...(members.length > 0 ? [{ id: 'galera', form: 'galera' as const, servers: members }] : []),
    ...rings.map((ring) => ({
      id: `ring ${ring.map(({ id }) => id).join(' ')}`,
      form: 'ring' as const,
      servers: ring,
    })),
    ...servers
      .filter((server) => !members.includes(server) && !inRing.has(server.id))
      .map((server) => ({ id: server.id, form: 'single' as const, servers: [server] })),
  ]
}

/** Servers that replicate from each other in a circle, each circle in the order of replication, the primary first. */
function cyclesOf(servers: readonly Server[]): readonly (readonly Server[])[] {
  const byId = new Map(servers.map((server) => [server.id, server]))
  const sources = (server: Server) => server.channels.flatMap(({ source }) => byId.get(source ?? '') ?? [])
  const taken = new Set<string>()
  const cycles: Server[][] = []
  for (const start of servers) {
    if (taken.has(start.id)) continue
    const cycle = cycleThrough(start, sources, taken)
    if (!cycle) continue
    for (const { id } of cycle) taken.add(id)
    // Found against the direction of replication: from replica to source.
    const ordered = cycle.toReversed()
    const first = Math.max(
      ordered.findIndex(({ role }) => role === 'primary'),
      0,
    )
    cycles.push([...ordered.slice(first), ...ordered.slice(0, first)])
  }
  return cycles
}

/** The shortest way from a server over its sources back to itself. */
function cycleThrough(
  start: Server,
  sources: (server: Server) => readonly Server[],
  taken: ReadonlySet<string>,
): Server[] | undefined {
  const before = new Map<string, Server | undefined>([[start.id, undefined]])
  const queue = [start]
  for (let server = queue.shift(); server !== undefined; server = queue.shift())
    for (const source of sources(server)) {
      if (source.id === start.id) {
        const trail: Server[] = []
        for (let at: Server | undefined = server; at !== undefined; at = before.get(at.id)) trail.unshift(at)
        return trail
      }
      if (before.has(source.id) || taken.has(source.id)) continue
      before.set(source.id, server)
      queue.push(source)
    }
  return undefined
}

interface Placed {
  readonly groupOf: ReadonlyMap<string, string>
  readonly parents: ReadonlyMap<string, string>
}

function edgesOf(
  servers: readonly Server[],
  byId: ReadonlyMap<string, Server>,
  { groupOf, parents }: Placed,
): readonly Edge[] {
  return servers.flatMap((server) =>
    server.channels
      .filter(({ source, sourceHost }) => sourceHost !== '' && (source === undefined || byId.has(source)))
      .map((channel) => {
        const from = sourceOf(channel)
        const [above, own] = [groupOf.get(from), groupOf.get(server.id)]
        return {
          from,
          to: server.id,
          channel,
          isTree: own !== undefined && above !== own && parents.get(own) === above,
        }
      }),
  )
}
