import { expect } from 'chai'
import { judgeLists } from '../../../../lib/decide/watching/listed-hosts.js'

const servers = [
  { name: 'db1', host: 'db1', port: 3306 },
  { name: 'db2', host: 'db2', port: 3307 },
]
const judge = (preferred: readonly string[], ignored: readonly string[]) =>
  judgeLists({ 'db-servers-prefered-master': preferred, 'db-servers-ignored-hosts': ignored }, servers)

describe('judgeLists', () => {
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
