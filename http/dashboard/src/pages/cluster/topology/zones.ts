// Where a server can be dropped, each place with a name, and why not where it cannot. Pure; nothing happens but a plan.
import type { Readiness } from '../../../model/cluster/readiness.js'
import type { Server } from '../../../model/cluster/server.js'
import type { Action } from '../../../plan/action.js'
import { maintenanceOf, relocateTo, switchoverTo } from '../actions/server-actions.js'

export interface Zone {
  readonly id: string
  /** "Make primary", "Replicate from db3". */
  readonly name: string
  /** The server that the zone is drawn at; absent for a zone of its own. */
  readonly at?: string
  readonly action: Action
  /** Why nothing can be dropped here. */
  readonly refused?: string
}

export interface ZoneSituation {
  readonly cluster: string
  readonly servers: readonly Server[]
  readonly readiness?: Readiness | undefined
  readonly allowsTiers?: boolean | undefined
  /** Why the user may not do it. */
  readonly denied: (action: Action) => string | undefined
}

/** What is dragged, and where. */
export interface Dragging {
  readonly server: Server
  readonly zones: readonly Zone[]
  readonly x: number
  readonly y: number
  /** Id of the zone below the pointer. */
  readonly over?: string
}

export function zonesFor(server: Server, situation: ZoneSituation): readonly Zone[] {
  const { cluster, servers, denied } = situation
  const zone = (fields: Omit<Zone, 'refused'>, refused: string | undefined): Zone => {
    const why = denied(fields.action) ?? refused
    return { ...fields, ...(why === undefined ? {} : { refused: why }) }
  }
  const sources = servers.filter(({ id }) => id !== server.id)
  const isGalera = server.role === 'member' || servers.some(({ role }) => role === 'member')
  return [
    zone(
      { id: 'primary', name: `Make ${server.name} the primary`, action: switchoverTo(cluster, server) },
      whyNotPrimary(server, situation),
    ),
    zone(
      {
        id: 'maintenance',
        name: server.isMaintenance ? 'End the maintenance' : 'Put into maintenance',
        action: maintenanceOf(cluster, server),
      },
      undefined,
    ),
    ...(isGalera
      ? []
      : sources.map((source) =>
          zone(
            {
              id: `from ${source.id}`,
              name: `Replicate from ${source.name}`,
              at: source.id,
              action: relocateTo(cluster, server, source),
            },
            whyNotFrom(server, source, situation),
          ),
        )),
  ]
}

const tierSetting = 'replication-multi-tier-slave'

function whyNotPrimary(server: Server, { readiness }: ZoneSituation): string | undefined {
  if (server.role === 'primary') return `${server.name} is the primary.`
  if (server.condition === 'down') return `${server.name} is down.`
  const rank = readiness?.ranking.find((row) => row.server === server.id)
  return rank && !rank.eligible ? `It cannot be elected: ${rank.reason}` : undefined
}

function whyNotFrom(server: Server, source: Server, { servers, allowsTiers }: ZoneSituation): string | undefined {
  if (server.role === 'primary') return `${server.name} is the primary: make another server the primary first.`
  if (server.condition === 'down') return `${server.name} is down.`
  if (server.channels.some((channel) => channel.source === source.id))
    return `It replicates from ${source.name} already.`
  if (source.condition === 'down') return `${source.name} is down.`
  if (followsFrom(source, server, servers)) return `${source.name} is below ${server.name}: that would be a ring.`
  if (source.role !== 'primary' && allowsTiers === false)
    return `Replicas of replicas are not allowed here (${tierSetting}).`
  return undefined
}

/** Whether `server` gets its changes from `ancestor`, over however many others. */
function followsFrom(server: Server, ancestor: Server, servers: readonly Server[]): boolean {
  const byId = new Map(servers.map((each) => [each.id, each]))
  const seen = new Set<string>()
  const queue = [server]
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    if (seen.has(at.id)) continue
    seen.add(at.id)
    for (const { source } of at.channels) {
      if (source === ancestor.id) return true
      const next = byId.get(source ?? '')
      if (next) queue.push(next)
    }
  }
  return false
}
