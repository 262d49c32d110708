// Who asks for a need: the host of the service, or a person or another machine, after which nothing would act.
import { expect } from 'chai'
import { type Asking, createHostCheck } from '../../../../actors/manager/delivery/host-request.js'

describe('createHostCheck', () => {
  const asked: string[] = []
  const isHosts = createHostCheck(async (name) => {
    asked.push(name)
    return name === 'db1.example.net' ? ['192.0.2.1', '2001:db8::1'] : ['127.0.0.1']
  })
  const check = (by: Partial<Asking>, { host = 'db1.example.net', networks = [] as readonly string[] } = {}) =>
    isHosts({
      ...{ cluster: 'shop', host, hosts: ['db1.example.net', 'here.example.net', '192.0.2.7'], networks },
      by: { user: '', address: '192.0.2.1', ...by },
    })

  for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '2001:DB8::1'])
    it(`takes ${address} for an address of its host`, async () => {
      expect(await check({ address })).to.equal(true)
    })

  it('takes no other address for it, unless it is of a network that is stated for hosts', async () => {
    expect(await check({ address: '192.0.2.2' })).to.equal(false)
    expect(await check({ address: '192.0.2.2' }, { networks: ['192.0.2.0/24'] })).to.equal(true)
    expect(await check({ address: '198.51.100.9' }, { networks: ['192.0.2.0/24'] })).to.equal(false)
    expect(await check({ address: '192.0.2.1' }, { networks: ['198.51.100.0/24'] })).to.equal(true)
    expect(await check({ address: '192.0.2.7' }, { host: '192.0.2.7' })).to.equal(true)
  })

  it('takes a person who has logged in for no host, and an API token for a program', async () => {
    expect(await check({ user: 'ann' })).to.equal(false)
    expect(await check({ user: 'ann' }, { networks: ['192.0.2.0/24'] })).to.equal(false)
    expect(await check({ user: 'ann', apiToken: 't1' })).to.equal(true)
  })

  it('takes every address of the machine of the manager for one', async () => {
    expect(await check({ address: '::1' }, { host: 'here.example.net' })).to.equal(true)
    expect(await check({ address: '192.0.2.1' }, { host: 'here.example.net' })).to.equal(false)
  })

  it('has resolved each name once', () => {
    expect(asked.sort()).to.deep.equal(['db1.example.net', 'here.example.net'])
  })

  it('takes nobody for a host whose name has no address', async () => {
    const none = createHostCheck(() => Promise.reject(new Error('ENOTFOUND')))
    const question = { cluster: 'shop', host: 'db9.example.net', hosts: ['db9.example.net'], networks: [] }
    expect(await none({ ...question, by: { user: '', address: '192.0.2.1' } })).to.equal(false)
  })
})
