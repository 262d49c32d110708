// Privileges that the accounts of manager and replication are missing, by the grants that the slow probe read.
import { holds, type Privilege, type PrivilegeRow, privilegeOf, privilegeRows } from '../../dialect/index.js'
import type { FindingCode } from '../../model/findings.js'
import type { ServerSnapshot } from '../../model/snapshot.js'
import type { Situation } from './situation.js'

export interface MissingPrivilege {
  readonly row: PrivilegeRow
  readonly privilege: Privilege
  /** The account as GRANT takes it. */
  readonly account: string
}

/** Which of `rows` either account is missing on this server; none while its grants are not known. */
export function missingPrivileges(
  { state, slow }: ServerSnapshot,
  rows: readonly PrivilegeRow[] = privilegeRows,
): readonly MissingPrivilege[] {
  const grants = slow?.grants
  if (!grants || !state) return []
  return rows.flatMap((row) => {
    const held = grants[row.account]
    const privilege = privilegeOf(row, state.identity)
    const unknown = row.account === 'replication' && held.names.length === 0
    if (!privilege || unknown || holds(held, privilege, state.identity.version)) return []
    return [{ row, privilege, account: held.account }]
  })
}

export const checksGrants = ({ settings }: Pick<Situation, 'settings'>): boolean =>
  settings['check-grants'] && settings['monitoring-check-grants']

/** Why the manager could not make this server the primary, for privileges of this code; undefined when it could. */
export function cannotPromote(code: FindingCode, server: ServerSnapshot, situation: Situation): string | undefined {
  if (!checksGrants(situation)) return undefined
  const needed = privilegeRows.filter((row) => row.promotes === true && row.code === code)
  const names = new Set(missingPrivileges(server, needed).map(({ privilege }) => privilege.name))
  return names.size === 0 ? undefined : `cannot be promoted: the manager's account is missing ${[...names].join(', ')}`
}
