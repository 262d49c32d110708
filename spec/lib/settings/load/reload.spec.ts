import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import type { Configuration } from '../../../../lib/settings/configuration/configuration.js'
import { changedSettings, changeSetting } from '../../../../lib/settings/index.js'
import { adoptCluster } from '../../../../lib/settings/load/reload.js'
import { ground } from '../../../support/configuration/configuration.js'

describe('carryOver', () => {
  const text = '[Default]\n[alpha]\nfailover-limit = 3\n'
  const change = { scope: 'alpha', name: 'failover-limit', value: 9 }

  it('keeps a change that lasts until restart while the file says what it said', async () => {
    const place = ground(text)
    const running = unwrap(changeSetting(await place.configuration(), change)).configuration
    const reloaded = await place.configuration({ running })
    expect(reloaded.clusters.get('alpha')?.settings['failover-limit']).to.equal(9)
  })

  it('drops it when the file says something new', async () => {
    const place = ground(text)
    const running = unwrap(changeSetting(await place.configuration(), change)).configuration
    place.write('config.toml', text.replace('3', '4'))
    const reloaded = await place.configuration({ running })
    expect(reloaded.clusters.get('alpha')?.settings['failover-limit']).to.equal(4)
  })

  it('leaves the running configuration alone when the file is broken', async () => {
    const place = ground(text)
    const running = await place.configuration()
    place.write('config.toml', text.replace('3', '"many"'))
    expect((await place.load({ running })).ok).to.equal(false)
    expect(running.clusters.get('alpha')?.settings['failover-limit']).to.equal(3)
  })
})

describe('adoptCluster', () => {
  const text = '[Default]\nlog-level = 2\n[alpha]\nfailover-limit = 3\n[beta]\nfailover-limit = 3\n'
  const limits = ({ clusters, server }: Configuration) => [
    clusters.get('alpha')?.settings['failover-limit'],
    clusters.get('beta')?.settings['failover-limit'],
    clusters.get('alpha')?.settings['log-level'],
    server.settings['log-level'],
  ]

  it('puts in force what the files say of that cluster: nothing of others, of the server and of defaults', async () => {
    const place = ground(text)
    const running = await place.configuration()
    place.write('config.toml', `${text.replaceAll('= 3', '= 7').replace('= 2', '= 4')}[gamma]\n`)
    const loaded = await place.configuration({ running })
    expect(limits(loaded)).to.deep.equal([7, 7, 4, 4])
    const adopted = unwrap(adoptCluster(running, loaded, 'alpha'))
    expect(limits(adopted)).to.deep.equal([7, 3, 2, 2])
    expect([...adopted.clusters.keys()]).to.deep.equal(['alpha', 'beta'])
  })

  it('ends no cluster that the files no longer have', async () => {
    const place = ground(text)
    const running = await place.configuration()
    place.write('config.toml', '[Default]\n[beta]\n')
    const loaded = await place.configuration({ running })
    expect(adoptCluster(running, loaded, 'alpha')).to.have.nested.property('failure.code', 'no-grant')
  })
})

describe('changedSettings', () => {
  it('names what a reload changed, lists and secrets by their content', async () => {
    const place = ground('[Default]\n[alpha]\ndb-servers-hosts = "a,b"\ndb-servers-credential = "u:p"\n')
    const before = (await place.configuration()).server.settings
    const alpha = (await place.configuration()).clusters.get('alpha')?.settings ?? before
    const again = (await place.configuration({ flags: ['--log-level=1'] })).clusters.get('alpha')?.settings ?? before
    expect(changedSettings(alpha, again)).to.deep.equal(['log-level'])
  })
})
