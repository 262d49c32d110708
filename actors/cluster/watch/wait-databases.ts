// Waits until every database of a cluster answers and nothing is wrong with it, or until the time is over.
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { now, SECOND, sleep } from '../../../lib/base/time.js'
import { findings } from '../../../lib/model/findings.js'
import { findServer } from '../../../lib/model/snapshot.js'
import type { ClusterCore } from '../state/core.js'
import type { ClusterState } from '../state/state.js'

const LOOK_MS = 100

/** Failure: `deadline-passed` with everything that is still missing. */
export async function waitDatabases(
  actor: Pick<ClusterCore, 'state' | 'context'>,
  { seconds }: { readonly seconds: number },
): Promise<Result<void>> {
  const until = now() + seconds * SECOND
  const { signal } = actor.context
  for (;;) {
    const missing = listMissing(actor.state)
    if (missing.length === 0) return ok(undefined)
    if (signal.aborted) return fail('actor-gone', `${actor.state.name} is being stopped`)
    if (now() >= until) return fail('deadline-passed', `not within ${seconds} s: ${missing.join('; ')}`)
    await sleep(Math.min(LOOK_MS, Math.max(1, until - now())), signal)
  }
}

/** Servers in maintenance and those stopped on request are not waited for. */
export function listMissing({ ready, servers, snapshot, operation }: ClusterState): readonly string[] {
  const absent = servers.filter(
    ({ observation, maintenance, stoppedOnRequest }) => observation !== 'answered' && !maintenance && !stoppedOnRequest,
  )
  const wrong = snapshot.findings.filter(({ code }) => findings[code].severity === 'error')
  return [
    ...(servers.length === 0 ? ['the cluster has no servers'] : []),
    ...(ready ? [] : ['the cluster is still being looked at for the first time']),
    ...absent.map(({ name, error }) => `${name} does not answer: ${error?.message ?? 'not seen yet'}`),
    ...(findServer(snapshot, snapshot.primary) ? [] : ['there is no primary']),
    ...(operation ? [`${operation.id} is running`] : []),
    ...wrong.map(({ code, detail }) => `${code} ${detail}`.trim()),
  ]
}
