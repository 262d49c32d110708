// Forms one Galera cluster of the servers, by jobs of the orchestrator: all stopped, one bootstrapped, the others joined.
import { done, fail, type Result } from '../../../lib/base/result.js'
import { MINUTE, now, SECOND, sleep } from '../../../lib/base/time.js'
import type { GroupOrder } from '../../../lib/decide/repair/group.js'
import { planGalera } from '../../../lib/decide/situation/galera.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { Cluster } from '../state/message/cluster.js'
import type { Watch } from '../watch/watch.js'
import type { Services } from './services.js'

/** Longest time until one server is filled from the others, and until all see each other. */
const JOIN_MS = 4 * MINUTE
const MEET_MS = 30 * SECOND
const PAUSE_MS = 250

/** A running cluster whose servers can form a group. */
export interface Grouping extends Pick<Cluster, 'state' | 'context'> {
  readonly services: Services
  readonly watch: Pick<Watch, 'probeAll' | 'probeSlowly'>
}

export interface GroupRequest {
  readonly user: string
  /** Only whether it can be done. */
  readonly dry: boolean
  /** Which server begins, or why none can. */
  readonly judged: Result<GroupOrder>
}

/**
 * Safe to repeat: members go on running, the others join them. Failures: those of `judgeGroup`, of the jobs, and
 * `unsupported` where the orchestrator starts no first member.
 */
export async function formGroup(actor: Grouping, { user, dry, judged }: GroupRequest): Promise<Result<void>> {
  const { kind, forms } = actor.services.orchestrator
  if (!forms) return fail('unsupported', `the orchestrator ${kind} starts no server as the first of a Galera cluster`)
  const able = forms()
  if (!able.ok) return able
  if (!judged.ok) return judged
  if (dry) return done
  const { leader, runs, joiners } = judged.value
  const run = (service: ServerId, action: 'start' | 'stop', first = false) =>
    actor.services.run({ service, user, action, force: true, wait: true, ...(first ? { first } : {}) })
  for (const id of runs ? joiners : [...joiners, leader]) {
    const stopped = await run(id, 'stop')
    if (!stopped.ok) return stopped
  }
  const started = runs ? done : await run(leader, 'start', true)
  if (!started.ok) return started
  // One by one: two that are filled at once wait for the same donor.
  for (const id of joiners) {
    const joined = await join(() => run(id, 'start'))
    if (!joined.ok) return joined
  }
  return meet(actor)
}

/** A server answers when it is filled: as long as that takes, its start is waited for again. */
async function join(start: () => Promise<Result<unknown>>): Promise<Result<unknown>> {
  const until = now() + JOIN_MS
  for (;;) {
    const started = await start()
    if (started.ok || started.failure.code !== 'deadline-passed' || now() > until) return started
  }
}

/** By what each member says when it is asked now. */
async function meet(actor: Grouping): Promise<Result<void>> {
  const until = now() + MEET_MS
  for (;;) {
    await actor.watch.probeAll()
    await Promise.all(actor.state.snapshot.servers.map(({ id }) => actor.watch.probeSlowly(id)))
    const met = planGalera(actor.state.snapshot.servers)
    if (met.ok) return done
    if (now() > until) return fail('deadline-passed', met.failure.message)
    await sleep(PAUSE_MS, actor.context.signal)
  }
}
