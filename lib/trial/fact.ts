// What a named test expects of a cluster, judged on a snapshot. Pure.
import { applyDelayOf, channelOf } from '../decide/situation/channel.js'
import type { DecideSettings } from '../decide/situation/situation.js'
import { findServer, type ServerSnapshot, type Snapshot } from '../model/snapshot.js'
import type { Before } from '../model/trial/trial.js'

export interface Judged {
  readonly snapshot: Snapshot
  readonly settings: DecideSettings
  readonly before: Before
}

/** Seconds of lag that count as late. */
export const LATE_SECONDS = 2

const facts = {
  'the primary takes writes and all others replicate from it, read-only': whole,
  'the primary is the one of before': ({ snapshot, before }) =>
    snapshot.primary === before.home ? undefined : `the primary is ${nameOf(snapshot, snapshot.primary)}`,
  'the primary is another one than before': ({ snapshot, before }) =>
    snapshot.primary !== before.home ? undefined : `the primary is still ${nameOf(snapshot, snapshot.primary)}`,
  'the primary takes writes': ({ snapshot }) => notOpen(snapshot),
  'all replicas are stopped': ({ snapshot, settings, before }) =>
    first(snapshot, before, (server) => {
      const channel = channelOf(server, settings)
      return channel?.io === 'stopped' && channel.sql === 'stopped' ? undefined : 'is not stopped'
    }),
  'all replicas are late': ({ snapshot, settings, before }) =>
    first(snapshot, before, (server) => {
      const delay = applyDelayOf(server, settings)
      return delay !== undefined && delay > LATE_SECONDS ? undefined : `is ${delay ?? 'an unknown number of'} s behind`
    }),
  'semi-sync: the primary waits for the replicas': ({ snapshot }) => {
    const primary = findServer(snapshot, snapshot.primary)
    if (!primary?.state?.semiSync.sourceEnabled) return `${primary?.name ?? 'no primary'} does not wait for replicas`
    const other = snapshot.servers.find(({ id, state }) => id !== primary.id && !state?.semiSync.replicaEnabled)
    return other && `${other.name} does not acknowledge`
  },
} as const satisfies Readonly<Record<string, (judged: Judged) => string | undefined>>

/** A sentence that holds or does not. */
export type Fact = keyof typeof facts

/** Undefined: it holds; else one line that says why not. */
export const judgeFact = (fact: Fact, judged: Judged): string | undefined => facts[fact](judged)

/** The cluster as tests begin and end with it. */
export const WHOLE: Fact = 'the primary takes writes and all others replicate from it, read-only'
export const AT_HOME: Fact = 'the primary is the one of before'

/** The first line of what does not hold. */
export const judgeFacts = (wanted: readonly Fact[], judged: Judged): string | undefined =>
  wanted.map((fact) => judgeFact(fact, judged)).find((line) => line !== undefined)

function whole({ snapshot, settings }: Judged): string | undefined {
  const { operation, topology, servers, primary } = snapshot
  if (operation) return `${operation.id} is running`
  if (topology !== 'primary-replica') return `its topology is ${topology}: named tests need one primary with replicas`
  const closed = notOpen(snapshot)
  if (closed !== undefined) return closed
  const others = servers.filter(({ id }) => id !== primary)
  if (others.length === 0) return 'it has no replica'
  return others.map((server) => notFollowing(server, { primary, settings })).find((line) => line !== undefined)
}

function notOpen(snapshot: Snapshot): string | undefined {
  const primary = findServer(snapshot, snapshot.primary)
  if (!primary) return 'it has no primary'
  if (primary.observation !== 'answered' || !primary.state) return `${primary.name} does not answer`
  return primary.state.readOnly ? `${primary.name} is the primary and read-only` : undefined
}

function notFollowing(
  server: ServerSnapshot,
  { primary, settings }: { readonly primary: string | undefined; readonly settings: DecideSettings },
): string | undefined {
  const { name, observation, state, sourceId, maintenance } = server
  if (observation !== 'answered' || !state) return `${name} does not answer`
  if (maintenance) return `${name} is in maintenance`
  if (sourceId !== primary) return `${name} does not replicate from the primary`
  const channel = channelOf(server, settings)
  if (channel?.io !== 'running' || channel.sql !== 'running') return `${name} does not replicate`
  return state.readOnly ? undefined : `${name} is a replica and takes writes`
}

function first(
  snapshot: Snapshot,
  { replicas }: Before,
  judge: (server: ServerSnapshot) => string | undefined,
): string | undefined {
  for (const id of replicas) {
    const server = findServer(snapshot, id)
    const line = server ? judge(server) : 'is no server of the cluster'
    if (line !== undefined) return `${server?.name ?? id} ${line}`
  }
  return undefined
}

const nameOf = (snapshot: Snapshot, id: string | undefined): string => findServer(snapshot, id)?.name ?? 'unknown'
