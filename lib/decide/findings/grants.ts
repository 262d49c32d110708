// What the accounts of manager and replication are missing on a server, with the statement that grants it.
import { grantStatements } from '../../dialect/index.js'
import type { Finding } from '../../model/finding.js'
import type { ServerSnapshot } from '../../model/snapshot.js'
import { checksGrants, type MissingPrivilege, missingPrivileges } from '../situation/grants.js'
import type { Situation } from '../situation/situation.js'

/** One finding per code of the missing privileges; ERR00056 where the replication account does not exist. */
export function judgeGrants(server: ServerSnapshot, situation: Situation): readonly Finding[] {
  if (!checksGrants(situation)) return []
  const missing = missingPrivileges(server)
  const codes = [...new Set(missing.map(({ row }) => row.code))]
  const findings = codes.map((code): Finding => {
    const detail = detailOf(
      server,
      missing.filter(({ row }) => row.code === code),
    )
    return { code, server: server.id, detail }
  })
  const isAbsent = server.slow?.grants?.replication.names.length === 0 && !codes.includes('ERR00005')
  return isAbsent ? [...findings, { code: 'ERR00056', server: server.id, detail: server.name }] : findings
}

/** `db2: READ_ONLY ADMIN, to open and close servers for writes. Run there: GRANT …;` */
function detailOf(server: ServerSnapshot, missing: readonly MissingPrivilege[]): string {
  const needs = missing.map(({ row, privilege }) => `${privilege.name}, ${row.purpose}`)
  const privileges = missing.map(({ privilege }) => privilege)
  const statements = grantStatements(privileges, missing[0]?.account ?? '')
  return `${server.name}: ${needs.join('; ')}. Run there: ${statements.join(' ')}`
}
