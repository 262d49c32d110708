// What a verb takes away: one table for commands by hand and for those of the rows, so that both spellings ask alike.

/**
 * - `loses`: data, history or an account are gone for good; without a terminal it wants `--yes`.
 * - `interrupts`: whoever uses it now feels it; people are asked, a script has said what it wants.
 */
export type Gravity = 'none' | 'interrupts' | 'loses'

/** In their order: the first that the verb matches; words of one verb alone come before them. */
const verbs: readonly (readonly [Gravity, RegExp])[] = [
  ['loses', /^(delete|drop|unprovision|revoke|cleanup|purge)(-|$)/],
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
export const yesFlag = ['--yes', 'do it without asking', false] as const
