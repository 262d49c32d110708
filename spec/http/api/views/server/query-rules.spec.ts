// Query rules of several proxies on their way to clients.
import { expect } from 'chai'
import { renderQueryRules } from '../../../../../http/api/views/server/query-rules.js'
import type { QueryRule } from '../../../../../lib/proxy/kit/index.js'
import { followProxy, type WatchedProxy } from '../../../../../lib/proxy/standing.js'

const proxy = (name: string, rules?: readonly QueryRule[]): WatchedProxy =>
  followProxy(undefined, {
    ...{ id: name, name, kind: 'proxysql', host: name, port: 6032, at: 0, alive: true, version: '', backends: [] },
    ...(rules ? { rules } : {}),
  })

describe('renderQueryRules', () => {
  it('shows a rule once for all proxies that have it, in the order of the rules', () => {
    const write: QueryRule = { id: 10, active: true, matchDigest: '^SELECT .* FOR UPDATE', hostgroup: 10 }
    const read: QueryRule = { id: 20, active: true, matchDigest: '^SELECT', hostgroup: 20 }
    const proxies = [proxy('lb1', [read, write]), proxy('lb2', [write]), proxy('haproxy')]
    const rules = renderQueryRules({ proxies })
    expect(rules.map(({ ruleId, proxies }) => [ruleId, proxies])).to.deep.equal([
      [10, 'lb1,lb2'],
      [20, 'lb1'],
    ])
    expect(rules[0]).to.deep.include({
      active: 1,
      matchDigest: { String: '^SELECT .* FOR UPDATE', Valid: true },
      userName: { String: '', Valid: false },
      destinationHostgroup: { Int64: 10, Valid: true },
    })
  })
})
