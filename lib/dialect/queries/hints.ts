// MySQL hints that affect only the execution of a statement. MariaDB reads them as comments, from 12.0 on as hints.

/** https://dev.mysql.com/doc/refman/8.4/en/optimizer-hints.html, without MAX_EXECUTION_TIME and RESOURCE_GROUP. */
const planning = new Set(
  [
    'JOIN_FIXED_ORDER JOIN_ORDER JOIN_PREFIX JOIN_SUFFIX BKA NO_BKA BNL NO_BNL HASH_JOIN NO_HASH_JOIN MERGE NO_MERGE',
    'DERIVED_CONDITION_PUSHDOWN NO_DERIVED_CONDITION_PUSHDOWN GROUP_INDEX NO_GROUP_INDEX INDEX NO_INDEX INDEX_MERGE',
    'NO_INDEX_MERGE JOIN_INDEX NO_JOIN_INDEX MRR NO_MRR NO_ICP NO_RANGE_OPTIMIZATION ORDER_INDEX NO_ORDER_INDEX SKIP_SCAN',
    'NO_SKIP_SCAN SEMIJOIN NO_SEMIJOIN SUBQUERY QB_NAME',
  ].flatMap((line) => line.split(' ')),
)

/** Of the variables that a hint may set, those that only affect the optimizer. */
const setVariable =
  /^\s*(?:optimizer_switch|optimizer_prune_level|optimizer_search_depth|eq_range_index_dive_limit)\s*=\s*(?:'[\w,= ]*'|"[\w,= ]*"|\w+)\s*$/i

const hint = /[\s,]*([A-Z_]+)\s*\(([^()]*)\)[\s,]*/iy

/** The part of a hint comment that is not known to affect only the plan. */
export function findForeignHint(comment: string): string | undefined {
  const text = comment.slice('/*+'.length, -'*/'.length)
  let at = 0
  while (text.slice(at).trim() !== '') {
    hint.lastIndex = at
    const [all, name = '', argument = ''] = hint.exec(text) ?? []
    if (all === undefined) return text.slice(at).trim()
    const isKnown = planning.has(name.toUpperCase()) || (/^SET_VAR$/i.test(name) && setVariable.test(argument))
    if (!isKnown) return all.trim()
    at += all.length
  }
  return undefined
}
