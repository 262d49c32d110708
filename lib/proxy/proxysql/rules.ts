// The query rules by which ProxySQL sends reads to the readers (`proxysql-bootstrap-query-rules`).
// https://proxysql.com/documentation/proxysql-read-write-split-howto/
import { ok, type Result } from '../../base/result.js'
import type { ProxyTrouble } from '../kit/index.js'
import { type Groups, literal } from './changes.js'
import { parseSplitRule, parseUser, type SplitRule, selectSplitRules, selectUsers } from './tables.js'
import { type Ask, execute } from './wire.js'

/** In the comment of a rule that the manager created. */
export const MADE = '[made by the manager]'

export interface RuleFilling {
  readonly groups: Groups
  readonly save: boolean
}

interface Wanted {
  readonly pattern: string
  readonly group: number
}

/** Locking reads go to the writer: the first rule that matches routes. */
const wantedRules = ({ writer, reader }: Groups): readonly Wanted[] => [
  { pattern: '^SELECT.*(FOR UPDATE|FOR SHARE|LOCK IN SHARE MODE)', group: writer },
  { pattern: '^SELECT', group: reader },
]

/**
 * Rules of an operator come first and stay; one with the same pattern replaces ours, and one of ours that is disabled
 * stays so. A rule applies to all users: where users of other groups exist, it is not created. Failure:
 * `proxy-failed`.
 */
export async function fillRules(ask: Ask, filling: RuleFilling): Promise<Result<readonly ProxyTrouble[]>> {
  const strangers = await strangersOf(ask, filling.groups)
  if (!strangers.ok) return strangers
  if (strangers.value.length > 0)
    return ok([trouble(`no query rule is created: ${strangers.value.join(', ')} would be sent to this cluster, too`)])
  const present = await rulesOf(ask, 'mysql_query_rules')
  if (!present.ok) return present
  const runtime = await rulesOf(ask, 'runtime_mysql_query_rules')
  if (!runtime.ok) return runtime
  const plan = planRules(present.value, filling.groups)
  if (plan.statements.length === 0 && unlike(plan.wanted, runtime.value).length === 0) return ok([])
  // Saved first: a manager that is killed between the two finds that the load is missing.
  const save = filling.save ? ['SAVE MYSQL QUERY RULES TO DISK'] : []
  const executed = await execute(ask, [...plan.statements, ...save, 'LOAD MYSQL QUERY RULES TO RUNTIME'])
  if (!executed.ok) return executed
  const after = await rulesOf(ask, 'runtime_mysql_query_rules')
  return after.ok ? ok(unlike(plan.wanted, after.value)) : after
}

/** Users whose statements go elsewhere, a few of them. */
async function strangersOf(ask: Ask, { writer, reader }: Groups): Promise<Result<readonly string[]>> {
  const rows = await ask(selectUsers('mysql_users'))
  if (!rows.ok) return rows
  const others = rows.value
    .map(parseUser)
    .filter(({ active, frontend, group }) => active && frontend && group !== writer && group !== reader)
  return ok([...new Set(others.map(({ name, group }) => `${name} of group ${group}`))].slice(0, 3))
}

async function rulesOf(
  ask: Ask,
  table: 'mysql_query_rules' | 'runtime_mysql_query_rules',
): Promise<Result<readonly SplitRule[]>> {
  const rows = await ask(selectSplitRules(table))
  return rows.ok ? ok(rows.value.map(parseSplitRule)) : rows
}

interface RulePlan {
  readonly statements: readonly string[]
  /** The rules that must be in force. */
  readonly wanted: readonly Wanted[]
}

function planRules(rows: readonly SplitRule[], groups: Groups): RulePlan {
  const ours = rows.filter(({ comment }) => comment.includes(MADE))
  const theirs = rows.filter((row) => !ours.includes(row))
  const isTheirs = ({ pattern }: Wanted) => theirs.some((row) => row.isForAll && row.pattern === pattern)
  const wanted = wantedRules(groups).filter((rule) => !isTheirs(rule))
  const last = Math.max(0, ...theirs.map(({ id }) => id))
  const isRight = ours.length === wanted.length && ours.every((row, index) => row.id > last && isAs(row, wanted[index]))
  const active = ours.filter((row) => row.active)
  if (isRight) return { statements: [], wanted: wanted.filter((rule) => active.some((row) => isAs(row, rule))) }
  const removals = ours.map(({ id }) => `DELETE FROM mysql_query_rules WHERE rule_id=${id}`)
  return { statements: [...removals, ...wanted.map((rule, index) => insert(rule, last + 1 + index))], wanted }
}

const isAs = (row: SplitRule, rule: Wanted | undefined): boolean =>
  row.isForAll && row.applies && row.pattern === rule?.pattern && row.group === rule.group

const insert = ({ pattern, group }: Wanted, id: number): string =>
  'INSERT INTO mysql_query_rules (rule_id, active, match_digest, destination_hostgroup, apply, comment) ' +
  `VALUES (${id}, 1, ${literal(pattern)}, ${group}, 1, ${literal(MADE)})`

const unlike = (wanted: readonly Wanted[], runtime: readonly SplitRule[]): readonly ProxyTrouble[] =>
  wanted
    .filter((rule) => !runtime.some((row) => isAs(row, rule)))
    .map(({ pattern, group }) => trouble(`the rule that sends ${pattern} to group ${group} was sent and not accepted`))

const trouble = (detail: string): ProxyTrouble => ({ code: 'WARN0092', detail })
