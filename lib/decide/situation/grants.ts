// What the accounts of manager and replication lack, by the grants the slow probe read.
import {
  grantStatements,
  holds,
  type Privilege,
  type PrivilegeRow,
  parseGrants,
  privilegeOf,
  privilegeRows,
} from '../../dialect/index.js'
import type { Finding } from '../../model/finding.js'
import type { FindingCode } from '../../model/findings.js'
import type { SlowReading } from '../../model/server/reading.js'
import type { ServerSnapshot } from '../../model/snapshot.js'
import type { Situation } from './situation.js'

interface Lacking {
  readonly row: PrivilegeRow
  readonly privilege: Privilege
  /** The account as GRANT takes it. */
  readonly account: string
}

/** Grants are read anew by slow looks only, and asked for at every one. */
const known = new WeakMap<NonNullable<SlowReading['grants']>, readonly Lacking[]>()

/** What either account lacks on this server; none while its grants are not known. */
export function lackingPrivileges({ state, slow }: ServerSnapshot): readonly Lacking[] {
  const grants = slow?.grants
  if (!grants || !state) return []
  const before = known.get(grants)
  if (before) return before
  const held = { own: parseGrants(grants.own), replication: parseGrants(grants.replication) }
  const lacking = privilegeRows.flatMap((row) => {
    const { account, names } = held[row.account]
    const privilege = privilegeOf(row, state.identity)
    const unseen = row.account === 'replication' && names.size === 0
    if (!privilege || unseen || holds(held[row.account], privilege, state.identity.version)) return []
    return [{ row, privilege, account }]
  })
  known.set(grants, lacking)
  return lacking
}

const checksGrants = ({ settings }: Situation): boolean =>
  settings['check-grants'] && settings['monitoring-check-grants']

/** Why the manager could not make this server the primary, of what this code is about; undefined when it could. */
export function cannotPromote(code: FindingCode, server: ServerSnapshot, situation: Situation): string | undefined {
  if (!checksGrants(situation)) return undefined
  const meant = lackingPrivileges(server).filter(({ row }) => row.promotes === true && row.code === code)
  const names = new Set(meant.map(({ privilege }) => privilege.name))
  return names.size === 0 ? undefined : `the manager's account lacks ${[...names].join(', ')} there`
}

export function judgeGrants(situation: Situation): readonly Finding[] {
  if (!checksGrants(situation)) return []
  return situation.snapshot.servers.flatMap((server) => {
    const codes = new Set(lackingPrivileges(server).map(({ row }) => row.code))
    const absent = server.slow?.grants?.replication.length === 0 && !codes.has('ERR00005')
    return [
      ...[...codes].map((code): Finding => ({ code, server: server.id, detail: detailOf(server, code) })),
      ...(absent ? [{ code: 'ERR00056', server: server.id, detail: server.name } as const] : []),
    ]
  })
}

/** `db2: READ_ONLY ADMIN, to open and close servers for writes. Run there: GRANT …;` */
function detailOf(server: ServerSnapshot, code: FindingCode): string {
  const lacking = lackingPrivileges(server).filter(({ row }) => row.code === code)
  const needs = lacking.map(({ row, privilege }) => `${privilege.name}, ${row.purpose}`)
  const privileges = lacking.map(({ privilege }) => privilege)
  const statements = grantStatements(privileges, lacking[0]?.account ?? '')
  return `${server.name}: ${needs.join('; ')}. Run there: ${statements.join(' ')}`
}
