// After a recovery of all servers no GTID of the former history is given again, on MariaDB.
import { expect } from 'chai'
import { historyStatements, newLineStatements } from '../../../lib/dialect/shared/backup/recovery.js'

describe('a new line of GTIDs', () => {
  it('begins behind every number that was ever shown, in any domain', () => {
    const sql = newLineStatements('mariadb', '10.11.8', { position: '0-1-90', history: '0-1-150,7-2-3000' })
    expect(sql.map((each) => each.sql)).to.include('SET SESSION sql_log_bin = 1, SESSION gtid_seq_no = 1003000')
    expect(sql.find((each) => each.sql.includes('gtid_binlog_state'))?.values).to.deep.equal(['0-1-90'])
  })

  it('cannot begin on MySQL, whose position alone is set', () => {
    const parts = { position: 'a:1-9', history: 'a:1-20' }
    expect(newLineStatements('mysql', '8.0.36', parts)).to.deep.equal(historyStatements('mysql', '8.0.36', 'a:1-9'))
  })
})
