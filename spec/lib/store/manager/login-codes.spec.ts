// Codes for a login of several owners: those of one cluster leave others theirs.
import { expect } from 'chai'
import { type Holder, sharedBounds } from '../../../../lib/access/bound/index.js'
import { now } from '../../../../lib/base/time.js'
import { CODE_LIFE, makeLoginCode, spendLoginCode } from '../../../../lib/store/manager/login-codes.js'
import { newDirectory } from '../../../support/machine/directories.js'

const { perCluster, perUser } = sharedBounds.loginCodes

describe('makeLoginCode', () => {
  const at = now()
  const make = (directory: string, user: string, more: { cluster?: string; at?: number } = {}) => {
    const holder: Holder = {
      ...{ user, clusters: [more.cluster ?? 'a'], isGlobal: false },
      mayName: () => false,
    }
    return makeLoginCode(directory, { user, at: more.at ?? at, holder })
  }
  const fill = async (directory: string) => {
    const all = Array.from({ length: 2 * perCluster }, (_, index) => `user-${index % (perCluster / perUser + 1)}`)
    let made = 0
    for (const user of all) if ((await make(directory, user)).ok) made += 1
    return made
  }

  it('gives the users of one cluster a part, and leaves the rest to others and to the machine', async () => {
    const directory = newDirectory('codes')
    expect(await fill(directory)).to.equal(perCluster)
    const refused = await make(directory, 'late')
    expect(refused.ok ? '' : refused.failure.message).to.match(/^unused codes for a login: a has all 20 of one cluster/)
    expect((await make(directory, 'bob', { cluster: 'b' })).ok).to.equal(true)
    expect((await makeLoginCode(directory, { user: 'admin', at })).ok).to.equal(true)
  })

  it('counts no code that was used or has expired', async () => {
    const directory = newDirectory('codes')
    const first = await make(directory, 'eve')
    for (let count = 1; count < perUser; count += 1) await make(directory, 'eve')
    expect((await make(directory, 'eve')).ok).to.equal(false)
    if (!first.ok) throw new Error(first.failure.message)
    expect((await spendLoginCode(directory, first.value.secret, at))?.user).to.equal('eve')
    expect((await make(directory, 'eve')).ok).to.equal(true)
    expect((await make(directory, 'eve', { at: at + CODE_LIFE })).ok).to.equal(true)
  })
})
