// Reprovisions one server: checked, emptied, filled, caught up with the primary; or restored to its previous state.
import { done, fail, type Result } from '../../../lib/base/result.js'
import { now, SECOND, sleep } from '../../../lib/base/time.js'
import type { Situation } from '../../../lib/decide/situation/situation.js'
import {
  type CatchUp,
  judgeReprovision,
  type ReprovisionPlan,
  stepCatchUp,
} from '../../../lib/decide/upkeep/reprovision.js'
import { withSameServers } from '../../../lib/effect/returns/kit/same-servers.js'
import { isRolling } from '../../../lib/model/operation/roll.js'
import type { ServiceSpec } from '../../../lib/model/operation/services.js'
import { findServer } from '../../../lib/model/snapshot.js'
import type { Orchestrator, Reprovision, Run } from '../../../lib/orchestrator/index.js'
import { type Commanding, runCommand } from '../operations/run-command.js'
import type { Cluster } from '../state/message/cluster.js'
import { targetOf } from '../state/message/wires.js'
import { situationOf } from '../state/step/evaluate.js'

/** Between two checks of its progress. */
const PROBE_MS = 200
/** Between two attempts to start replication. */
const RETRY_MS = 2 * SECOND

/** A running cluster whose servers can be rebuilt. */
export interface Reprovisioning extends Pick<Cluster, 'state' | 'context'>, Commanding {}

export interface ReprovisionTurn {
  readonly orchestrator: Orchestrator
  readonly service: ServiceSpec
  /** A turn that an earlier manager began: what it left is taken up. */
  readonly again: boolean
  readonly run: Pick<Run, 'signal' | 'log'>
}

/** Done when the server holds what the primary has, on new data. A failure leaves it on its old data, as it says. */
export async function reprovisionServer(actor: Reprovisioning, turn: ReprovisionTurn): Promise<Result<void>> {
  const { renewal } = turn.orchestrator
  if (!renewal) return cannotReprovision(turn.orchestrator)
  const run: Run = { ...turn.run, force: false }
  const left = await renewal.probe(turn.service, run)
  if (!left.ok) return left
  const context = { actor, renewal, run, service: turn.service }
  if (left.value === 'filled') {
    run.log('it was filled already')
    const taken = await complete(context)
    if (!taken.ok || turn.again) return taken
  }
  const ready = left.value === 'started' || turn.again ? await bringBack(context, left.value === 'started') : done
  if (!ready.ok) return ready
  const plan = await prove(context)
  return plan.ok ? makeAnew(context, plan.value) : plan
}

export const cannotReprovision = ({ kind }: Orchestrator): Result<never> =>
  fail(
    'unsupported',
    `the manager cannot rebuild the databases of this cluster (prov-orchestrator = ${kind}): only local and onpremise with onpremise-ssh can, and no custom script may provision, start or stop them`,
  )

interface Context {
  readonly actor: Reprovisioning
  readonly renewal: Reprovision
  readonly run: Run
  readonly service: ServiceSpec
}

/** What a killed manager left: the old data are restored and serve. It goes on from there unless it is to end. */
async function bringBack(context: Context, wasBegun: boolean): Promise<Result<void>> {
  const { actor, renewal, service, run } = context
  if (wasBegun) run.log('it was left half filled: its old data are restored first')
  const undone = await renewal.undo(service, run)
  if (!undone.ok) return undone
  await actor.watch.probeFresh(service.id)
  const { roll, memory } = actor.state
  if (!isRolling(roll)) return fail('deadline-passed', 'the work was ended')
  if (roll.cancelledBy !== undefined) return fail('deadline-passed', 'it is on its old data')
  return memory.lastFailoverAt > roll.startedAt
    ? fail('wrong-state', 'a failover took precedence; it is on its old data')
    : done
}

/** That nothing can be lost, by fresh probes; a server that has just come back is waited for until it replicates. */
async function prove({ actor, service, run }: Context): Promise<Result<ReprovisionPlan>> {
  const settings = actor.state.settings
  const until = now() + settings['monitoring-wait-retry'] * settings['monitoring-ticker'] * SECOND
  for (let triedAt = 0; ; await sleep(PROBE_MS, run.signal)) {
    await actor.watch.probeFresh()
    // The primary last: else what it wrote and the server received between two probes is taken for the server's own.
    const { primary } = actor.state.snapshot
    if (primary !== undefined) await actor.watch.probeFresh(primary)
    const situation = presentOf(actor)
    const judged = judgeReprovision(situation, { server: service.id, force: actor.state.roll?.force ?? false })
    if (judged.ok || judged.failure.code !== 'not-replicating') return judged
    if (run.signal.aborted || now() > until) return judged
    const member = findServer(situation.snapshot, service.id)
    const isHome = member?.sourceId !== undefined && member.sourceId === situation.snapshot.primary
    if (!isHome || now() - triedAt < RETRY_MS) continue
    triedAt = now()
    await runCommand(actor, { type: 'start-replication', server: service.id })
  }
}

async function makeAnew(context: Context, { donor: id, note }: ReprovisionPlan): Promise<Result<void>> {
  const { actor, renewal, service, run } = context
  const donor = findServer(actor.state.snapshot, id)
  if (!donor?.state) return fail('unknown-server', `${id} is no member any more`)
  run.log(note ?? `the replica ${donor.name} is the donor`)
  const { host, port, state } = donor
  const filling = { ...run, donor: { host, port, flavour: state.identity.flavour } }
  const started = await renewal.begin(service, filling)
  const filled = started.ok
    ? await withSameServers([targetOf(donor, actor.state)], () => renewal.fill(service, filling), {
        mayBeOnlyCopy: true,
      })
    : started
  return filled.ok ? complete(context) : putBack(context, filled)
}

/** Follows the primary, catches up, and only then loses its old data. */
async function complete(context: Context): Promise<Result<void>> {
  const { actor, renewal, service, run } = context
  const caught = await catchUp(context)
  if (!caught.ok) return putBack(context, caught)
  return renewal.finish(service, { ...run, signal: actor.context.signal })
}

async function catchUp({ actor, service, run }: Context): Promise<Result<void>> {
  let state: CatchUp = {}
  let logged = ''
  for (let triedAt = 0; !run.signal.aborted; await sleep(PROBE_MS, run.signal)) {
    await actor.watch.probeFresh(service.id)
    const step = stepCatchUp(state, service.id, presentOf(actor))
    if (step.type === 'done') return done
    if (step.type === 'give-up') return fail('step-failed', step.reason)
    state = step.state
    const text = step.state.waiting?.text ?? ''
    if (text !== logged) run.log(text)
    logged = text
    if (step.type !== 'follow' || now() - triedAt < RETRY_MS) continue
    triedAt = now()
    const command = { type: 'repoint', server: service.id, source: step.primary, atOnce: true } as const
    const followed = await runCommand(actor, command)
    if (!followed.ok) run.log(`it does not follow yet: ${followed.failure.message}`)
  }
  return fail('deadline-passed', 'it was ended before the server had caught up')
}

/** A failure leaves the server as it was. When the manager itself ends, the next one goes on. */
async function putBack({ actor, renewal, service, run }: Context, failed: Result<void>): Promise<Result<void>> {
  const { signal } = actor.context
  if (failed.ok || signal.aborted) return failed
  const { code, message } = failed.failure
  run.log(`failed: ${message}`)
  const undone = await renewal.undo(service, { ...run, signal })
  if (signal.aborted) return failed
  if (undone.ok) return fail(code, `${message}; it is on its old data`)
  return fail(
    code,
    `${message}; and its old data, which are kept, could not be restored: ${undone.failure.message}; to reprovision it with force=true tries that again`,
  )
}

/** An operation that runs is waited for as well: it moves what is probed. */
const presentOf = ({ state }: Pick<Cluster, 'state'>): Situation => ({
  ...situationOf(state, now()),
  snapshot: state.snapshot,
})
