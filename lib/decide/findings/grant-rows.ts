// Findings of privileges that the accounts of manager and replication are missing, with the statement that grants them.
import { grantStatements, privilegeRows } from '../../dialect/index.js'
import { isReachable } from '../situation/channel.js'
import { failedLogin, untriedLogin } from '../situation/fresh-login.js'
import { checksGrants, missingPrivileges } from '../situation/grants.js'
import { tooFewSessions } from '../situation/session-limit.js'
import { isUserFull } from '../situation/state-name.js'
import { type ServerRow, when } from './row.js'

const codes = [...new Set(privilegeRows.map(({ code }) => code))]

export const grantRows: readonly ServerRow[] = [
  ...codes.map((code): ServerRow => {
    const rows = privilegeRows.filter((row) => row.code === code)
    return {
      code,
      // `db2: READ_ONLY ADMIN, to open and close servers for writes. Run there: GRANT …;`
      detail: (server, { situation }) => {
        const missing = checksGrants(situation) ? missingPrivileges(server, rows) : []
        if (missing.length === 0) return undefined
        const needs = missing.map(({ row, privilege }) => `${privilege.name}, ${row.purpose}`)
        const privileges = missing.map(({ privilege }) => privilege)
        const statements = grantStatements(privileges, missing[0]?.account ?? '')
        return `${server.name}: ${needs.join('; ')}. Run there: ${statements.join(' ')}`
      },
    }
  }),
  {
    code: 'ERR00186',
    detail: (server) => {
      const few = tooFewSessions(server, 'switchover')
      if (few !== undefined) return `${server.name} ${few}.`
      return when(server.observation === 'rejected' && isUserFull(server), `${server.name}: ${server.error?.message}`)
    },
  },
  {
    code: 'ERR00195',
    detail: (server) => {
      const refused = failedLogin(server)
      return refused && `${server.name} ${refused}.`
    },
  },
  {
    code: 'WARN0263',
    detail: (server) => {
      const untried = isReachable(server) ? untriedLogin(server) : undefined
      return untried && `${server.name}: ${untried}.`
    },
  },
  {
    code: 'ERR00056',
    detail: (server, { situation }) => {
      const isAbsent = checksGrants(situation) && server.slow?.grants?.replication.names.length === 0
      // Without the privilege of ERR00005 the manager cannot see whether the account exists.
      const canSee = missingPrivileges(server, privilegeRows).every(({ row }) => row.code !== 'ERR00005')
      return when(isAbsent && canSee, server.name)
    },
  },
]
