// What the pace of probing one server depends on, from the actor's state.
import { SECOND } from '../../../lib/base/time.js'
import { isUndone } from '../../../lib/decide/repair/repair.js'
import { asksEvents } from '../../../lib/decide/situation/events.js'
import { unclearHosts } from '../../../lib/decide/situation/topology/source-address.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer } from '../../../lib/model/snapshot.js'
import type { ClusterState } from '../state/state.js'
import { isObserved } from '../state/step/observed.js'
import { type ProbeContext, refusedAgainAt } from './schedule.js'

export function probeContext(state: ClusterState, id: ServerId, watched: number): ProbeContext | undefined {
  const server = findServer(state.snapshot, id)
  if (!server) return undefined
  const primary = findServer(state.snapshot, state.memory.primary)
  const { operation } = state.snapshot
  const primaryProbeAt = primary && refusedAgainAt(primary)
  return {
    server,
    isPrimary: server.id === primary?.id,
    primarySuspect:
      primary !== undefined &&
      primary.observation !== 'answered' &&
      primary.observation !== 'unseen' &&
      !primary.stoppedOnRequest,
    ...(primaryProbeAt === undefined ? {} : { primaryProbeAt }),
    mayWakeWritable:
      state.memory.crashes.some(({ oldPrimary }) => oldPrimary === id) ||
      (operation?.kind === 'failover' && operation.oldPrimary === id) ||
      (operation !== undefined && isUndone(operation) && operation.newPrimary === id),
    ...(isNeverUp(state) ? { neverUp: true } : {}),
    ...(isObserved(state) ? { observed: true } : {}),
    besides: {
      ...(asksEvents(state, server) ? { events: true } : {}),
      hosts: unclearHosts(state.snapshot.servers, state.settings, server),
    },
    pace: { watched, tickerMs: state.settings['monitoring-ticker'] * SECOND },
  }
}

/** Neither this process nor one before it saw a server of the cluster, and nothing is being made of one. */
const isNeverUp = ({ memory, acting = [], snapshot }: ClusterState): boolean =>
  memory.primary === undefined &&
  memory.held === undefined &&
  acting.length === 0 &&
  snapshot.servers.every(({ state }) => state === undefined)
