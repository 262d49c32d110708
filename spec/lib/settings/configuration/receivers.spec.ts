// Secrets that a cluster inherits are shown only at addresses of the same origin, whatever way the addresses are changed.
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { clearSetting } from '../../../../lib/settings/change/change.js'
import type { Configuration } from '../../../../lib/settings/configuration/configuration.js'
import { permitReceivers } from '../../../../lib/settings/configuration/receivers.js'
import { changeSetting, settingNames, settingRow } from '../../../../lib/settings/index.js'
import { ground } from '../../../support/configuration/configuration.js'

const FILE = `
[Default]
maxscale-user = "operator"
maxscale-pass = "service-wide"
proxysql-password = "service-wide"
backup-streaming-aws-access-secret = "service-wide"
db-servers-credential = "monitor:service-wide"
replication-credential = "repl:service-wide"
[shop]
db-servers-hosts = "db1,db2:3307"
maxscale-servers = "mx1"
`

type Change = readonly [name: string, value: string | undefined]

const apply = (configuration: Configuration, changes: readonly Change[]): Configuration =>
  changes.reduce(
    (before, [name, value]) =>
      unwrap(
        value === undefined
          ? clearSetting(before, { scope: 'shop', name })
          : changeSetting(before, { scope: 'shop', name, value }),
      ).configuration,
    configuration,
  )

/** What is said of the last change; those before it were made by a user who may. */
async function tried(changes: readonly Change[], text = FILE): Promise<string> {
  const loaded = await ground(text).configuration()
  const before = apply(loaded, changes.slice(0, -1))
  const permitted = permitReceivers(before, apply(before, changes.slice(-1)), 'shop')
  return permitted.ok ? 'permitted' : `${permitted.failure.code} ${permitted.failure.message}`
}

describe('Secrets that a cluster inherits', () => {
  for (const [name, value, secret, named = name] of [
    ['db-servers-hosts', 'db1,db2:3307,stranger', 'db-servers-credential'],
    ['db-servers-hosts', 'db1,db2:3308', 'db-servers-credential'],
    ['maxscale-servers', 'stranger', 'maxscale-pass'],
    ['maxscale-port', '16603', 'maxscale-pass', 'maxscale-servers'],
    ['proxysql-servers', 'stranger:6032', 'proxysql-password'],
    ['backup-streaming-endpoint', 'https://stranger:9000', 'backup-streaming-aws-access-secret'],
    ['backup-streaming-bucket', 'of-another', 'backup-streaming-aws-access-secret'],
  ] as const)
    it(`are not shown at ${name} ${value}`, async () => {
      const said = await tried([[name, value]])
      expect(said).to.match(new RegExp(`^setting-grant ${named}: ${secret} \\(.*config\\.toml:\\d+\\)`))
      expect(said).not.to.contain('service-wide')
    })

  it('are not shown over SSH at hosts that the files do not name', async () => {
    const ssh = FILE.replace('[shop]', 'onpremise-ssh = true\n[shop]')
    expect(await tried([['haproxy-servers', 'stranger']])).to.equal('permitted')
    expect(await tried([['haproxy-servers', 'stranger']], ssh)).to.match(
      /^setting-grant haproxy-servers: .*db-servers-credential/,
    )
    expect(await tried([['onpremise-ssh-port', '2222']], ssh)).to.match(/^setting-grant /)
  })

  it('are sent to no server that is proven less than where they are given', async () => {
    const proven = FILE.replace('[shop]', 'db-servers-public-key-policy = "strict"\nreplication-use-ssl = true\n[shop]')
    for (const [name, value, secret] of [
      ['db-servers-accept-unproven-keys', 'true', 'db-servers-credential'],
      ['db-servers-public-key-policy', 'first-use', 'db-servers-credential'],
      ['replication-use-ssl', 'false', 'replication-credential'],
    ] as const) {
      const said = await tried([[name, value]], proven)
      expect(said).to.match(new RegExp(`^setting-grant ${name}: ${secret} \\(.*config\\.toml:\\d+\\) .*proven`))
    }
    for (const [name, value] of [
      ['db-servers-public-key-policy', 'strict'],
      ['replication-use-ssl', 'true'],
      ['db-servers-tls-use-generated-cert', 'true'],
    ] as const)
      expect(await tried([[name, value]]), `${name} ${value}`).to.equal('permitted')
    const bare = '[Default]\n[shop]\ndb-servers-hosts = "db1"\n'
    const own = ['db-servers-credential', 'mine:alone'] as const
    expect(await tried([own, ['db-servers-accept-unproven-keys', 'true']], bare)).to.equal('permitted')
  })

  it('do not come back to an address that was chosen with an account of its own', async () => {
    const own: readonly Change[] = [
      ['proxysql-password', 'mine'],
      ['proxysql-servers', 'proxy-of-mine'],
    ]
    // A file gives the password: what is set at run time is gone after a restart, and the address is not.
    expect(await tried(own)).to.match(/^setting-grant proxysql-servers: .*after the next start/)
    expect(await tried([...own, ['proxysql-password', undefined]])).to.match(/^setting-grant proxysql-servers: /)
  })

  it('are no obstacle where a change sends them nowhere else', async () => {
    for (const [name, value] of [
      ['db-servers-hosts', 'db2:3307'],
      ['db-servers-hosts', 'DB1:3306,db2:3307'],
      ['maxscale-servers', ''],
      ['failover-limit', '3'],
    ] as const)
      expect(await tried([[name, value]]), `${name} ${value}`).to.equal('permitted')
  })

  it('leave alone what a user who may had set before', async () => {
    const added = ['db-servers-hosts', 'db1,db2:3307,db3'] as const
    expect(await tried([added, ['failover-limit', '3']])).to.equal('permitted')
    expect(await tried([added, ['db-servers-hosts', 'db1,db3']])).to.equal('permitted')
    expect(await tried([added, ['db-servers-hosts', 'db1,db3,db4']])).to.match(/^setting-grant .*db4:3306/)
  })

  it('are none where the cluster has an account of its own, or the program is built with it', async () => {
    const bare = '[Default]\n[shop]\ndb-servers-hosts = "db1"\n'
    expect(await tried([['db-servers-hosts', 'db1,stranger']], bare)).to.equal('permitted')
    const monitored = '[Default]\n[shop]\nproxysql-servers = "p1"\n'
    expect(
      await tried(
        [
          ['proxysql-password', 'mine'],
          ['proxysql-servers', 'p1,p2'],
        ],
        monitored,
      ),
    ).to.equal('permitted')
  })

  it('have each a row of the table, or a reason why no address of theirs is set by the users of a cluster', async () => {
    const open = settingNames.filter((name) => settingRow(name).secret && settingRow(name).scope === 'cluster')
    const text = await import('node:fs').then(({ readFileSync }) =>
      readFileSync(new URL('../../../../../lib/settings/configuration/receivers.ts', import.meta.url), 'utf8'),
    )
    expect(open.filter((name) => !text.includes(`'${name}'`) && !(name in elsewhere))).to.deep.equal([])
  })
})

/** Secrets whose addresses only a grant for the whole service changes, or that go to no address. */
const elsewhere: Readonly<Record<string, string>> = {
  'api-credentials': 'checked here, sent nowhere',
  'api-credentials-external': 'checked here, sent nowhere',
  'backup-restic-password': 'backup-restic-repository names files only at run time',
  'backup-restic-aws-access-secret': 'backup-restic-repository names files only at run time',
  'backup-restic-environment': 'backup-restic-repository names files only at run time',
  'mail-smtp-password': 'mail-smtp-addr',
  'alert-slack-url': 'an address',
  'alert-teams-url': 'an address',
  'alert-teams-proxy-url': 'an address',
  'alert-webhook-url': 'an address',
  'alert-webhook-secret': 'alert-webhook-url',
  'alert-pushover-app-token': 'alert-pushover-url',
  'alert-pushover-user-token': 'alert-pushover-url',
  'vault-role-id': 'vault-server-addr',
  'vault-secret-id': 'vault-server-addr',
  'vault-token': 'vault-server-addr',
}
