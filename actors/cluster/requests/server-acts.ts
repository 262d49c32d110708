// Actions on a running database over SQL: permitted, done in a separate session, verified, logged.
import type { Result } from '../../../lib/base/result.js'
import { SECOND, sleep } from '../../../lib/base/time.js'
import { type ActSession, withActSession } from '../../../lib/effect/acts/act-session.js'
import { forgetSource } from '../../../lib/effect/acts/forget-source.js'
import { type Deletion, resetBinlogs } from '../../../lib/effect/acts/reset-binlogs.js'
import { skipEvent } from '../../../lib/effect/acts/skip-event.js'
import { toggle } from '../../../lib/effect/acts/toggle.js'
import type { TakeTurn } from '../../../lib/effect/acts/turns.js'
import { awaitPurge, flushLogs, resetDigests, setSlowLimit } from '../../../lib/effect/acts/upkeep.js'
import type { LiveReads } from '../../../lib/effect/reads/live-reads.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { ActAnswer, ServerAct } from '../../../lib/model/server/server-act.js'
import type { ClusterProtocol } from '../../protocol/cluster.js'
import type { ActPermit } from '../state/message/act-permit.js'
import type { Cluster } from '../state/message/cluster.js'
import type { Watch } from '../watch/watch.js'
import { pausesOf, type Remembering } from './pauses.js'

/** Longest time of an action, once it has its turn. */
const ACT_MS = 20 * SECOND
const RESET_MS = 40 * SECOND
/** Longest wait for the probe that shows what was done. */
const PROBE_MS = 3 * SECOND

/** A running cluster that acts on its servers. */
export interface Acting extends Cluster, Remembering {
  readonly watch: Pick<Watch, 'probeFresh' | 'probeSlowly'>
  readonly reads: LiveReads
  readonly takeTurn: TakeTurn
}

interface Scene {
  readonly actor: Acting
  readonly permit: ActPermit
}

type ActOf<T extends ServerAct['type']> = Extract<ServerAct, { readonly type: T }>
type Perform<T extends ServerAct['type']> = (
  session: ActSession,
  act: ActOf<T>,
  scene: Scene,
) => Promise<Result<ActAnswer>>

/** One row per action: how it is done. */
const acts: { readonly [T in ServerAct['type']]: Perform<T> } = {
  toggle: turn,
  'set-slow-limit': async (session, { seconds }, { actor, permit }) => {
    const set = await setSlowLimit(session, seconds)
    if (set.ok) actor.tell('keep-slow-settings', { server: permit.server.spec.id })
    return set
  },
  'reset-digests': (session) => resetDigests(session),
  'flush-logs': (session) => flushLogs(session),
  'await-purge': (session, { length, timeoutMs }) => awaitPurge(session, { length, endsMs: timeoutMs }),
  'reset-binlogs': (session, _, scene) => reset(session, scene),
  'forget-source': (session, _, scene) => forget(session, scene),
  'skip-event': (session, _, { actor, permit }) =>
    skipEvent(session, { channel: permit.channel, wanted: permit.sourceHas, pauses: pausesOf(actor) }),
}

/** Actions for which every server is probed first. */
const replicating: ReadonlySet<ServerAct['type']> = new Set(['reset-binlogs', 'forget-source', 'skip-event'])

export const performAct = (actor: Acting, request: ClusterProtocol['act']['in']): Promise<Result<ActAnswer>> =>
  actor.takeTurn(request.server, () => actNow(actor, request))

async function actNow(actor: Acting, { user, server, act }: ClusterProtocol['act']['in']): Promise<Result<ActAnswer>> {
  // Which server follows which is judged as it is now.
  if (replicating.has(act.type)) await actor.watch.probeFresh()
  const permit = actor.decide('permit-act', { server, act })
  const done = permit.ok ? await actPermitted(actor, permit.value, act) : permit
  const text = done.ok ? done.value.text : done.failure.message
  actor.tell('noted', { level: done.ok ? 'INFO' : 'WARN', text: `${act.type} by ${user}: ${text}` })
  if (permit.ok) await probeAgain(actor, server)
  return done
}

function actPermitted(actor: Acting, permit: ActPermit, act: ServerAct): Promise<Result<ActAnswer>> {
  const limits = { limitMs: limitOf(act), signal: actor.context.signal }
  return withActSession(permit.server, limits, (session) => perform(session, act, { actor, permit }))
}

/** The table's type says that an action's row takes actions of its type; the compiler cannot follow it further. */
const perform = <T extends ServerAct['type']>(
  session: ActSession,
  act: ServerAct,
  scene: Scene,
): Promise<Result<ActAnswer>> => (acts[act.type as T] as Perform<T>)(session, act as ActOf<T>, scene)

function limitOf(act: ServerAct): number {
  if (act.type === 'await-purge') return act.timeoutMs + ACT_MS
  return act.type === 'reset-binlogs' ? RESET_MS : ACT_MS
}

/** What a person did to the server meanwhile is read first: nothing is concluded from how it was then. */
export async function endMaintenance(
  actor: Acting,
  { user, server }: { readonly user: string; readonly server: ServerId },
): Promise<Result<boolean>> {
  await Promise.race([actor.watch.probeFresh(server), sleep(PROBE_MS, actor.context.signal)])
  actor.tell('maintenance-ended', { user, server })
  return { ok: true, value: false }
}

/** The next read shows what was done. */
async function probeAgain(actor: Acting, server: ServerId): Promise<void> {
  actor.reads.forget(server)
  const probes = Promise.all([actor.watch.probeFresh(server), actor.watch.probeSlowly(server)])
  await Promise.race([probes, sleep(PROBE_MS, actor.context.signal)])
}

/** A capture is remembered before it begins, so that its end can set things back. */
async function turn(
  session: ActSession,
  { what, on: wanted }: ActOf<'toggle'>,
  { actor, permit }: Scene,
): Promise<Result<ActAnswer>> {
  const server = permit.server.spec.id
  const isCapture = what === 'slow-capture'
  const turned = await toggle(session, {
    ...{ what, wanted },
    ...(isCapture && permit.capture ? { kept: permit.capture } : {}),
    changing: (on, { slow }) => {
      if (isCapture && on && slow) actor.tell('keep-slow-settings', { server, slow })
    },
  })
  if (turned.ok && isCapture && turned.value.on === false) actor.tell('keep-slow-settings', { server })
  return turned
}

/** With autorejoin a server without a source becomes a replica again: the answer says so. */
async function forget(session: ActSession, { actor, permit }: Scene): Promise<Result<ActAnswer>> {
  const done = await forgetSource(session, pausesOf(actor))
  if (!done.ok || !permit.followsAgain) return done
  const text = `${done.value.text}; as autorejoin is on and it is not in maintenance, it is configured as a replica again`
  return { ok: true, value: { ...done.value, text } }
}

const deletionOf = (actor: Acting, server: ServerId): Deletion => ({
  begin(history) {
    actor.tell('history-reset', { server, ...(history === undefined ? {} : { history }) })
    return actor.keeper.saved()
  },
  end(outcome) {
    actor.tell('history-reset', { server, outcome })
  },
})

/** Followers that do not answer are named: they cannot be waited for. */
async function reset(session: ActSession, { actor, permit }: Scene): Promise<Result<ActAnswer>> {
  const { server, keepsHistory, followers, channel, absent } = permit
  const done = await resetBinlogs(session, {
    ...{ keepsHistory, followers, channel, pauses: pausesOf(actor), deletion: deletionOf(actor, server.spec.id) },
    mayGoOn: () => {
      const still = actor.decide('permit-act', { server: server.spec.id, act: { type: 'reset-binlogs', force: true } })
      return still.ok ? { ok: true, value: undefined } : still
    },
  })
  if (!done.ok || absent.length === 0) return done
  const text = `${done.value.text}; ${absent.join(', ')} did not answer: what it has not received is gone, rebuild it if it does not follow`
  return { ok: true, value: { ...done.value, text } }
}
