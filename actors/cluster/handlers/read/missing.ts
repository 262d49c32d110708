// What keeps a cluster from being complete: servers that do not answer, errors, running work. Pure.
import { findings } from '../../../../lib/model/findings.js'
import { findServer } from '../../../../lib/model/snapshot.js'
import type { ClusterState } from '../../state/state.js'

/** Servers in maintenance and those stopped on request are not waited for. */
export function listMissing({ ready, snapshot }: ClusterState): readonly string[] {
  const { servers, operation } = snapshot
  const absent = servers.filter(
    ({ observation, maintenance, stoppedOnRequest }) => observation !== 'answered' && !maintenance && !stoppedOnRequest,
  )
  const wrong = snapshot.findings.filter(({ code }) => findings[code].severity === 'error')
  return [
    ...(servers.length === 0 ? ['the cluster has no servers'] : []),
    ...(ready ? [] : ['the servers were not all probed yet']),
    ...absent.map(({ name, error }) => `${name} does not answer: ${error?.message ?? 'not probed yet'}`),
    ...(findServer(snapshot, snapshot.primary) ? [] : ['there is no primary']),
    ...(operation ? [`${operation.id} is running`] : []),
    ...wrong.map(({ code, detail }) => `${code} ${detail}`.trim()),
  ]
}
