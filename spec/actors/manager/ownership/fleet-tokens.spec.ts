// API tokens of two instances on a real etcd: what one does holds at the other, and nothing is reported as done that is not.
import { copyFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { FleetTokens } from '../../../../actors/manager/ownership/fleet-tokens.js'
import { unwrap } from '../../../../lib/base/result.js'
import type { Etcd } from '../../../../lib/lease/index.js'
import { ApiTokens, type NewToken } from '../../../../lib/store/index.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { EtcdServer } from '../../../support/machine/etcd.js'

const request: NewToken = { user: 'ann', label: 'report', grants: [], clusters: [], createdFrom: '10.0.0.1' }

describe('FleetTokens', () => {
  let server: EtcdServer
  let etcd: Etcd
  let fleets = 0
  before(async () => {
    server = await EtcdServer.create()
    etcd = server.client()
  })
  after(async () => {
    etcd?.close()
    await server?.end()
  })

  const open = async (file: string, prefix: string) => {
    const { tokens } = await ApiTokens.open(file)
    const common = new FleetTokens({ etcd, prefix, tokens, log: () => undefined })
    tokens.share(common)
    return { file, tokens, common }
  }
  const newFile = () => path.join(newDirectory('tokens'), 'api-tokens.json')
  const openTwo = async () => {
    fleets += 1
    const prefix = `/fleet${fleets}`
    return { prefix, one: await open(newFile(), prefix), two: await open(newFile(), prefix) }
  }

  it('a token that one instance creates is valid at the other, and ends at both when that revokes it', async () => {
    const { one, two } = await openTwo()
    const { record, token } = unwrap(await one.tokens.issue(request))
    unwrap(await two.common.refresh())
    expect(two.tokens.find(token)).to.include({ id: record.id, user: 'ann' })
    expect(unwrap(await two.tokens.revoke(record.id, 'boss'))).to.include({ revokedBy: 'boss' })
    unwrap(await one.common.refresh())
    expect(one.tokens.find(token)).to.include({ revokedBy: 'boss' })
  })

  it('limits of two instances at once hold both, also when the second does not know the first yet', async () => {
    const { one, two } = await openTwo()
    const { record } = unwrap(await one.tokens.issue({ ...request, clusters: ['c1', 'c2', 'c3'] }))
    unwrap(await two.common.refresh())
    const cut = [
      one.tokens.cutOff('ann', 'c1', { others: [], by: 'x' }),
      two.tokens.cutOff('ann', 'c2', { others: [], by: 'y' }),
    ]
    for (const done of await Promise.all(cut)) unwrap(done)
    for (const { common, tokens } of [one, two]) {
      unwrap(await common.refresh())
      expect(tokens.get(record.id)?.clusters).to.deep.equal(['c3'])
    }
  })

  it('brings in what an instance has in its file, and never what another one revoked', async () => {
    const { prefix, one } = await openTwo()
    const file = newFile()
    const before = (await ApiTokens.open(file)).tokens
    const kept = unwrap(await before.issue(request))
    const revoked = unwrap(await before.issue(request))
    await before.close()
    const copy = newFile()
    await copyFile(file, copy)
    const first = await open(file, prefix)
    unwrap(await first.common.refresh())
    unwrap(await first.tokens.revoke(revoked.record.id, 'boss'))
    const late = await open(copy, prefix)
    expect(late.tokens.find(revoked.token)).to.not.have.property('revokedAt')
    unwrap(await late.common.refresh())
    unwrap(await one.common.refresh())
    for (const { tokens } of [first, late, one]) {
      expect(tokens.find(kept.token)).to.not.have.property('revokedAt')
      expect(tokens.find(revoked.token)).to.include({ revokedBy: 'boss' })
    }
  })

  it('refuses to create and revoke while etcd does not answer, goes on with what was known, and learns the rest later', async () => {
    const { one, two, prefix } = await openTwo()
    const { record, token } = unwrap(await one.tokens.issue(request))
    unwrap(await two.common.refresh())
    const other = unwrap(await one.tokens.issue(request))
    await server.end()
    for (const refused of [
      await two.tokens.issue(request),
      await two.tokens.revoke(record.id, 'boss'),
      await two.tokens.cutOff('ann', 'c1', { others: [], by: 'boss' }),
    ])
      expect(!refused.ok && refused.failure.code).to.equal('store-unreachable')
    const again = await open(two.file, prefix)
    for (const { tokens } of [two, again]) {
      expect(tokens.find(token)).to.include({ id: record.id }).and.not.have.property('revokedAt')
      expect(tokens.list()).to.have.length(1)
    }
    await server.start()
    unwrap(await two.common.refresh())
    expect(two.tokens.find(other.token)).to.include({ id: other.record.id })
    expect(unwrap(await two.tokens.revoke(record.id, 'boss'))).to.include({ revokedBy: 'boss' })
  })
})
