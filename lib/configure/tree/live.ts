// The statements that apply a tag to a running server or revert it, with every variable replaced.

import { judgeGates } from '../facts/gates.js'
import { substitute } from '../facts/variables.js'
import type { Rule } from '../rules/rules.js'
import { prepareValues, type ServerInput, type TemplateInput } from './evaluate.js'

/** `apply`: the tag was added; `back`: it was dropped. */
export type Direction = 'apply' | 'back'

/**
 * The statements of a rule for one server, in order. None means that no statement is required; a rule with `restart` has
 * none, since it takes effect at the next start only. A statement whose version is not known for sure is left out.
 */
export function renderStatements(
  rule: Rule,
  direction: Direction,
  input: Pick<TemplateInput, 'resources' | 'software'> & ServerInput,
): readonly string[] {
  const values = prepareValues(input)
  const statements = direction === 'apply' ? rule.live : rule.back
  return statements
    .filter(({ gates }) => judgeGates(gates, input.software) === 'open')
    .map(({ sql }) => substitute(sql, values))
}
