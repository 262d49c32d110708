// The topology as an event, whenever a role, a state or a source changed: the timeline shows it as it was at any moment. Pure.
import { mainChannel, type ServerSnapshot, type Snapshot } from '../../../../lib/model/snapshot.js'
import type { TopologySeen } from '../../../../lib/model/timeline.js'
import { stateTexts, topologyTexts } from '../../../../lib/model/wire.js'
import type { EventDraft } from './changes.js'

/** None before every server was probed: what is not known yet is no change. */
export function topologyEvents(before: Snapshot, after: Snapshot): readonly EventDraft[] {
  if (!isComplete(after) || (isComplete(before) && keyOf(before) === keyOf(after))) return []
  const { topology, primary = null, servers } = after
  const seen: Omit<TopologySeen, 'at'> = { topology: topologyTexts[topology], primary, servers: servers.map(seenOf) }
  const text = servers.map(({ name, role }) => `${name} ${role}`).join(', ')
  return [{ kind: 'topology', level: 'DEBUG', text: `Topology: ${text}`, data: { ...seen } }]
}

const isComplete = ({ servers }: Snapshot): boolean =>
  servers.length > 0 && servers.every(({ observation }) => observation !== 'unseen')

const keyOf = ({ topology, primary = '', servers }: Snapshot): string =>
  [
    topology,
    primary,
    ...servers.map(({ id, role, stateName, sourceId = '' }) => `${id} ${role} ${stateName} ${sourceId}`),
  ].join()

const seenOf = (server: ServerSnapshot): TopologySeen['servers'][number] => {
  const { id, name, role, stateName, sourceId } = server
  return {
    ...{ id, name, role, state: stateTexts[stateName] },
    sources: sourceId === undefined ? [] : [sourceId],
    lag: mainChannel(server)?.lagSeconds ?? null,
  }
}
