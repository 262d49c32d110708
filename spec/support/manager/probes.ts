// Waits for more probes of a cluster, as its manager counts them: so often it could have acted by now.
import { unwrap } from '../../../lib/base/result.js'
import { eventually } from '../wait.js'
import type { ManagerProcess } from './manager-process.js'

/** Probes of every server that were answered, and of those that do not answer all that failed in a row. */
const counters = /^manager_(?:probe_seconds_count|server_failures)\{(?:[^}]*,)?cluster="story"[^}]*\} (\d+)/gm

/** To write all samples costs the manager ten times what another answer does. */
const RARELY_MS = 200

/** How many probes of the cluster the manager counts; one whose servers begin to answer again counts fewer. */
export async function probesOf({ session }: Pick<ManagerProcess, 'session'>): Promise<number> {
  const { body } = unwrap(await session.call('GET', '/api/prometheus'))
  return [...body.matchAll(counters)].reduce((sum, [, count]) => sum + Number(count), 0)
}

/** Resolves when so many more probes of the servers, all taken together, have ended: answered or not. */
export async function moreProbes(manager: Pick<ManagerProcess, 'session'>, count: number): Promise<void> {
  const goal = (await probesOf(manager)) + count
  let probes = 0
  await eventually(
    async () => {
      probes = await probesOf(manager)
      return probes >= goal
    },
    () => `${goal} probes, ${probes} so far`,
    { progress: () => probes, everyMs: RARELY_MS },
  )
}
