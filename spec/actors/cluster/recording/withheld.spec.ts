import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { Hiding } from '../../../../actors/cluster/recording/hiding.js'
import { decisiveStatus, withholdFrom } from '../../../../actors/cluster/recording/withheld.js'
import { packageRoot } from '../../../../lib/base/package-root.js'
import { secret } from '../../../../lib/base/secret.js'
import { named, nothingNamed } from '../../../../lib/model/server/named.js'
import type { SlowReading } from '../../../../lib/model/server/reading.js'
import { defaultSettings, exportSettings, importSettings } from '../../../../lib/settings/index.js'

const settings = exportSettings(
  defaultSettings({
    'db-servers-credential': secret('monitor:Str0ng-pass'),
    'replication-credential': secret('repl:replica'),
    'vault-token': secret('tokenoftheservice'),
  }),
)

const session = { id: 7, user: 'app', host: '10.0.0.5', schema: 'shop', seconds: 12, state: '', waitsForLock: false }

const reading: SlowReading = {
  ...{ server: 'db1', at: 1, tookMs: 1, plugins: [], binlogFile: '', binlogPosition: 0, binlogDoDb: '' },
  ...{ binlogIgnoreDb: '', binlogs: { count: 0, oldest: '', files: [] }, dumpThreads: 0, statementHistory: false },
  status: named({ questions: '7', bytes_sent: '9', wsrep_cluster_size: '3' }),
  variables: named({ wsrep_sst_auth: 'sst:pass', disconnect_on_expired_password: 'ON', port: '3306' }),
  longStatements: [{ ...session, statement: "UPDATE cards SET code = 'private'" }],
  openTransactions: [{ ...session, statement: '' }],
}

const kept = (): SlowReading =>
  (withholdFrom('observed-slowly', { reading }, new Hiding()) as { readonly reading: SlowReading }).reading

describe('Hiding', () => {
  it('keeps names of logins, gives equal stand-ins to equal secrets, and settings that can be read again', () => {
    const hiding = new Hiding()
    const hidden = hiding.settings(settings)
    expect(hidden['db-servers-credential']).to.match(/^monitor:withheld-[0-9a-f]{12}$/)
    expect(hiding.settings(settings)).to.deep.equal(hidden)
    expect(new Hiding().settings(settings)).not.to.deep.equal(hidden)
    expect(() => importSettings(hidden)).not.to.throw()
  })

  it('replaces a known secret in texts, and one that is a plain word only as a word of a sentence', () => {
    const hiding = new Hiding()
    hiding.settings(settings)
    expect(hiding.text('denied with xStr0ng-passx')).to.match(/^denied with xwithheld-\w+x$/)
    expect(hiding.text('replica')).to.equal('replica')
    expect(hiding.text('replicas of it')).to.equal('replicas of it')
    expect(hiding.text('denied: replica given')).to.match(/^denied: withheld-\w+ given$/)
  })

  it('removes the statement of an applier’s error, and passwords in statements', () => {
    const { text } = new Hiding()
    expect(text("Error on query. Default database: 'shop'. Query: 'INSERT INTO t VALUES (1)'")).to.equal(
      "Error on query. Default database: 'shop'. Query: (withheld)",
    )
    expect(text("CREATE USER a IDENTIFIED BY 'other'")).not.to.include('other')
  })
})

describe('withholdFrom', () => {
  it('leaves out statements of users and says whether they write, logins in variables, and counters that nothing reads', () => {
    const { longStatements, openTransactions, variables, status } = kept()
    expect(longStatements?.map(({ statement }) => statement)).to.deep.equal(['UPDATE (withheld)'])
    expect(openTransactions?.map(({ statement }) => statement)).to.deep.equal([''])
    expect(variables).to.deep.equal(
      named({ wsrep_sst_auth: '(withheld)', disconnect_on_expired_password: 'ON', port: '3306' }),
    )
    expect(status).to.deep.equal(named({ questions: '7', wsrep_cluster_size: '3' }))
    expect(nothingNamed.names).to.deep.equal([])
  })

  it('keeps every counter that decisions read', () => {
    const rooms = ['lib/decide', 'actors/cluster/handlers/observe', 'actors/cluster/state']
    const read = rooms.flatMap(sourcesIn).flatMap((file) => {
      const text = readFileSync(file, 'utf8')
      const given = [...text.matchAll(/(?:textOf\([^()]*status, |\bstatus\([^()]*, |\bgrown\()([A-Z]+|'\w+')\)/g)]
      return given.map(([, name = '']) => (name.startsWith("'") ? name : constantIn(text, name)).replaceAll("'", ''))
    })
    expect(read).to.include.members(['questions', 'slow_queries', 'binlog_commits', 'wsrep_cluster_size'])
    expect(read.filter((name) => !decisiveStatus.test(name))).to.deep.equal([])
  })

  it('leaves out passwords of a rotation, tokens of hosts, keys of TLS and statements to run', () => {
    const change = { user: 'repl', from: 'before-secret', to: 'next-secret' }
    const cases = [
      withholdFrom('step-rotation', { rotation: {}, logins: { monitor: change, replication: change } }, new Hiding()),
      withholdFrom('host-log', { server: 'db1', task: 'logs', proof: { token: 'host-secret' } }, new Hiding()),
      withholdFrom('read-tls', { tls: { key: 'key-secret', cert: 'cert-secret' } }, new Hiding()),
      withholdFrom('run-statements', { server: 'db1', statements: ["SET PASSWORD = 'sql-secret'"] }, new Hiding()),
      withholdFrom('noted', { level: 'INFO', text: 'log-secret' }, new Hiding()),
    ]
    expect(JSON.stringify(cases)).not.to.match(/-secret/)
  })
})

const sourcesIn = (room: string): readonly string[] =>
  readdirSync(path.join(packageRoot, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(packageRoot, room, name))

const constantIn = (text: string, name: string): string =>
  new RegExp(`const ${name} = '(\\w+)'`).exec(text)?.[1] ?? name
