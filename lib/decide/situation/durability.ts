// What the cluster promises about acknowledged writes: the configured policy, or, without one, what the primary shows.
import type { SemiSyncState } from '../../model/server/reading.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import type { DecideSettings, Situation } from './situation.js'

/**
 * lossless: every commit waits for a replica, however long. semi-sync: it waits until the semi-sync timeout, then the primary
 * acknowledges alone. async: it waits for nothing.
 */
export type Durability = 'lossless' | 'semi-sync' | 'async'

/** The longest timeout that both flavours take (49 days): no commit gives up waiting before a person has acted. Milliseconds. */
export const NO_FALLBACK_MS = 4_294_967_295

/** What decisions go by: the policy, and with `observed` what the primary showed last. */
export function durabilityOf({ snapshot, settings, memory }: Omit<Situation, 'now'>): Durability {
  const policy = settings['durability-policy']
  if (policy !== 'observed') return policy
  const semiSync = findServer(snapshot, snapshot.primary)?.state?.semiSync
  if (!semiSync) return memory.semiSync ? 'semi-sync' : 'async'
  if (!semiSync.sourceEnabled) return 'async'
  return losslessFaults(semiSync).length === 0 ? 'lossless' : 'semi-sync'
}

/** Whether commits of the primary waited for a replica when it was last probed. */
export const isWaiting = ({ state }: ServerSnapshot): boolean =>
  state?.semiSync.sourceEnabled === true && state.semiSync.sourceActive

/** How a source differs from one whose every commit waits for a replica. */
export const losslessFaults = (semiSync: SemiSyncState): readonly string[] => [
  ...sourceFaults(semiSync),
  ...(semiSync.timeoutMs < NO_FALLBACK_MS ? [`its semi-sync timeout is ${semiSync.timeoutMs} ms`] : []),
  ...(semiSync.waitsWithoutReplica ? [] : ['it stops waiting when its last replica disconnects']),
]

/** How a source differs from one whose commits wait for a replica, at least for a while. */
export const sourceFaults = (semiSync: SemiSyncState): readonly string[] => [
  ...(semiSync.sourceEnabled ? [] : ['semi-sync is disabled']),
  ...(semiSync.sourceEnabled && !semiSync.sourceActive ? ['semi-sync fell back to asynchronous'] : []),
  ...(semiSync.waitPoint === 'after-commit' ? ['its wait point is AFTER_COMMIT'] : []),
  ...(semiSync.waitPoint === 'none' ? ['semi-sync is not installed'] : []),
]

/** The timeout that `semi-sync` sets where there was none. Milliseconds. */
const FALLBACK_MS = 10_000

/** The timeout to set on a server, which may become the primary, so that it waits as the policy says; undefined when it does. */
export function missingWait(
  { state }: ServerSnapshot,
  settings: Pick<DecideSettings, 'durability-policy'>,
): number | undefined {
  const { waitPoint, timeoutMs, waitsWithoutReplica } = state?.semiSync ?? { waitPoint: 'none' }
  if (waitPoint === 'none' || timeoutMs === undefined) return undefined
  const early = waitPoint === 'after-commit'
  switch (settings['durability-policy']) {
    case 'lossless':
      return early || timeoutMs < NO_FALLBACK_MS || !waitsWithoutReplica ? NO_FALLBACK_MS : undefined
    case 'semi-sync':
      if (timeoutMs >= NO_FALLBACK_MS) return FALLBACK_MS
      return early ? timeoutMs : undefined
    case 'async':
    case 'observed':
      return undefined
  }
}

/** Whether commits are to wait for replicas: by the policy; with `observed` as they did, or by force-slave-semisync. */
export function wantsAcknowledgements({ settings, memory }: Pick<Situation, 'settings' | 'memory'>): boolean {
  const policy = settings['durability-policy']
  if (policy !== 'observed') return policy !== 'async'
  return memory.semiSync === true || settings['force-slave-semisync']
}
