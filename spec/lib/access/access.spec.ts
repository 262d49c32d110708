// What users may do, as the settings say it.
import { expect } from 'chai'
import { createAccess } from '../../../lib/access/access.js'
import { parseAcl } from '../../../lib/access/acl.js'
import { expandGrant, grants } from '../../../lib/access/grants.js'
import { secret } from '../../../lib/base/secret.js'

const access = (allow: string, discard = '', clusters = {}) =>
  createAccess({ credentials: secret('ann:1,bob:2,admin:repman,dba:repman'), allow, discard, clusters })

describe('expandGrant', () => {
  it('names each grant once', () => {
    expect(new Set(grants).size).to.equal(grants.length)
  })

  it('takes a word as the beginning of names', () => {
    expect(expandGrant('sale')).to.deep.equal(['sales-validate', 'sales-refuse', 'sales-unsubscribe'])
    expect(expandGrant('cluster-checksum')).to.deep.equal(['cluster-checksum', 'cluster-checksum-repair'])
    expect(expandGrant('show')).to.deep.equal(['show'])
  })

  it('gives nothing for a word that begins no grant, and all for a star', () => {
    expect(expandGrant('root')).to.deep.equal([])
    expect(expandGrant('')).to.deep.equal([])
    expect(expandGrant('*')).to.deep.equal(grants)
  })
})

describe('parseAcl', () => {
  it('tells clusters and roles apart in either order', () => {
    const [first, second] = parseAcl('ann:db:c1 c2:dbops, bob:db:dbops:c1')
    expect([...(first?.clusters ?? [])]).to.deep.equal(['c1', 'c2'])
    expect(first?.roles).to.deep.equal(['dbops'])
    expect([...(second?.clusters ?? [])]).to.deep.equal(['c1'])
    expect(second?.roles).to.deep.equal(['dbops'])
  })

  it('means every cluster when none is named', () => {
    expect(parseAcl('ann:db').map(({ clusters }) => [...clusters])).to.deep.equal([['*']])
  })

  it('skips what names no user', () => {
    expect(parseAcl(' ,:db,')).to.deep.equal([])
  })
})

describe('createAccess', () => {
  it('gives what the words of the entry begin', () => {
    const { may } = access('ann:db show')
    expect(may('ann', 'db-start', 'c1')).to.equal(true)
    expect(may('ann', 'show', '')).to.equal(true)
    expect(may('ann', 'cluster-failover', 'c1')).to.equal(false)
  })

  it('keeps an entry to its clusters, and off what belongs to none', () => {
    const { may, sees } = access('ann:db:c1')
    expect(may('ann', 'db-start', 'c1')).to.equal(true)
    expect(may('ann', 'db-start', 'c2')).to.equal(false)
    expect(may('ann', 'db-start', '')).to.equal(false)
    expect([sees('ann', 'c1'), sees('ann', 'c2')]).to.deep.equal([true, false])
  })

  it('joins the entries of a user', () => {
    const { may } = access('ann:db:c1,ann:show')
    expect(may('ann', 'show', 'c2')).to.equal(true)
    expect(may('ann', 'db-start', 'c2')).to.equal(false)
  })

  it('takes away exactly the grants that the discard list names', () => {
    const { may } = access('ann:cluster', 'ann:cluster-delete cluster-show')
    expect(may('ann', 'cluster-delete', 'c1')).to.equal(false)
    expect(may('ann', 'cluster-show-jobs', 'c1')).to.equal(true)
  })

  it("replaces the lists by a cluster's own", () => {
    const { may } = access('ann:db', '', { c2: { allow: 'bob:db' } })
    expect([may('ann', 'db-stop', 'c1'), may('ann', 'db-stop', 'c2')]).to.deep.equal([true, false])
    expect([may('bob', 'db-stop', 'c1'), may('bob', 'db-stop', 'c2')]).to.deep.equal([false, true])
  })

  it('gives the grants of the roles to an entry without grants', () => {
    const { may } = access('ann::*:dbops')
    expect(may('ann', 'db-start', 'c1')).to.equal(true)
    expect(may('ann', 'cluster-failover', 'c1')).to.equal(false)
  })

  it('gives nothing to a user who is in the list but has no password', () => {
    const { may, sees } = access('eve:db')
    expect([may('eve', 'db-start', 'c1'), sees('eve', 'c1')]).to.deep.equal([false, false])
  })

  it('gives nothing to names that objects have by themselves', () => {
    const { may } = access('__proto__:db,constructor:db')
    expect(may('__proto__', 'db-start', 'c1')).to.equal(false)
    expect(may('toString', 'db-start', 'constructor')).to.equal(false)
  })
})
