// Defaults of sessions with which a server, or the servers that follow it, could not replicate. Pure.
import { type FoundDefault, stoppingIn } from '../../dialect/index.js'
import type { ServerSnapshot } from '../../model/snapshot.js'

/** What speaks against one of the two roles in replication; both when none is named. */
export function stoppingDefaultsOf(
  { state, slow }: Pick<ServerSnapshot, 'state' | 'slow'>,
  role?: 'replica' | 'source',
): readonly FoundDefault[] {
  const stops = role && ({ replica: 'own', source: 'followers' } as const)[role]
  const found = state ? stoppingIn(state.identity.flavour, slow?.variables) : []
  return found.filter((each) => stops === undefined || each.stops === stops)
}

/** `has transaction_read_only=ON: receiver and …`; undefined where nothing speaks against it. */
export function cannotReplicate(server: ServerSnapshot, role?: 'replica' | 'source'): string | undefined {
  const found = stoppingDefaultsOf(server, role).map(
    ({ text, means, repair }) => `${text}: ${means}. Run there: ${repair}`,
  )
  return found.length === 0 ? undefined : `has ${found.join('; ')}`
}
