import { expect } from 'chai'
import { viewSettings } from '../../../../lib/settings/index.js'
import { ground } from '../../../support/configuration/configuration.js'

const text = '[Default]\nfailover-limit = 3\n[alpha]\ndb-servers-hosts = "db1,db2"\n[beta]\ndb-servers-hosts = "db3"\n'

describe('viewSettings', () => {
  it('shows a cluster everything and the server its own, with origins and without secrets', async () => {
    const configuration = await ground(text).configuration()
    const views = viewSettings(configuration, 'alpha')
    expect(views.find(({ name }) => name === 'db-servers-hosts')).to.deep.equal({
      name: 'db-servers-hosts',
      value: 'db1,db2',
      origin: 'file',
      immutable: true,
    })
    expect(views.find(({ name }) => name === 'db-servers-credential')?.value).to.equal('*:*')
    expect(viewSettings(configuration, '').map(({ name }) => name))
      .to.include('api-port')
      .and.not.include('log-level')
    expect(viewSettings(configuration, 'none')).to.deep.equal([])
  })
})
