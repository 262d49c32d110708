// The id of a recovery of all servers names what a person decides on, and nothing that changes meanwhile.
import { expect } from 'chai'
import { planIdOf } from '../../../../lib/decide/backup/cluster-recovery.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'

const server = (id: string) => ({ id, name: id }) as ServerSnapshot
const servers = { primary: server('db1'), others: [server('db3'), server('db2')] }
const point = { backup: 17, position: '0-1-90', last: { gtid: '0-1-90', at: 1_000 } }

describe('the id of a recovery of all servers', () => {
  it('names cluster, backup, last transaction and servers, in any order of the replicas', () => {
    expect(planIdOf('shop', point, servers)).to.equal('pitr/shop/17/0-1-90/db1+db2+db3')
    expect(planIdOf('shop', point, { ...servers, others: servers.others.toReversed() })).to.equal(
      planIdOf('shop', point, servers),
    )
  })

  it('is another one for another point, backup, primary or server', () => {
    const ids = [
      planIdOf('shop', point, servers),
      planIdOf('shop', { ...point, backup: 18 }, servers),
      planIdOf('shop', { ...point, last: { gtid: '0-1-91', at: 1_000 } }, servers),
      planIdOf('shop', point, { primary: server('db2'), others: [server('db1'), server('db3')] }),
      planIdOf('shop', point, { ...servers, others: [server('db2')] }),
    ]
    expect(new Set(ids).size).to.equal(ids.length)
  })
})
