// Actions on a running database over SQL: permitted, done at a session of their own, proven, told in the log.

import { withDeadline } from '../../../lib/base/deadline.js'
import { createLimit, type Limit } from '../../../lib/base/limit.js'
import { fail, type Result } from '../../../lib/base/result.js'
import { now, SECOND, sleep } from '../../../lib/base/time.js'
import { followersOf, judgeAct } from '../../../lib/decide/upkeep/permit-act.js'
import { atDesk, type Desk } from '../../../lib/effect/acts/desk.js'
import { forgetSource } from '../../../lib/effect/acts/forget-source.js'
import { resetBinlogs } from '../../../lib/effect/acts/reset-binlogs.js'
import { skipEvent } from '../../../lib/effect/acts/skip-event.js'
import { toggle } from '../../../lib/effect/acts/toggle.js'
import { awaitPurge, flushLogs, resetDigests, setSlowLimit } from '../../../lib/effect/acts/upkeep.js'
import { type GtidSet, noTransactions } from '../../../lib/model/server/gtid.js'
import type { ActAnswer, ServerAct, ToggleName } from '../../../lib/model/server/server-act.js'
import { findServer, type ServerSnapshot } from '../../../lib/model/snapshot.js'
import type { ClusterProtocol } from '../../protocol/cluster.js'
import type { ClusterCore } from '../state/core.js'
import { effectServer } from '../state/wires.js'
import { afterFirstLook } from '../watch/first-look.js'
import { pausesOf, type Remembering } from './pauses.js'

/** Longest time of an act, once it has its turn. */
const ACT_MS = 20 * SECOND
const RESET_MS = 40 * SECOND
/** Longest wait for another act on the same server. */
const TURN_MS = 10 * SECOND
/** Longest wait for the look that shows what was done. */
const LOOK_MS = 3 * SECOND
/** Acts under way in one cluster. */
const MOST_ACTS = 16

/** One row per act: how it is done. */
const acts: { readonly [T in ServerAct['type']]: Perform<T> } = {
  toggle: (desk, { what }, scene) => turn(desk, what, scene),
  'set-slow-limit': async (desk, { seconds }, { actor, member }) => {
    const set = await setSlowLimit(desk, seconds)
    if (set.ok) actor.tell('keep-slow-settings', { server: member.id })
    return set
  },
  'reset-digests': (desk) => resetDigests(desk),
  'flush-logs': (desk) => flushLogs(desk),
  'await-purge': (desk, { length, timeoutMs }) => awaitPurge(desk, { length, endsMs: timeoutMs }),
  'reset-binlogs': (desk, _, scene) => reset(desk, scene),
  'forget-source': (desk, _, scene) => forget(desk, scene),
  'skip-event': (desk, _, { actor, member }) =>
    skipEvent(desk, { channel: channelOf(actor), wanted: sourceHas(actor, member), pauses: pausesOf(actor) }),
}

/** Acts for which every server is looked at first. */
const replicating: ReadonlySet<ServerAct['type']> = new Set(['reset-binlogs', 'forget-source', 'skip-event'])

interface Scene {
  readonly actor: Remembering
  readonly member: ServerSnapshot
}

type ActOf<T extends ServerAct['type']> = Extract<ServerAct, { readonly type: T }>
type Perform<T extends ServerAct['type']> = (desk: Desk, act: ActOf<T>, scene: Scene) => Promise<Result<ActAnswer>>

export async function performAct(
  actor: Remembering,
  { user, server, act }: ClusterProtocol['act']['in'],
): Promise<Result<ActAnswer>> {
  const { signal } = actor.context
  const turned = await withDeadline(signal, TURN_MS, (limit) =>
    actLimitOf(actor).runAlone(server, limit, async () => ({ result: await actNow(actor, { user, server, act }) })),
  )
  return turned?.result ?? fail('deadline-passed', 'another action on this server is still running')
}

/** By cluster; they end with it. */
const limits = new WeakMap<ClusterCore, Limit>()

function actLimitOf(actor: ClusterCore): Limit {
  const limit = limits.get(actor) ?? createLimit(MOST_ACTS)
  limits.set(actor, limit)
  return limit
}

async function actNow(
  actor: Remembering,
  { user, server, act }: ClusterProtocol['act']['in'],
): Promise<Result<ActAnswer>> {
  await afterFirstLook(actor, server)
  // Who follows whom is judged as it is now.
  if (replicating.has(act.type)) await actor.watch.lookAfresh()
  const member = findServer(actor.state.snapshot, server)
  if (!member) return fail('unknown-server', `${actor.init.name} has no server ${server}`)
  const effect = effectServer(actor.state, server)
  if (!effect || member.observation !== 'answered')
    return fail('sql-refused', `${member.name} does not answer: ${member.error?.message ?? 'not seen yet'}`)
  const judged = judgeAct(actor.state.snapshot, member, act)
  const limitMs = limitOf(act)
  const done = judged.ok
    ? await atDesk(effect, { limitMs, signal: actor.context.signal }, (desk) => perform(desk, act, { actor, member }))
    : judged
  const text = done.ok ? done.value.text : done.failure.message
  actor.tell('noted', { level: done.ok ? 'INFO' : 'WARN', text: `${act.type} by ${user}: ${text}`, now: now() })
  if (judged.ok) await lookAgain(actor, server)
  return done
}

/** The table's type says that an act's row takes acts of its type; the compiler cannot follow it further. */
const perform = <T extends ServerAct['type']>(desk: Desk, act: ServerAct, scene: Scene): Promise<Result<ActAnswer>> =>
  (acts[act.type as T] as Perform<T>)(desk, act as ActOf<T>, scene)

function limitOf(act: ServerAct): number {
  if (act.type === 'await-purge') return act.timeoutMs + ACT_MS
  return act.type === 'reset-binlogs' ? RESET_MS : ACT_MS
}

/** Whoever reads next sees what was done. */
async function lookAgain(actor: ClusterCore, server: string): Promise<void> {
  actor.reads.forget(server)
  const looks = Promise.all([actor.watch.lookAfresh(server), actor.watch.lookSlowly(server)])
  await Promise.race([looks, sleep(LOOK_MS, actor.context.signal)])
}

const channelOf = ({ state }: ClusterCore): string => state.settings['replication-source-name']

/** Everything the source of a replica has executed; nothing where it is no member or does not answer. */
function sourceHas({ state }: ClusterCore, { sourceId }: ServerSnapshot): GtidSet {
  // Not of the snapshot: that is judged anew only when something changes that decisions depend on.
  const source = findServer(state, sourceId)
  return source?.observation === 'answered' ? (source.state?.gtid.executed ?? noTransactions) : noTransactions
}

/** A capture is remembered before it begins, so that its end can set things back. */
async function turn(desk: Desk, what: ToggleName, { actor, member }: Scene): Promise<Result<ActAnswer>> {
  const kept = actor.state.memory.captures?.[member.id]
  const isCapture = what === 'slow-capture'
  const turned = await toggle(desk, {
    what,
    ...(isCapture && kept ? { kept } : {}),
    changing: (on, { slow }) => {
      if (isCapture && on && slow) actor.tell('keep-slow-settings', { server: member.id, slow })
    },
  })
  if (turned.ok && isCapture && turned.value.on === false) actor.tell('keep-slow-settings', { server: member.id })
  return turned
}

/** A server without a source is made to follow again where that is wished: the answer says so. */
async function forget(desk: Desk, { actor, member }: Scene): Promise<Result<ActAnswer>> {
  const done = await forgetSource(desk, pausesOf(actor))
  if (!done.ok || member.maintenance || !actor.state.settings.autorejoin) return done
  const text = `${done.value.text}; as autorejoin is on and it is not in maintenance, it is made to follow again`
  return { ok: true, value: { ...done.value, text } }
}

/** Followers that do not answer are named: they cannot be waited for. */
async function reset(desk: Desk, { actor, member }: Scene): Promise<Result<ActAnswer>> {
  const { snapshot } = actor.state
  const followers = followersOf(snapshot, member)
  const present = followers.filter(({ observation }) => observation === 'answered')
  const absent = followers.filter((one) => !present.includes(one)).map(({ name }) => name)
  const done = await resetBinlogs(desk, {
    keepsHistory: followers.length > 0 || (member.state?.channels.length ?? 0) > 0,
    followers: present.flatMap(({ id }) => effectServer(actor.state, id) ?? []),
    channel: channelOf(actor),
    pauses: pausesOf(actor),
    mayGoOn: () => judgeAct(actor.state.snapshot, member, { type: 'reset-binlogs', force: true }),
  })
  if (!done.ok || absent.length === 0) return done
  const text = `${done.value.text}; ${absent.join(', ')} did not answer: what it has not received is gone, fill it anew if it does not follow`
  return { ok: true, value: { ...done.value, text } }
}
