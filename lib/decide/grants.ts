// What the accounts of manager and replication lack, by the grants the slow probe read.
import type { Finding } from '../model/finding.js'
import type { FindingCode } from '../model/findings.js'
import type { Situation } from './situation.js'

/** Each code is raised when the account holds none of the privileges listed; one of them is enough. */
const needs: readonly {
  readonly code: FindingCode
  readonly account: 'own' | 'replication'
  readonly anyOf: RegExp
}[] = [
  { code: 'ERR00006', account: 'own', anyOf: /\b(ALL PRIVILEGES|SUPER|REPLICATION CLIENT|BINLOG MONITOR)\b/i },
  { code: 'ERR00008', account: 'own', anyOf: /\b(ALL PRIVILEGES|SUPER|READ[_ ]ONLY ADMIN|SYSTEM_VARIABLES_ADMIN)\b/i },
  { code: 'ERR00009', account: 'own', anyOf: /\b(ALL PRIVILEGES|RELOAD)\b/i },
]

export function judgeGrants({ snapshot: { servers }, settings }: Situation): readonly Finding[] {
  if (!settings['check-grants'] || !settings['monitoring-check-grants']) return []
  return servers.flatMap(({ id, name, slow }) => {
    const grants = slow?.grants
    if (!grants) return []
    const lacking = needs.filter(({ account, anyOf }) => !grants[account].some((grant) => anyOf.test(grant)))
    const account: Finding[] = grants.replication.length === 0 ? [{ code: 'ERR00056', server: id, detail: name }] : []
    return [...lacking.map(({ code }): Finding => ({ code, server: id, detail: name })), ...account]
  })
}
