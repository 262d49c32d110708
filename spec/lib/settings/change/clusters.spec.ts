import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { addCluster, removeCluster } from '../../../../lib/settings/index.js'
import { ground } from '../../../support/configuration/configuration.js'

const text = '[Default]\nfailover-limit = 3\n[alpha]\ndb-servers-hosts = "db1,db2"\n[beta]\ndb-servers-hosts = "db3"\n'
const failure = (code: string, message: RegExp) => (result: unknown) => {
  expect(result).to.have.nested.property('failure.code', code)
  expect(result).to.have.nested.property('failure.message').that.matches(message)
}

describe('addCluster', () => {
  it('makes a cluster with its first values', async () => {
    const before = await ground(text).configuration()
    const { clusters } = unwrap(addCluster(before, 'gamma', { 'db-servers-hosts': 'h1', 'failover-limit': 7 }))
    expect(clusters.get('gamma')?.settings['db-servers-hosts']).to.deep.equal(['h1'])
    expect(clusters.get('gamma')?.settings['failover-limit']).to.equal(7)
    expect(before.clusters.has('gamma')).to.equal(false)
  })

  for (const [title, name, values, code, message] of [
    ['a name that exists', 'alpha', {}, 'cluster-exists', /alpha/],
    ['a name that leaves the working directory', '../alpha', {}, 'bad-name', /allowed: letters/],
    ['a name that is an address of the API', 'actions', {}, 'bad-name', /actions/],
    ['a wrong value', 'gamma', { 'log-level': 'x' }, 'wrong-value', /log-level/],
  ] as const)
    it(`refuses ${title}`, async () => {
      failure(code, message)(addCluster(await ground(text).configuration(), name, values))
    })
})

describe('removeCluster', () => {
  it('takes the cluster out and leaves the others', async () => {
    const before = await ground(text).configuration()
    const after = unwrap(removeCluster(before, 'alpha'))
    expect([...after.clusters.keys()]).to.deep.equal(['beta'])
    failure('unknown-cluster', /alpha/)(removeCluster(after, 'alpha'))
  })

  it('lets a reload not bring it back', async () => {
    const place = ground(text)
    const running = unwrap(removeCluster(await place.configuration(), 'alpha'))
    expect([...(await place.configuration({ running })).clusters.keys()]).to.deep.equal(['beta'])
    expect([...(await place.configuration()).clusters.keys()]).to.deep.equal(['alpha', 'beta'])
  })
})
