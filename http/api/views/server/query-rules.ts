// Query rules of the proxies that have such, one line for all proxies that agree on it.
import type { QueryRule } from '../../../../lib/proxy/kit/index.js'
import type { ViewInput } from '../kit/input.js'
import { nullInt64, nullString } from '../kit/null.js'

/** `C/queryrules`, in the order in which proxies follow them. */
export function renderQueryRules({ proxies }: Pick<ViewInput, 'proxies'>) {
  const merged = new Map<string, { readonly rule: QueryRule; readonly names: string[] }>()
  for (const { name, rules = [] } of proxies)
    for (const rule of rules) {
      const key = JSON.stringify(Object.entries(rule).sort())
      const known = merged.get(key)
      if (known) known.names.push(name)
      else merged.set(key, { rule, names: [name] })
    }
  return [...merged.values()]
    .sort((left, right) => left.rule.id - right.rule.id)
    .map(({ rule, names }) => ({ ...renderRule(rule), proxies: names.join(',') }))
}

export const renderRule = (rule: QueryRule) => ({
  ruleId: rule.id,
  active: rule.active ? 1 : 0,
  userName: nullString(rule.user),
  schemaName: nullString(rule.schema),
  digest: nullString(rule.digest),
  matchDigest: nullString(rule.matchDigest),
  matchPattern: nullString(rule.matchPattern),
  destinationHostgroup: nullInt64(rule.hostgroup),
  mirrorHostgroup: nullInt64(rule.mirrorHostgroup),
  multiplex: nullInt64(rule.multiplex),
})
