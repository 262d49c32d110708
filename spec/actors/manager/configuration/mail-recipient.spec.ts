import { expect } from 'chai'
import { givenReceivers, judgeSending } from '../../../../actors/manager/configuration/mail-recipient.js'
import type { CredentialsRequest } from '../../../../actors/protocol/manager/users.js'
import { unwrap } from '../../../../lib/base/result.js'
import { type Configuration, changeSetting } from '../../../../lib/settings/index.js'
import { ground } from '../../../support/configuration/configuration.js'

const text = `[Default]
api-credentials = "admin:secret,guest:secret,sso@files.example:"
api-credentials-acl-allow = "admin:cluster global grant show"
mail-to = "ops@files.example"
db-servers-credential = "shared:secret"
[shop]
[lab]
[own]
db-servers-credential = "own:secret"
`

/** Values that are set at run time: scope, setting, value. */
type Change = readonly [scope: string, name: string, value: string]

const withChanges = async (...changes: readonly Change[]): Promise<Configuration> =>
  changes.reduce(
    (configuration, [scope, name, value]) => unwrap(changeSetting(configuration, { scope, name, value })).configuration,
    await ground(text).configuration(),
  )

const user = (scope: string, name: string): readonly Change[] => [
  [scope, 'api-credentials-external', `${name}:first`],
  [scope, 'api-credentials-acl-allow-external', `${name}:show:${scope}:`],
]

const everything = () => true
const of = (...clusters: readonly string[]) => ({
  may: (_grant: string, cluster: string) => clusters.includes(cluster),
})

const judged = (configuration: Configuration, part: Partial<CredentialsRequest>): string => {
  const request = { cluster: 'lab', username: 'bob', kind: 'sys', by: 'eve', may: everything, ...part } as const
  const result = judgeSending(configuration, request)
  return result.ok ? result.value : result.failure.code
}

describe('judgeSending', () => {
  it('names the address that the user has as its name, else the receivers that files give', async () => {
    const configuration = await withChanges(...user('lab', 'bob'), ...user('shop', 'ann@example.com'))
    expect(judged(configuration, {})).to.equal('ops@files.example')
    expect(judged(configuration, { cluster: 'shop', username: 'ann@example.com' })).to.equal('ann@example.com')
    expect(judged(configuration, { username: 'sso@files.example' })).to.equal('sso@files.example')
  })

  it('names no address that was set at run time', async () => {
    const configuration = await withChanges(...user('lab', 'bob'), ['lab', 'mail-to', 'eve@elsewhere.example'])
    expect(judged(configuration, {})).to.equal('wrong-state')
    expect(judged(configuration, { kind: 'db' })).to.equal('wrong-state')
    expect(givenReceivers(configuration, 'shop')).to.deep.include({ ok: true, value: 'ops@files.example' })
  })

  it('refuses who does not hold what the user holds, on this cluster, another one and the whole service', async () => {
    const configuration = await withChanges(...user('lab', 'bob'), ...user('shop', 'bob'))
    expect(judged(configuration, of('lab', 'shop'))).to.equal('ops@files.example')
    expect(judged(configuration, of('lab'))).to.equal('no-grant')
    expect(judged(configuration, of('shop'))).to.equal('no-grant')
    expect(judged(configuration, { username: 'admin', ...of('lab', 'shop', 'own') })).to.equal('no-grant')
  })

  it('refuses a user whose password is in the configuration, and one that is in no list', async () => {
    const configuration = await withChanges()
    expect(judged(configuration, { username: 'guest' })).to.equal('wrong-state')
    expect(judged(configuration, { username: 'nobody' })).to.equal('unknown-user')
  })

  it('gives the account of the databases to who holds cluster-grant wherever it is used', async () => {
    const configuration = await withChanges()
    const db = { username: 'guest', kind: 'db' } as const
    expect(judged(configuration, { ...db, ...of('lab') })).to.equal('no-grant')
    expect(judged(configuration, { ...db, ...of('lab', 'shop') })).to.equal('ops@files.example')
    expect(judged(configuration, { ...db, cluster: 'own', ...of('own') })).to.equal('ops@files.example')
  })

  it('holds names that were added to mail-allowed-domains, and none that files give', async () => {
    const domains = ['', 'mail-allowed-domains', 'example.com'] as const
    const configuration = await withChanges(
      ...user('lab', 'ann@example.com'),
      ...user('shop', 'eve@elsewhere.example'),
      domains,
    )
    expect(judged(configuration, { username: 'ann@example.com' })).to.equal('ann@example.com')
    expect(judged(configuration, { cluster: 'shop', username: 'eve@elsewhere.example' })).to.equal('wrong-state')
    expect(judged(configuration, { username: 'sso@files.example' })).to.equal('sso@files.example')
  })
})
