// What an action on a running database may use, judged from the state at one moment. Pure.
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { followersOf, judgeAct } from '../../../../lib/decide/upkeep/permit-act.js'
import type { EffectServer } from '../../../../lib/effect/index.js'
import { type GtidSet, noTransactions } from '../../../../lib/model/server/gtid.js'
import type { ServerId } from '../../../../lib/model/server/server.js'
import type { ServerAct, SlowSettings } from '../../../../lib/model/server/server-act.js'
import { findServer, type ServerSnapshot, type Snapshot } from '../../../../lib/model/snapshot.js'
import type { ClusterState } from '../state.js'
import { effectServer, notAnswering } from './wires.js'

export interface ActPermit {
  readonly server: EffectServer
  /** The channel by which the server follows the cluster; `replication-source-name` where it shows none. */
  readonly channel: string
  /** Everything the source of a replica has executed; nothing where it is no member or does not answer. */
  readonly sourceHas: GtidSet
  /** The slow log as it was before a capture that is under way. */
  readonly capture?: SlowSettings
  /** Those that follow it and answer. */
  readonly followers: readonly EffectServer[]
  /** Names of those that follow it and do not answer. */
  readonly absent: readonly string[]
  /** What was executed before still counts: the server replicates, or others follow it. */
  readonly keepsHistory: boolean
  /** Without a source it is configured as a replica again. */
  readonly followsAgain: boolean
}

/** Failures: those of `judgeAct`; `unknown-server`; `sql-refused` where the server does not answer. */
export function permitAct(state: ClusterState, id: ServerId, act: ServerAct): Result<ActPermit> {
  const { snapshot, settings, memory } = state
  const member = findServer(snapshot, id)
  if (!member) return fail('unknown-server', `${state.name} has no server ${id}`)
  const server = effectServer(state, id)
  if (!server || member.observation !== 'answered') return notAnswering(member)
  const judged = judgeAct(snapshot, member, act)
  if (!judged.ok) return judged
  const followers = followersOf(snapshot, member)
  const present = followers.filter(({ observation }) => observation === 'answered')
  const capture = memory.captures?.[id]
  return ok({
    server,
    channel: server.replication?.channel ?? settings['replication-source-name'],
    sourceHas: executedBySource(snapshot, member),
    ...(capture ? { capture } : {}),
    followers: present.flatMap((follower) => effectServer(state, follower.id) ?? []),
    absent: followers.filter((follower) => !present.includes(follower)).map(({ name }) => name),
    keepsHistory: followers.length > 0 || (member.state?.channels.length ?? 0) > 0,
    followsAgain: settings.autorejoin && !member.maintenance,
  })
}

function executedBySource(snapshot: Snapshot, { sourceId }: ServerSnapshot): GtidSet {
  const source = findServer(snapshot, sourceId)
  return source?.observation === 'answered' ? (source.state?.gtid.executed ?? noTransactions) : noTransactions
}
