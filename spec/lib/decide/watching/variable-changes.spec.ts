import { expect } from 'chai'
import {
  compareListings,
  listPlugins,
  listVariables,
  renderDiff,
  summarise,
} from '../../../../lib/decide/watching/variable-changes.js'
import { named } from '../../../../lib/model/server/named.js'

const before = listVariables(
  named({ max_connections: '100', max_connect_errors: '10', gtid_slave_pos: '0-1-1', gone: 'x' }),
)
const after = listVariables(
  named({ max_connections: '200', max_connect_errors: '10', gtid_slave_pos: '0-1-9', report_password: 'hidden' }),
)

describe('compareListings', () => {
  it('prints what changed as a unified diff, without positions and passwords', () => {
    expect(renderDiff('db1:3306', compareListings(before, after)).split('\n')).to.deep.equal([
      ...['--- db1:3306', '+++ db1:3306'],
      ...['@@ -1 +0,0 @@', '-gone=x'],
      ...['@@ -3 +1,0 @@', '-max_connections=100', '@@ -3,0 +2 @@', '+max_connections=200'],
      ...['@@ -3,0 +3 @@', '+report_password=*:*'],
      '',
    ])
  })

  it('summarises it in one line', () => {
    expect(summarise(compareListings(before, after), 2)).to.equal('gone removed, max_connections 100 → 200 and 1 more')
    const plugins = [{ name: 'DISKS', status: 'ACTIVE', type: '', library: '' }]
    expect(summarise(compareListings([], listPlugins(plugins)), 8)).to.equal('plugin DISKS (new) ACTIVE')
  })

  it('finds nothing where nothing changed', () => {
    expect(compareListings(before, before)).to.deep.equal([])
  })
})
