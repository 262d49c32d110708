// Rows of a database on their way to clients.
import { expect } from 'chai'
import {
  renderChannels,
  renderMasterStatus,
  renderProcesses,
  renderVariables,
} from '../../../../../http/api/views/server/live.js'

describe('renderVariables', () => {
  it('sorts by name and keeps every value a text', () => {
    expect(
      renderVariables([
        { Variable_name: 'version', Value: '10.11.6' },
        { Variable_name: 'Aborted_clients', Value: 0 },
        { Variable_name: 'init_file', Value: null },
      ]),
    ).to.deep.equal([
      { variableName: 'ABORTED_CLIENTS', value: '0' },
      { variableName: 'INIT_FILE', value: '' },
      { variableName: 'VERSION', value: '10.11.6' },
    ])
  })
})

describe('renderProcesses', () => {
  it('shows what may be NULL as objects', () => {
    const [row] = renderProcesses(
      [{ id: 7, user: 'app', host: 'h:1', db: null, command: 'Sleep', time: 3 }],
      'db1:3306',
    )
    expect(row).to.deep.include({
      id: 7,
      db: { String: '', Valid: false },
      time: { Float64: 3, Valid: true },
      url: 'db1:3306',
    })
  })
})

describe('renderMasterStatus', () => {
  it('reads the columns in any case', () => {
    expect(
      renderMasterStatus([{ File: 'b.1', Position: '345', Binlog_Do_DB: '', Binlog_Ignore_DB: 'x' }]),
    ).to.deep.equal({
      ...{ file: 'b.1', position: 345, binlogDoDB: '', binlogIgnoreDB: 'x' },
    })
  })

  it('is empty without a binary log', () => {
    expect(renderMasterStatus([])).to.include({ file: '', position: 0 })
  })
})

describe('renderChannels', () => {
  const expected = {
    masterHost: { String: 'db1', Valid: true },
    slaveIoRunning: { String: 'Yes', Valid: true },
    slaveSQLRunningState: { String: '', Valid: false },
    secondsBehindMaster: { Int64: 0, Valid: false },
    masterServerId: 1,
  }

  for (const [dialect, row] of [
    [
      'old',
      ['Master_Host', 'Slave_IO_Running', 'Slave_SQL_Running_State', 'Seconds_Behind_Master', 'Master_Server_Id'],
    ],
    [
      'new',
      ['Source_Host', 'Replica_IO_Running', 'Replica_SQL_Running_State', 'Seconds_Behind_Source', 'Source_Server_Id'],
    ],
  ] as const)
    it(`gives ${dialect} columns the same keys`, () => {
      const values = ['db1', 'Yes', null, null, 1]
      const channel = Object.fromEntries(row.map((column, index) => [column, values[index]]))
      expect(renderChannels([channel])).to.deep.equal([expected])
    })
})
