// What a manager says its configuration is: whole and repeatable where it is alone, the clusters that it owns where it is not.
import path from 'node:path'
import { expect } from 'chai'
import { gatherFiles } from '../../../../actors/manager/repository/gather.js'
import { unwrap } from '../../../../lib/base/result.js'
import { permitFiles } from '../../../../lib/git/content/judge-files.js'
import { generateKeyFile } from '../../../../lib/settings/secret/secrets.js'
import { ground } from '../../../support/configuration/configuration.js'

const text = `[Default]
git-acces-token = "token-of-the-host"
failover-limit = 7
[one]
db-servers-hosts = "db1"
db-servers-credential = "root:hidden"
[two]
db-servers-hosts = "db2"
`

const none = { instance: '', owns: () => true, known: [], remote: new Map<string, string>() }

async function configured() {
  const place = ground(text)
  unwrap(await generateKeyFile(path.join(place.directory, 'key')))
  place.write('data/one/one.toml', '[saved-one]\nfailover-mode = "automatic"\n')
  return place.configuration()
}

describe('gatherFiles', () => {
  it('gives saved changes as they are on disk and what files give, with no secret in clear and no login of the host', async () => {
    const files = unwrap(await gatherFiles({ ...none, configuration: await configured() }))
    expect([...files.keys()].sort()).to.deep.equal([
      ...['hosted.toml', 'one/immutable.toml', 'one/one.toml', 'two/immutable.toml'],
    ])
    expect(files.get('one/one.toml')).to.equal('[saved-one]\nfailover-mode = "automatic"\n')
    expect(files.get('hosted.toml')).to.include('failover-limit = 7').and.not.include('git-acces-token')
    expect(permitFiles(files)).to.deep.equal({ ok: true, value: undefined })
    expect([...files.values()].join()).to.not.match(/hidden|token-of-the-host/)
  })

  it('gives equal texts again where the state before is known', async () => {
    const configuration = await configured()
    const files = unwrap(await gatherFiles({ ...none, configuration }))
    const again = unwrap(await gatherFiles({ ...none, configuration, known: [files] }))
    expect([...again].sort()).to.deep.equal([...files].sort())
  })

  it('takes files of clusters that other instances own from the repository', async () => {
    const remote = new Map([
      ['one/one.toml', 'of the owner'],
      ['gone/gone.toml', 'of a cluster that is not known here'],
      ['hosted.toml', 'of the owner'],
      ['two/two.toml', 'of an earlier time'],
    ])
    const owns = (cluster: string) => cluster === 'two'
    const files = unwrap(
      await gatherFiles({ configuration: await configured(), instance: 'host2', owns, known: [], remote }),
    )
    expect(files.get('one/one.toml')).to.equal('of the owner')
    expect(files.get('gone/gone.toml')).to.equal('of a cluster that is not known here')
    expect(files.get('hosted.toml')).to.equal('of the owner')
    expect(files.has('two/two.toml')).to.equal(false)
    expect(files.get('two/immutable.toml')).to.include('db2')
  })
})
