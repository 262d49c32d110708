// How destructive a verb is: one table for the hand-written commands and for those of the route rows.

/**
 * - `loses`: data, history or an account are lost permanently; without a terminal it requires `--yes`.
 * - `interrupts`: current users are affected; confirmed on a terminal, executed directly in a script.
 */
export type Gravity = 'none' | 'interrupts' | 'loses'

/** In their order: the first that the verb matches; words of one verb alone come before them. */
const verbs: readonly (readonly [Gravity, RegExp])[] = [
  ['loses', /^(delete|drop|remove|unprovision|revoke|cleanup|purge)(-|$)/],
  ['loses', /-cleanup$/],
  ['interrupts', /^(stop|kill)(-|$)/],
  ['interrupts', /^(rolling-)?reprov(ision)?$/],
]

const words: Readonly<Record<string, Gravity>> = {
  'reset-master': 'loses',
  'reset-slave-all': 'loses',
  'skip-replication-event': 'loses',
  failover: 'interrupts',
  'rotate-passwords': 'interrupts',
}

export const gravityOf = (verb: string): Gravity =>
  words[verb] ?? verbs.find(([, pattern]) => pattern.test(verb))?.[0] ?? 'none'

/** The flag that answers the question before it is asked. */
export const yesFlag = ['--yes', 'do not ask for confirmation', false] as const
