import { expect } from 'chai'
import { listMembers, mergeMembers, unseen } from '../../../../actors/cluster/state/members.js'
import { freshMemory } from '../../../../lib/model/memory.js'
import { defaultSettings } from '../../../../lib/settings/index.js'

const settings = defaultSettings({
  'db-servers-hosts': ['db1', 'db2:3307', '127.0.0.1:3306', '127.0.0.1:3307', '[::1]:3306'],
  'db-servers-prefered-master': ['db2:3307'],
  'db-servers-ignored-hosts': ['127.0.0.1:3307'],
  'replication-delayed-hosts': ['db1:3306'],
})

describe('listMembers', () => {
  const members = listMembers('alpha', settings, { ...freshMemory, maintenance: [] })

  it('names a server by its host where that is unique, by its address where it is not', () => {
    expect(members.map(({ name }) => name)).to.deep.equal(['db1', 'db2', '127.0.0.1:3306', '127.0.0.1:3307', '::1'])
  })

  it('rates and delays the servers that the settings list, in any spelling of their address', () => {
    expect(members.map(({ rating }) => rating)).to.deep.equal(['unrated', 'preferred', 'unrated', 'ignored', 'unrated'])
    expect(members.map(({ delaySeconds }) => delaySeconds)).to.deep.equal([3_600, 0, 0, 0, 0])
  })

  it('gives ids that other clusters do not have', () => {
    const others = listMembers('beta', settings, freshMemory)
    expect(new Set([...members, ...others].map(({ id }) => id)).size).to.equal(10)
    expect(members[0]?.id).to.match(/^db\d+$/)
  })
})

describe('mergeMembers', () => {
  it('keeps what is known of servers that stay, and forgets those that left', () => {
    const [first, second] = listMembers('alpha', settings, freshMemory)
    if (!first || !second) throw new Error('two members')
    const known = [{ ...unseen(first, freshMemory), failures: 3 }, unseen(second, freshMemory)]
    const merged = mergeMembers([{ ...first, rating: 'ignored' }], known, freshMemory)
    expect(merged).to.have.length(1)
    expect(merged[0]).to.include({ failures: 3, rating: 'ignored' })
  })
})
