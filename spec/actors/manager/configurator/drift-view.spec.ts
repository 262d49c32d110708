// The drift of a server as findings: what waits for a decision, and what waits for a restart.
import { expect } from 'chai'
import { findingsOf, positionFindings } from '../../../../actors/manager/configurator/drift-view.js'
import type { Member } from '../../../../actors/manager/configurator/servers.js'
import type { DriftDifference } from '../../../../lib/configure/index.js'

const difference = (name: string, state: DriftDifference['state']) =>
  ({ name, state, expected: '1', running: '2' }) as DriftDifference

const found = (...differences: readonly DriftDifference[]) =>
  findingsOf({ id: 'db1' } as Member, differences).map(({ code, detail }) => [code, detail])

describe('findingsOf', () => {
  it('opens WARN0177 for values that nobody has decided about, WARN0179 for those that wait for a restart', () => {
    expect(found()).to.deep.equal([])
    expect(found(difference('max_connections', 'undecided'))).to.deep.equal([['WARN0177', 'max_connections.']])
    expect(found(difference('log_bin', 'pending'), difference('sync_binlog', 'cleared'))).to.deep.equal([
      ['WARN0179', 'log_bin, sync_binlog.'],
    ])
  })

  it('names five at most', () => {
    const many = Array.from({ length: 7 }, (_, index) => difference(`v${index}`, 'undecided'))
    expect(found(...many)).to.deep.equal([['WARN0177', 'v0, v1, v2, v3, v4 and 2 more.']])
  })
})

describe('positionFindings', () => {
  it('opens WARN0275 for positions of replication in the files of users, of any server', () => {
    const member = { id: 'db1' } as Member
    expect(positionFindings(member, [])).to.deep.equal([])
    expect(positionFindings(member, ['gtid_slave_pos'])).to.deep.equal([
      { code: 'WARN0275', server: 'db1', detail: 'gtid_slave_pos.' },
    ])
  })
})
