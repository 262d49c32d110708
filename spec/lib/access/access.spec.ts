// What users may do, as the settings say it.
import { expect } from 'chai'
import { createAccess } from '../../../lib/access/access.js'
import { parseAcl } from '../../../lib/access/acl.js'
import { expandGrant, grants } from '../../../lib/access/grants.js'
import { secret } from '../../../lib/base/secret.js'

const configured = (allow: string, discard = '', clusters = {}) =>
  createAccess({ credentials: secret('ann:1,bob:2,admin:repman,dba:repman'), allow, discard, clusters })

/** The same, asked by name. */
const access = (...lists: Parameters<typeof configured>) => {
  const { may, sees } = configured(...lists)
  return {
    may: (user: string, grant: string, cluster: string) => may({ user }, grant, cluster),
    sees: (user: string, cluster: string) => sees({ user }, cluster),
  }
}

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
  it('distinguishes clusters and roles in either order', () => {
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

  it('gives nothing to names that objects inherit', () => {
    const { may } = access('__proto__:db,constructor:db')
    expect(may('__proto__', 'db-start', 'c1')).to.equal(false)
    expect(may('toString', 'db-start', 'constructor')).to.equal(false)
  })

  describe('with clusters that have separate credentials', () => {
    const { login, find, knows, isShipped, shipped, may, sees } = configured('ann:db,eve:db', '', {
      c2: { credentials: secret('ann:other,eve:3,sso:'), allow: 'ann:db,eve:db,sso:show' },
    })
    const as = (user: string, password: string) => {
      const identity = login(user, password)
      if (!identity) throw new Error(`${user} cannot log in`)
      return identity
    }

    it('lets the users of any cluster log in, and no one else', () => {
      expect(login('eve', '3')).to.have.property('user', 'eve')
      expect([login('eve', '1'), login('sso', ''), login('mallory', '3')]).to.deep.equal([
        undefined,
        undefined,
        undefined,
      ])
    })

    it('opens to a password the clusters where it is the right one', () => {
      const [shared, own] = [as('ann', '1'), as('ann', 'other')]
      expect([may(shared, 'db-start', 'c1'), may(shared, 'db-start', 'c2')]).to.deep.equal([true, false])
      expect([may(own, 'db-start', 'c1'), may(own, 'db-start', 'c2')]).to.deep.equal([false, true])
      expect([sees(own, 'c1'), sees(own, 'c2')]).to.deep.equal([false, true])
    })

    it('knows a user without a password, who logs in elsewhere', () => {
      expect(may({ user: 'sso' }, 'show', 'c2')).to.equal(true)
    })

    it('finds users of the service only', () => {
      expect([find('ann')?.user, find('eve'), find('nobody')]).to.deep.equal(['ann', undefined, undefined])
    })

    it('forgets an identity whose password has changed', () => {
      const before = as('ann', '1')
      const after = createAccess({ credentials: secret('ann:new'), allow: 'ann:db', discard: '' })
      expect([knows(before), after.knows(before), after.knows({ user: 'ann' })]).to.deep.equal([true, false, true])
    })

    it('names who still has a shipped password', () => {
      expect([...shipped]).to.deep.equal(['admin', 'dba'])
      expect([isShipped(as('admin', 'repman')), isShipped({ user: 'dba' }), isShipped({ user: 'ann' })]).to.deep.equal([
        true,
        true,
        false,
      ])
    })
  })
})
