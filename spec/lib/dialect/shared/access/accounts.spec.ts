// The statements of an init file: one per line, whatever the passwords contain, and none of them logged.
import { expect } from 'chai'
import { createAccounts } from '../../../../../lib/dialect/shared/access/accounts.js'

const monitor = { user: 'monitor', password: "it's\n\\", hosts: ['127.0.0.1', '::1'] }
const replication = { user: 'repl', password: 'x', hosts: ['%'] }

describe('createAccounts', () => {
  it('keeps out of the binary log and puts each statement on one line', () => {
    const [first, ...rest] = createAccounts({ monitor, replication })
    expect(first).to.equal('SET SESSION sql_log_bin = 0;')
    expect(rest).to.have.length(9)
    for (const statement of rest) expect(statement).to.match(/^[^\n]*;$/)
  })

  it('writes a password as a literal', () => {
    expect(createAccounts({ monitor, replication })).to.include(
      "ALTER USER 'monitor'@'127.0.0.1' IDENTIFIED BY 'it''s\\n\\\\';",
    )
  })

  it('keeps the larger grants when one user serves both purposes', () => {
    const statements = createAccounts({ monitor, replication: { ...replication, user: 'monitor' } })
    expect(
      statements.filter((each) => each.startsWith('GRANT')).every((each) => each.includes('ALL PRIVILEGES')),
    ).to.equal(true)
  })
})
