// The rules in effect for a list of tags and a server software.
import { judgeGates, type Software } from '../facts/gates.js'
import type { Rule, RuleSet } from './rules.js'

export interface Selection {
  /** In the order of rc.d, so that a later one overrides an earlier one. */
  readonly rules: readonly Rule[]
  /** The tags with included ones. */
  readonly chosen: ReadonlySet<string>
  /** Tags that no rule defines. */
  readonly unknown: readonly string[]
  /** Pairs of chosen tags that contradict each other. */
  readonly conflicts: readonly (readonly [string, string])[]
}

export function selectRules(set: RuleSet, tags: readonly string[], software: Software): Selection {
  const byTag = new Map(set.rules.map((rule) => [rule.tag, rule]))
  const chosen = withIncluded(tags, byTag)
  const rules = set.rules
    .filter((rule) => (rule.always || chosen.has(rule.tag)) && judgeGates(rule.gates, software) !== 'shut')
    .toSorted((left, right) => left.order - right.order || (left.tag < right.tag ? -1 : 1))
  return {
    ...{ rules, chosen },
    unknown: tags.filter((tag) => !byTag.has(tag)),
    conflicts: rules.flatMap((rule) =>
      rule.excludes.filter((tag) => chosen.has(tag)).map((tag) => [rule.tag, tag] as const),
    ),
  }
}

/** The tags with all included ones; undefined tags are left out. */
export function withIncluded(
  tags: readonly string[],
  byTag: ReadonlyMap<string, Pick<Rule, 'includes'>>,
): ReadonlySet<string> {
  const chosen = new Set<string>()
  const add = (tag: string): void => {
    const rule = byTag.get(tag)
    if (rule === undefined || chosen.has(tag)) return
    chosen.add(tag)
    rule.includes.forEach(add)
  }
  tags.forEach(add)
  return chosen
}
