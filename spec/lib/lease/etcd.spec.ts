// The client on a real etcd: transactions, leases, watches, logins, members that are away.

import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../../lib/base/result.js'
import { ClusterCopy, Etcd, fetchCopy, ownerKey, restoreCopy } from '../../../lib/lease/index.js'
import { newDirectory } from '../../support/machine/directories.js'
import { EtcdServer } from '../../support/machine/etcd.js'
import { freePorts } from '../../support/machine/ports.js'
import { eventually } from '../../support/wait.js'

describe('Etcd', () => {
  let server: EtcdServer
  let etcd: Etcd
  before(async () => {
    server = await EtcdServer.create()
    etcd = server.client()
  })
  after(async () => {
    etcd?.close()
    await server?.end()
  })

  it('writes only while every condition holds, and numbers each creation higher', async () => {
    const put = { type: 'put', key: '/c/a', value: 'é 1' } as const
    const first = unwrap(await etcd.commit([{ key: '/c/a', created: 0 }], [put]))
    expect(first.done).to.equal(true)
    expect(unwrap(await etcd.commit([{ key: '/c/a', created: 0 }], [put])).done).to.equal(false)
    const [stored] = unwrap(await etcd.range('/c/'))
    expect(stored).to.include({ key: '/c/a', value: 'é 1', created: first.revision })
    const held = [{ key: '/c/a', created: first.revision }]
    expect(unwrap(await etcd.commit(held, [{ type: 'delete', key: '/c/a' }])).done).to.equal(true)
    expect(unwrap(await etcd.range('/c/'))).to.deep.equal([])
    expect(unwrap(await etcd.commit([{ key: '/c/a', created: 0 }], [put])).revision).to.be.above(first.revision)
  })

  it('drops the keys of a lease that ended, says so at its next renewal, and calls who watches them', async () => {
    const lease = unwrap(await etcd.grant(60))
    unwrap(await etcd.commit([], [{ type: 'put', key: '/w/a', value: '1', lease }]))
    let changes = 0
    const watcher = server.client()
    void watcher.watch('/w/', () => {
      changes += 1
    })
    await eventually(() => changes > 0, 'the watch has begun')
    expect(unwrap(await etcd.renew(lease))).to.equal(true)
    const before = changes
    unwrap(await etcd.revoke(lease))
    await eventually(() => changes > before, 'the end is seen')
    watcher.close()
    expect(unwrap(await etcd.range('/w/'))).to.deep.equal([])
    expect(unwrap(await etcd.renew(lease))).to.equal(false)
  })

  it('asks the next member when one does not answer, and names the last when none does', async () => {
    const [closed = 0] = await freePorts(1)
    const away = `http://127.0.0.1:${closed}`
    const both = new Etcd({ endpoints: [away, server.endpoint], user: '', password: '' })
    expect((await both.range('/none/')).ok).to.equal(true)
    both.close()
    const many = new Etcd({ endpoints: [away, server.endpoint], user: '', password: '' })
    const replies = await Promise.all(Array.from({ length: 8 }, () => many.range('/none/')))
    expect(replies.map((reply) => reply.ok)).to.deep.equal(replies.map(() => true))
    many.close()
    const none = new Etcd({ endpoints: [away], user: '', password: '' })
    const reply = await none.range('/none/')
    expect(!reply.ok && reply.failure.code).to.equal('store-unreachable')
    expect(!reply.ok && reply.failure.message).to.include(away)
    none.close()
  })

  it('keeps of a cluster what its owner wrote, and nothing of one who is no longer the owner', async () => {
    const key = ownerKey('/f', 'shop')
    const own = async () =>
      unwrap(await etcd.commit([{ key, created: 0 }], [{ type: 'put', key, value: '{}' }])).revision
    const place = { etcd, prefix: '/f', cluster: 'shop', pieces: 0, isOwner: () => true }
    const first = await own()
    const copy = new ClusterCopy({ ...place, token: first })
    unwrap(await copy.put('state.json', '{"version":1}'))
    copy.append('{"type":"begin"}\n{"type":"sta')
    unwrap(await copy.flush())
    unwrap(await etcd.commit([], [{ type: 'delete', key }]))
    const second = await own()
    const late = await copy.put('state.json', 'late')
    expect(!late.ok && late.failure.code).to.equal('not-owner')
    copy.append('late\n')
    expect((await copy.flush()).ok).to.equal(false)
    const next = new ClusterCopy({ ...place, token: second })
    next.append('{"type":"end"}\n')
    unwrap(await next.flush())
    const left = unwrap(await fetchCopy(etcd, '/f', 'shop'))
    expect(left?.journal).to.equal('{"type":"begin"}\n{"type":"sta\n{"type":"end"}\n')
    expect([left?.pieces(first), left?.pieces(second), left?.pieces(second + 1)]).to.deep.equal([1, 1, 0])
    const directory = newDirectory('copy')
    if (left) unwrap(await restoreCopy(directory, left, next))
    expect(readFileSync(path.join(directory, 'state.json'), 'utf8')).to.equal('{"version":1}')
    expect(readFileSync(path.join(directory, 'journal.jsonl'), 'utf8')).to.equal(left?.journal)
  })

  /** How often an instance logs in that makes so many calls at once. */
  const loginsOf = async (calls: number): Promise<number> => {
    let logins = 0
    const gate = createServer((client) => {
      const member = connect(Number(new URL(server.endpoint).port), '127.0.0.1')
      client.on('data', (bytes) => {
        logins += bytes.toString().split('/v3/auth/authenticate').length - 1
      })
      for (const socket of [client, member]) socket.on('error', () => undefined)
      client.pipe(member).pipe(client)
    })
    await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve))
    const { port } = gate.address() as AddressInfo
    const many = new Etcd({ endpoints: [`http://127.0.0.1:${port}`], user: 'manager', password: 'secret' })
    const replies = await Promise.all(Array.from({ length: calls }, () => many.range('/none/')))
    expect(replies.every(({ ok }) => ok)).to.equal(true)
    many.close()
    gate.close()
    return logins
  }

  it('logs in where etcd asks for it, once for all calls, again when its login has expired, and is refused with a wrong password', async () => {
    await server.withLogin('manager', 'secret', async () => {
      const known = server.client('manager', 'secret')
      expect((await known.range('/none/')).ok).to.equal(true)
      known.close()
      const wrong = server.client('manager', 'wrong')
      expect((await wrong.range('/none/')).ok).to.equal(false)
      wrong.close()
      const nobody = server.client()
      expect((await nobody.range('/none/')).ok).to.equal(false)
      nobody.close()
      expect(await loginsOf(12)).to.equal(1)
    })
  })
})
