// Checks a rule against its kind: options and statements are for databases, parts of files for proxies.
import type { Gate } from '../facts/gates.js'
import type { Rule, RuleKind } from './rules.js'

export interface KindFault {
  /** Path of the fault inside the entry. */
  readonly path: readonly string[]
  readonly message: string
}

/** Keys of a rule that do not apply to its kind. */
export function judgeKind(rule: Rule, kind: RuleKind): readonly KindFault[] {
  const foreign = (name: string, items: readonly unknown[]): readonly KindFault[] =>
    items.length === 0 ? [] : [{ path: [name], message: `${name} are not allowed in the rules of a ${kind}` }]
  const gates = [...rule.gates, ...[...rule.options, ...rule.live, ...rule.back, ...rule.parts].flatMap(gatesOf)]
  return [
    ...gates.filter(({ flavour }) => !suits[kind](flavour)).map(({ flavour }) => wrongGate(flavour, kind)),
    ...(kind === 'database'
      ? foreign('parts', rule.parts)
      : [...foreign('options', rule.options), ...foreign('live', rule.live), ...foreign('back', rule.back)]),
  ]
}

const gatesOf = ({ gates }: { readonly gates: readonly Gate[] }): readonly Gate[] => gates

const isDatabase = (flavour: Gate['flavour']): boolean => flavour === 'mariadb' || flavour === 'mysql'

const suits: Readonly<Record<RuleKind, (flavour: Gate['flavour']) => boolean>> = {
  database: isDatabase,
  proxy: (flavour) => !isDatabase(flavour),
}

const wrongGate = (flavour: string, kind: RuleKind): KindFault => ({
  path: ['for'],
  message: `${flavour} is not software of a ${kind}`,
})
