// API tokens on disk: what survives, what is never written, and what is forgotten.
import { readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { sharedBounds } from '../../../../lib/access/bound/index.js'
import { unwrap } from '../../../../lib/base/result.js'
import { DAY, now } from '../../../../lib/base/time.js'
import { ApiTokens, type NewToken } from '../../../../lib/store/manager/api-tokens.js'
import { newDirectory } from '../../../support/machine/directories.js'

const request: NewToken = {
  user: 'ann',
  label: 'report',
  grants: ['db-show'],
  clusters: ['c1'],
  createdFrom: '10.0.0.1',
}

describe('ApiTokens', () => {
  let file: string
  beforeEach(() => {
    file = path.join(newDirectory('tokens'), 'api-tokens.json')
  })
  const open = async () => (await ApiTokens.open(file)).tokens

  it('finds a token by its text, also after a restart, and writes no text', async () => {
    const { record, token } = unwrap(await (await open()).issue(request))
    expect(token).to.match(/^mat_[\w-]{43}$/)
    expect(record.id).to.match(/^[0-9a-f]{24}$/)
    expect((await open()).find(token)).to.include({ id: record.id, label: 'report' })
    expect(await readFile(file, 'utf8')).to.not.include(token.slice(4))
    expect((await stat(file)).mode & 0o777).to.equal(0o600)
  })

  it('finds nothing for another text', async () => {
    const tokens = await open()
    const { token } = unwrap(await tokens.issue(request))
    for (const text of ['', 'mat_', `${token}x`, token.slice(0, -1), token.toUpperCase(), token.slice(4)])
      expect(tokens.find(text), text).to.equal(undefined)
  })

  it('keeps a revocation over a restart, with who did it', async () => {
    const tokens = await open()
    const { record, token } = unwrap(await tokens.issue(request))
    expect(unwrap(await tokens.revoke(record.id, 'boss'))).to.include({ revokedBy: 'boss' })
    expect((await open()).find(token)?.revokedAt).to.be.a('number')
    expect(unwrap(await tokens.revoke(record.id, 'other'))).to.include({ revokedBy: 'boss' })
  })

  it('cuts a cluster off from the tokens of a name, also after a restart, and from no others', async () => {
    const tokens = await open()
    const make = async (change: Partial<NewToken>) => unwrap(await tokens.issue({ ...request, ...change })).record.id
    const ids = [
      await make({ clusters: ['c1'] }),
      await make({ clusters: ['c1', 'c2'] }),
      await make({ clusters: [] }),
      await make({ clusters: ['c2'] }),
      await make({ user: 'bob', clusters: [] }),
    ]
    unwrap(await tokens.cutOff('ann', 'c1', { others: ['c3'], by: 'boss' }))
    for (const store of [tokens, await open()]) {
      const left = ids.map((id) => store.get(id))
      expect(left[0]).to.include({ revokedBy: 'boss' })
      expect(left.slice(1).map((token) => token?.clusters)).to.deep.equal([['c2'], ['c3'], ['c2'], []])
      expect(left.slice(1).map((token) => token?.revokedAt)).to.deep.equal([undefined, undefined, undefined, undefined])
    }
  })

  it('are bounded for a user of a cluster: not for one of that name in another, and expired ones do not count', async () => {
    const live = await make(sharedBounds.apiTokens.perUser)
    const full = await live.issue(request)
    expect(full.ok ? '' : full.failure.message).to.match(/^API tokens: ann has all 200 of one user in c1; revoke some/)
    expect((await live.issue({ ...request, clusters: ['c2'] })).ok, 'another cluster').to.equal(true)
    const expired = await make(sharedBounds.apiTokens.perUser, { expiresAt: now() - DAY })
    expect((await expired.issue(request)).ok).to.equal(true)
  })

  const make = async (count: number, change: object = {}) => {
    const store = await open()
    const tokens = Array.from({ length: count }, (_, index) => ({
      ...{ ...request, createdAt: now(), ...change },
      ...{ id: `${index}`.padStart(24, '0'), hash: `${index}` },
    }))
    await store.adopt(tokens)
    return store
  }

  it('revokes what reached every cluster where no other knows the name', async () => {
    const tokens = await open()
    const { record } = unwrap(await tokens.issue({ ...request, clusters: [] }))
    unwrap(await tokens.cutOff('ann', 'c1', { others: [], by: 'boss' }))
    expect(tokens.get(record.id)).to.include({ revokedBy: 'boss' })
  })

  it('waits a day for an owner that is gone, also over restarts, and is nothing to a later one of that name', async () => {
    const tokens = await open()
    const { record } = unwrap(await tokens.issue(request))
    const other = unwrap(await tokens.issue({ ...request, user: 'bob' })).record
    const start = Date.now()
    const exceptBob = (user: string) => user === 'bob'
    const everyUser = () => true
    tokens.noteOwners(exceptBob, start)
    tokens.noteOwners(everyUser, start + DAY)
    expect(tokens.get(record.id)).to.not.have.any.keys('ownerGoneAt', 'revokedAt')
    tokens.noteOwners(exceptBob, start)
    tokens.noteOwners(exceptBob, start + DAY)
    await tokens.close()
    const later = await open()
    later.noteOwners(everyUser, start + DAY + 1)
    await later.close()
    for (const store of [later, await open()]) {
      expect(store.get(record.id)).to.include({ revokedAt: start + DAY + 1 })
      expect(store.get(other.id)).to.not.have.property('revokedAt')
    }
  })

  it('names an id that does not exist', async () => {
    expect(await (await open()).revoke('none', 'ann')).to.have.nested.property('failure.code', 'unknown-token')
  })

  it('writes the last use at its end', async () => {
    const tokens = await open()
    const { record, token } = unwrap(await tokens.issue(request))
    tokens.used(record.id, '10.0.0.9')
    await tokens.close()
    expect((await open()).find(token)).to.include({ lastUsedFrom: '10.0.0.9' })
  })

  it('reads the last good copy of a damaged file, and says so', async () => {
    const tokens = await open()
    const first = unwrap(await tokens.issue(request))
    unwrap(await tokens.issue(request))
    await writeFile(file, '{"version":1,"value":[{"id"')
    const again = await ApiTokens.open(file)
    expect(again.damage.join()).to.include(file)
    expect(again.tokens.find(first.token)).to.include({ id: first.record.id })
  })

  it('forgets what has been dead for ninety days', async () => {
    const tokens = await open()
    unwrap(await tokens.issue({ ...request, expiresAt: Date.now() - 91 * DAY }))
    unwrap(await tokens.issue({ ...request, expiresAt: Date.now() - 89 * DAY }))
    unwrap(await tokens.issue(request))
    expect(tokens.list()).to.have.length(2)
  })

  it('refuses one user more than 200', async () => {
    const tokens = await open()
    await Promise.all(Array.from({ length: 200 }, () => tokens.issue(request)))
    expect(await tokens.issue(request)).to.have.nested.property('failure.code', 'bound-reached')
    expect((await tokens.issue({ ...request, user: 'bob' })).ok).to.equal(true)
  })

  it('gives no token that it could not keep', async () => {
    const { tokens } = await ApiTokens.open(path.join(file, 'no-such', 'api-tokens.json'))
    expect(await tokens.issue(request)).to.have.nested.property('failure.code', 'file-unwritable')
    expect(tokens.list()).to.deep.equal([])
  })
})
