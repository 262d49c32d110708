import { expect } from 'chai'
import { judgeLists } from '../../../../lib/decide/watching/listed-hosts.js'

const servers = [
  { name: 'db1', host: 'db1', port: 3306 },
  { name: 'db2', host: 'db2', port: 3307 },
]
const judge = (preferred: readonly string[], ignored: readonly string[], pairs: readonly string[] = []) =>
  judgeLists(
    { 'db-servers-prefered-master': preferred, 'db-servers-ignored-hosts': ignored, 'replication-hosts': pairs },
    servers,
  )

describe('judgeLists', () => {
  it('knows pairs of replication-hosts by the host of a member, with its port or without, and names the others', () => {
    const pairs = ['db1=10.1.0.1', 'DB2=10.1.0.2:3306', 'db2:3307=10.1.0.2', 'db2:3306=10.1.0.2', 'db9=10.1.0.9']
    expect(judge([], [], pairs)).to.deep.equal([
      { code: 'ERR00194', detail: 'db2:3306=10.1.0.2, db9=10.1.0.9 names no server of the cluster.' },
    ])
  })

  it('knows members by their name and by their address', () => {
    expect(judge(['db1', 'db2:3307'], ['db1:3306', 'db2'])).to.deep.equal([])
  })

  it('names what is no member, by list', () => {
    expect(judge(['db3'], ['db1', 'db2:3306'])).to.deep.equal([
      { code: 'ERR00059', detail: 'db2:3306.' },
      { code: 'ERR00074', detail: 'db3.' },
    ])
  })
})
