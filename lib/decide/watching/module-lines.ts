// What changed between two judgements, for modules of the log: sources, roles, the candidate, which manager acts.
import type { LogModule } from '../../model/log-module.js'
import type { ServerId } from '../../model/server/server.js'
import { findServer, type ServerSnapshot, type Snapshot } from '../../model/snapshot.js'

export interface ModuleLine {
  readonly module: LogModule
  readonly text: string
  readonly server?: ServerId
}

/** A snapshot with the candidate of its verdict. */
export interface Judged {
  readonly snapshot: Snapshot
  readonly candidate?: ServerId | undefined
}

export function listModuleLines(before: Judged, after: Judged): readonly ModuleLine[] {
  const changed = after.snapshot.servers.flatMap((server) => {
    const known = findServer(before.snapshot, server.id)
    return known ? serverLines(known, server, after.snapshot) : []
  })
  const name = (id: ServerId | undefined) => findServer(after.snapshot, id)?.name ?? 'no server'
  const election: readonly ModuleLine[] =
    before.candidate === after.candidate
      ? []
      : [
          {
            module: 'writer-election',
            text: `The candidate of a failover is ${name(after.candidate)} (was ${name(before.candidate)})`,
          },
        ]
  return [...changed, ...election]
}

function serverLines(
  { sourceId, role, presence }: ServerSnapshot,
  after: ServerSnapshot,
  snapshot: Snapshot,
): readonly ModuleLine[] {
  const sourceOf = (id: ServerId | undefined): string => findServer(snapshot, id)?.name ?? 'no member'
  const { id: server, name } = after
  const lines: ModuleLine[] = []
  if (sourceId !== after.sourceId)
    lines.push({
      module: 'topology',
      server,
      text: `${name} follows ${sourceOf(after.sourceId)} (was ${sourceOf(sourceId)})`,
    })
  if (role !== after.role) lines.push({ module: 'topology', server, text: `${name} is ${after.role} (was ${role})` })
  const [held, holds] = [holderOf(presence), holderOf(after.presence)]
  if (held !== holds) lines.push({ module: 'heartbeat', server, text: `${holds} acts on ${name} (was ${held})` })
  return lines
}

const holderOf = (presence: ServerSnapshot['presence']): string =>
  presence?.holds ? 'this manager' : presence?.other === undefined ? 'no manager' : `the manager at ${presence.other}`
