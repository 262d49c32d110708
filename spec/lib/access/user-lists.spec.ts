// Users added and changed while the service runs: what becomes of one cluster's lists.
import { expect } from 'chai'
import { createAccess } from '../../../lib/access/access.js'
import {
  addUser,
  dropUser,
  grantsOf,
  replacePassword,
  type UserForm,
  type UserLists,
  updateUser,
} from '../../../lib/access/user-lists.js'
import { unwrap } from '../../../lib/base/result.js'
import { reveal, secret } from '../../../lib/base/secret.js'

const form = (part: Partial<UserForm>): UserForm => ({
  username: 'ann',
  password: 'pw',
  roles: '',
  grants: 'db',
  ...part,
})
const lists = (credentials: string, allow: string): UserLists => ({ credentials: secret(credentials), allow })
const textOf = ({ credentials, allow }: UserLists) => [reveal(credentials), allow]
const empty = lists('', '')

describe('the password of a user of api-credentials', () => {
  const both = { ...lists('ann:x,bob:y', 'ann:db:c1:'), fixed: secret('ann:first,carl:z') }

  it('is changed by no list of a cluster, where it would have no effect', () => {
    for (const refused of [
      updateUser(both, form({ password: 'new' }), 'c1'),
      addUser(both, form({ username: 'carl', password: 'new' }), 'c1'),
    ]) {
      expect(refused).to.have.nested.property('failure.code', 'wrong-state')
      expect(refused)
        .to.have.nested.property('failure.message')
        .that.matches(/in api-credentials: change it there/)
    }
  })

  it('leaves grants and roles to be changed, and users of other names', () => {
    for (const done of [
      updateUser(both, form({ password: '' }), 'c1'),
      addUser(both, form({ username: 'carl', password: '' }), 'c1'),
      updateUser(both, form({ username: 'bob', password: 'new' }), 'c1'),
    ])
      expect(done.ok).to.equal(true)
  })
})

describe('addUser', () => {
  it('writes a pair and an entry for the cluster', () => {
    const added = unwrap(addUser(lists('bob:x', 'bob:show:c1:'), form({ roles: 'dbops', grants: 'db  show' }), 'c1'))
    expect(textOf(added)).to.deep.equal(['bob:x,ann:pw', 'bob:show:c1:,ann:db show:c1:dbops'])
  })

  it('gives exactly what was asked for, on that cluster only', () => {
    const added = unwrap(addUser(empty, form({ grants: '', roles: 'extdbops' }), 'c1'))
    const access = createAccess({ ...added, discard: '' })
    const identity = { user: 'ann' }
    expect([
      access.may(identity, 'db-start', 'c1'),
      access.may(identity, 'cluster-failover', 'c1'),
      access.may(identity, 'db-start', 'c2'),
      access.login('ann', 'pw')?.user,
    ]).to.deep.equal([true, false, false, 'ann'])
  })

  it('takes a user without a password, who cannot log in with none', () => {
    const access = createAccess({ ...unwrap(addUser(empty, form({ password: '' }), 'c1')), discard: '' })
    expect([access.login('ann', ''), access.knows({ user: 'ann' })]).to.deep.equal([undefined, true])
  })

  it('takes colons and inner blanks in passwords', () => {
    const access = createAccess({ ...unwrap(addUser(empty, form({ password: 'a:b c' }), 'c1')), discard: '' })
    expect(access.login('ann', 'a:b c')?.user).to.equal('ann')
  })

  for (const [what, wrong, problem] of [
    ['a colon in the name', { username: 'a:b' }, /^username: has a colon, allowed are /],
    ['a name that every object has', { username: '__proto__' }, /^username: __proto__ is a reserved name/],
    ['a comma in the name', { username: 'a,b:c' }, /^username/],
    ['a blank in the name', { username: 'a b' }, /^username: has a blank, allowed are /],
    ['a name of 129 characters', { username: 'a'.repeat(129) }, /^username: has 129 characters, allowed are /],
    ['a comma in the password', { password: 'x,eve:y' }, /^password/],
    ['a line end in the password', { password: 'x\ny' }, /^password/],
    ['a blank at the end of the password', { password: 'x ' }, /^password/],
    ['an unknown role', { roles: 'dbop' }, /^roles: dbop is not a role; did you mean dbops\?$/],
    ['a role that is near none', { roles: 'dba' }, /^roles: dba is not a role; there are sysops, extsysops, dbops, /],
    ['an unknown grant', { grants: 'db nonsense' }, /^grants: nonsense is not a grant/],
    ['a star', { grants: '*' }, /^grants: \* is not a grant/],
    ['an entry within a word', { grants: 'db,eve:global' }, /^grants/],
  ] as const) {
    it(`refuses ${what}`, () => {
      const refused = addUser(empty, form(wrong), 'c1')
      expect(refused).to.have.nested.property('failure.code', 'bad-request')
      expect(refused).to.have.nested.property('failure.message').that.matches(problem)
    })
  }

  it('refuses a name that is taken', () => {
    expect(addUser(lists('ann:x', ''), form({}), 'c1')).to.have.nested.property('failure.code', 'user-exists')
  })
})

describe('updateUser', () => {
  const before = lists('bob:x,ann:old', 'ann:db:c1:,bob:show:c1:')

  it('replaces grants, and keeps the password when none is given', () => {
    const after = unwrap(updateUser(before, form({ password: '', grants: 'show' }), 'c1'))
    expect(textOf(after)).to.deep.equal(['bob:x,ann:old', 'bob:show:c1:,ann:show:c1:'])
  })

  it('replaces the password when one is given', () => {
    expect(reveal(unwrap(updateUser(before, form({ password: 'new' }), 'c1')).credentials)).to.equal('bob:x,ann:new')
  })

  it('refuses a user that was not added', () => {
    expect(updateUser(empty, form({}), 'c1')).to.have.nested.property('failure.code', 'unknown-user')
  })
})

describe('dropUser', () => {
  it('leaves nothing of it, and everything of the others', () => {
    const after = unwrap(dropUser(lists('ann:x,anna:y', 'ann:db:c1:,anna:db:c1:,ann:show:c2:'), 'ann'))
    expect(textOf(after)).to.deep.equal(['anna:y', 'anna:db:c1:'])
  })

  it('refuses a user that was not added', () => {
    expect(dropUser(lists('anna:y', ''), 'ann')).to.have.nested.property('failure.code', 'unknown-user')
  })
})

describe('grantsOf', () => {
  it('asks the roles only when no grants are named', () => {
    expect(grantsOf({ grants: 'show', roles: 'sysops' })).to.deep.equal(['show'])
    expect(grantsOf({ grants: '', roles: 'visitor' })).to.deep.equal(['show'])
    expect(grantsOf({ grants: '', roles: '' })).to.deep.equal([])
  })
})

describe('replacePassword', () => {
  const before = lists('bob:x,ann:old', 'bob:show:c1:,ann:db:c1:')
  const replace = (part: { readonly username?: string; readonly from?: string; readonly to?: string }) =>
    replacePassword(before, {
      username: part.username ?? 'ann',
      from: secret(part.from ?? 'old'),
      to: part.to ?? 'new',
    })

  it('gives the user another password and leaves the rest', () => {
    expect(textOf(unwrap(replace({})))).to.deep.equal(['bob:x,ann:new', 'bob:show:c1:,ann:db:c1:'])
  })

  for (const [what, part, code] of [
    ['a user whose password is another one by now', { from: 'older' }, 'unknown-token'],
    ['a user that is gone', { username: 'eve' }, 'unknown-token'],
    ['a password that would be two users', { to: 'x,eve:y' }, 'bad-request'],
  ] as const)
    it(`refuses ${what}`, () => expect(replace(part)).to.nested.include({ ok: false, 'failure.code': code }))
})
