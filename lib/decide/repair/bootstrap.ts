// Forms a topology of servers that do not replicate yet: one becomes the primary, the others follow.
import { counted } from '../../base/counted.js'
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { Command } from '../../model/operation/command.js'
import type { Plan } from '../../model/operation/operation.js'
import { isEmpty } from '../../model/server/gtid.js'
import type { ServerId } from '../../model/server/server.js'
import { findServer, mainChannel, type ServerSnapshot } from '../../model/snapshot.js'
import { type FormedTopology, isFormedTopology, noFormedTopology, unformedTopologies } from '../../model/wire.js'
import { refuseApart } from '../situation/apart.js'
import { isReachable, isWritable } from '../situation/channel.js'
import { planGalera, refuseGalera } from '../situation/galera.js'
import { aheadOf, errantText } from '../situation/history/holdings.js'
import type { Situation } from '../situation/situation.js'

const GALERA = 'multi-master-wsrep'

type Shape = (servers: readonly ServerSnapshot[]) => readonly Link[]

/** By the wire's names: whom each server but the primary follows, and whether the primary follows someone too. */
const shapes: Readonly<Record<Exclude<FormedTopology, typeof GALERA>, Shape>> = {
  'master-slave': ([primary, ...others]) => follow(others, primary),
  'multi-tier-slave': ([primary, relay, ...others]) => [
    ...follow(relay ? [relay] : [], primary),
    ...follow(others, relay),
  ],
  'multi-master': ([primary, peer, ...others]) => [
    ...follow(peer ? [peer] : [], primary),
    ...follow(primary ? [primary] : [], peer),
    ...follow(others, primary),
  ],
  'multi-master-ring': (servers) =>
    servers.flatMap((server, index) => follow([server], servers[index === 0 ? servers.length - 1 : index - 1])),
}

/** A ring of two is a pair. */
const fewest: Readonly<Record<string, number>> = { 'multi-master': 2, 'multi-tier-slave': 2, 'multi-master-ring': 3 }

interface Link {
  readonly server: ServerSnapshot
  readonly source: ServerSnapshot
}

const follow = (servers: readonly ServerSnapshot[], source: ServerSnapshot | undefined): readonly Link[] =>
  source ? servers.map((server) => ({ server, source })) : []

/**
 * Failures: `unknown-topology`, `unsupported` (it cannot be formed here), `operation-running`, `wrong-state` (a server is
 * down or kept apart, or there are too few), `vetoed` (a server has errant transactions, which the primary is missing).
 */
export function planBootstrap(situation: Situation, { topology }: { readonly topology: string }): Result<Plan> {
  const { snapshot, settings, memory } = situation
  const unable = unformedTopologies[topology]
  if (unable !== undefined) return fail('unsupported', `${topology} is not supported: ${unable}.`)
  if (!isFormedTopology(topology)) return fail('unknown-topology', noFormedTopology(topology))
  if (snapshot.operation) return fail('operation-running', `${snapshot.operation.id} is running.`)
  const apart = refuseApart(situation)
  if (apart) return apart
  const down = snapshot.servers.filter((server) => !isReachable(server))
  if (down.length > 0) return fail('wrong-state', `${names(down)} does not answer.`)
  if (topology === GALERA) return planGalera(snapshot.servers)
  const refusal = refuseGalera(snapshot)
  if (refusal) return refusal
  const least = fewest[topology] ?? 1
  if (snapshot.servers.length < least) return fail('wrong-state', `${topology} needs at least ${least} servers.`)
  const [primary, ...others] = inOrder(situation)
  if (!primary) return fail('wrong-state', 'The cluster has no servers.')
  const extra = others
    .map((server) => ({ server, set: aheadOf(server, primary, { settings, memory }) }))
    .filter(({ set }) => !isEmpty(set))
  if (extra.length > 0)
    return fail(
      'vetoed',
      extra
        .map(
          ({ server, set }) =>
            `${server.name} has transactions that ${primary.name} is missing: ${errantText(set, server)}.`,
        )
        .join(' '),
    )
  const links = shapes[topology]([primary, ...others])
  const leads = !links.some(({ server }) => server.id === primary.id)
  return ok({
    kind: 'repair',
    reason: `bootstrap of ${topology}, ${primary.name} becomes the primary`,
    commands: [
      ...others.map(({ id }): Command => ({ type: 'make-read-only', server: id, concurrent: true })),
      // In another topology it may have had a source.
      ...(leads && mainChannel(primary) ? [{ type: 'promote', server: primary.id } as const] : []),
      { type: 'make-writable', server: primary.id, ...(leads ? {} : { replicating: true }) },
      ...links.map(({ server, source }) => link(server, source)),
      ...semiSync(primary, others),
      // A server without a transaction that returns after a failover would be taken for one with an empty data directory.
      ...(leads && isBlank(primary) ? [{ type: 'mark-primary', server: primary.id, bestEffort: true } as const] : []),
      { type: 'route-writes', primary: primary.id, bestEffort: true },
      { type: 'report', text: `${primary.name} is the primary of ${counted(others.length, 'replica')}.` },
    ],
    undo: [],
    deadlineMs: 60 * SECOND,
  })
}

const isBlank = ({ state }: ServerSnapshot): boolean => isEmpty(state?.gtid.executed ?? {})

/** Whom a plan to form a topology opens for writes. */
export const leaderOf = ({ commands }: Plan): ServerId | undefined =>
  commands.flatMap((command) => (command.type === 'make-writable' ? [command.server] : []))[0]

/** The primary first: the one believed, else the preferred one, else the only writer, else the first by configuration. */
export function inOrder({ snapshot, memory }: Situation): readonly ServerSnapshot[] {
  const { servers } = snapshot
  const writers = servers.filter(isWritable)
  const first =
    findServer(snapshot, memory.primary) ??
    servers.find(({ rating }) => rating === 'preferred') ??
    (writers.length === 1 ? writers[0] : undefined) ??
    servers[0]
  return first ? [first, ...servers.filter(({ id }) => id !== first.id)] : []
}

const link = (server: ServerSnapshot, source: ServerSnapshot): Command => ({
  type: 'repoint',
  server: server.id,
  source: source.id,
  concurrent: true,
  ...(server.delaySeconds > 0 ? { delaySeconds: server.delaySeconds } : {}),
  timeoutMs: 15 * SECOND,
})

/** After the replicas follow: the first commit would wait for them otherwise. */
const semiSync = (primary: ServerSnapshot, others: readonly ServerSnapshot[]): readonly Command[] =>
  primary.state && !primary.state.semiSync.sourceEnabled && others.some(({ state }) => state?.semiSync.replicaEnabled)
    ? [
        {
          type: 'set-semi-sync',
          server: primary.id,
          source: true,
          replica: primary.state.semiSync.replicaEnabled,
          bestEffort: true,
        },
      ]
    : []

const names = (servers: readonly ServerSnapshot[]): string => servers.map(({ name }) => name).join(', ')
