import { expect } from 'chai'
import fc from 'fast-check'
import { type AccessLists, createAccess, grants, permitListChange } from '../../../lib/access/index.js'
import { secret } from '../../../lib/base/secret.js'

const lists = (credentials: string, allow: string, discard = ''): AccessLists => ({
  credentials: secret(credentials),
  allow,
  discard,
})
const boss = 'boss:secret'
const before = lists(
  `${boss},owner:secret,ann:secret`,
  'boss:cluster db prov grant show,owner:cluster-grant show:shop,ann:show:shop',
)
/** By a user of the lists as they are. */
const change = (after: AccessLists, by: string | undefined) => {
  const access = createAccess(before)
  const may = by === undefined ? undefined : (grant: string) => access.may({ user: by }, grant, 'shop')
  const permitted = permitListChange({ cluster: 'shop', before, after }, may)
  return permitted.ok ? 'permitted' : permitted.failure.code
}
const { allow } = before
const pairs = `${boss},owner:secret,ann:secret`

describe('permitListChange', () => {
  for (const [title, after, code] of [
    ['gives itself what it does not hold', lists(pairs, `${allow},owner:db:shop`), 'no-grant'],
    ['gives another user what it does not hold', lists(pairs, `${allow},ann:db-start:shop`), 'no-grant'],
    ['makes a user with more than it holds', lists(`${pairs},eve:x`, `${allow},eve:prov:shop`), 'no-grant'],
    ['makes such a user by a role', lists(`${pairs},eve:x`, `${allow},eve::shop:sysops`), 'no-grant'],
    ['shuts out who holds more, by its name', lists('owner:secret,ann:secret', allow), 'no-grant'],
    ['shuts out who holds more, by its grants', lists(pairs, 'owner:cluster-grant show:shop'), 'no-grant'],
    ['shuts out who holds more, by the list of what is discarded', lists(pairs, allow, 'boss:db-start'), 'no-grant'],
    ['takes over the password of who holds more', lists(`boss:mine,${pairs}`, allow), 'no-grant'],
    ['gives what it holds', lists(`${pairs},eve:x`, `${allow},eve:show:shop`), 'permitted'],
    ['takes what it holds', lists(pairs, 'boss:cluster db prov grant show,owner:cluster-grant show:shop'), 'permitted'],
    ['changes what concerns another cluster', lists(pairs, `${allow},ann:db:lab`), 'permitted'],
  ] as const)
    it(`judges a user who ${title}: ${code}`, () => {
      expect(change(after, 'owner')).to.equal(code)
    })

  it('keeps an administrator of the cluster, for every user', () => {
    const none = lists('ann:secret', 'ann:show:shop')
    expect(change(none, 'boss')).to.equal('last-administrator')
    expect(change(none, undefined)).to.equal('last-administrator')
    expect(change(lists(pairs, allow, 'boss:cluster-grant,owner:cluster-grant'), 'boss')).to.equal('last-administrator')
  })

  it('never leaves a user with a grant that neither it had nor who asked holds', () => {
    const words = fc.constantFrom('', 'db', 'cluster-grant', 'show', 'prov', 'grant-add', 'global', '*')
    const entry = fc
      .tuple(fc.constantFrom('boss', 'owner', 'ann', 'eve'), words, fc.constantFrom('', ':shop', ':*', ':lab'))
      .map(([user, word, places]) => `${user}:${word}${places}`)
    const list = fc.array(entry, { maxLength: 5 }).map((entries) => entries.join(','))
    const users = fc.subarray(['boss:secret', 'boss:other', 'owner:secret', 'ann:secret', 'eve:x'])
    fc.assert(
      fc.property(users, list, list, (pairs, allowed, discard) => {
        const after = lists(pairs.join(','), allowed, discard)
        if (change(after, 'owner') !== 'permitted') return
        const [old, next] = [createAccess(before), createAccess(after)]
        for (const user of ['boss', 'owner', 'ann', 'eve'])
          for (const grant of grants) {
            const [was, is] = [old, next].map((access) => access.may({ user }, grant, 'shop'))
            if (was !== is) expect(old.may({ user: 'owner' }, grant, 'shop'), `${user} ${grant}`).to.equal(true)
          }
        expect(next.login('boss', 'other'), 'the password of boss').to.equal(undefined)
      }),
      { numRuns: 500 },
    )
  })
})
