// `manager import` in process: realistic files of each tool become cluster files that our own check accepts.
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { runCheck } from '../../../bin/daemon/check.js'
import { clusterNameOf } from '../../../bin/import/assemble.js'
import { importCommand, tools } from '../../../bin/import/command.js'
import { type Result, unwrap } from '../../../lib/base/result.js'
import { isClusterName, loadConfiguration, settingNames } from '../../../lib/settings/index.js'
import { newDirectory } from '../../support/machine/directories.js'

const terminal = { isTerminal: false, width: 400 }

const orchestratorFile = `{
  "Debug": false,
  "MySQLTopologyUser": "orc_client_user",
  "MySQLTopologyPassword": "s3cret \\"quoted\\" 1",
  "MySQLTopologySSLCAFile": "/etc/ssl/db-ca.pem",
  "DefaultInstancePort": 3307,
  "InstancePollSeconds": 5,
  "RecoverMasterClusterFilters": [
    "^shop"
  ],
  "RecoverIntermediateMasterClusterFilters": ["*"],
  "PromotionIgnoreHostnameFilters": ["^db3[.]"],
  "RecoveryPeriodBlockSeconds": 3600,
  "FailMasterPromotionOnLagMinutes": 2,
  "DetachLostReplicasAfterMasterFailover": true,
  "PreFailoverProcesses": ["echo 'will recover {failureType}' >> /tmp/recovery.log"],
  "PostFailoverProcesses": [],
  "RaftEnabled": true,
  "NoSuchName": 1
}
`

const mhaDefaults = `[server default]
user=mha
password=mha pass;word#1
ssh_user=root
ping_interval=3
report_script=/usr/local/bin/send_report
`

const mhaCluster = `# the shop
[server default]
repl_user=repl
repl_password=repl-secret
password=of-the-shop
master_ip_failover_script=/usr/local/bin/master_ip_failover

[server1]
hostname=db1.example.net
candidate_master=1

[server2]
hostname=db2.example.net
port=3307
candidate_master=1
user=another

[server3]
hostname=db3.example.net
no_master=1
ignore_fail=1
check_repl_delay=0
`

const maxscaleFile = `[maxscale]
threads=auto
admin_port=8990

[server1]
type=server
address=10.0.0.1
port=3306

[server2]
type=server
address=10.0.0.2
port=3307

[server3]
type=server
address=fd00::3

[Shop-Monitor]
type=monitor
module=mariadbmon
servers=server1,server2,
  server3
user=maxmon
password=mon-secret
replication_user=repl
replication_password=0A1B2C3D4E5F60718293A4B5C6D7E8F90A1B2C3D
auto_failover=true
auto_rejoin=true
failcount=7
monitor_interval=2500ms
servers_no_promotion=server3
enforce_read_only_slaves=true
demotion_sql_file=/etc/demote.sql
switchover_on_low_disk_space=true

[Read-Write]
type=service
router=readwritesplit
servers=server1,server2,server3
user=route
password=route-secret

[Read-Write-Listener]
type=listener
service=Read-Write
port=4006

[hints]
type=filter
module=hintfilter
`

const secrets = ['s3cret', 'mha pass', 'of-the-shop', 'repl-secret', 'mon-secret', '0A1B2C3D', 'route-secret']

function ground(files: Readonly<Record<string, string>>) {
  const directory = newDirectory('import')
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(directory, name), text)
  return {
    at: (name: string) => path.join(directory, name),
    read: (name: string) => readFileSync(path.join(directory, name), 'utf8'),
    run: async (...words: readonly string[]) => {
      const imported = await importCommand(
        [...words, ...(words.includes('--output') ? [] : ['--output', directory])],
        terminal,
      )
      if (imported.ok) for (const each of secrets) expect(imported.value.report).not.to.contain(each)
      return imported
    },
    settings: async (name: string, cluster: string) => {
      const file = path.join(directory, 'main.toml')
      const folder = path.join(directory, 'cluster.d')
      mkdirSync(folder)
      copyFileSync(path.join(directory, name), path.join(folder, name))
      writeFileSync(file, `[Default]\ninclude = "${folder}"\n`)
      expect((await runCheck({ file, environment: {} })).text.trim().split('\n').at(-1)).to.match(
        /^valid: 0 errors, 0 warnings/,
      )
      const loaded = await loadConfiguration({ file, environment: {} })
      if (!loaded.ok) throw new Error('not valid')
      const scope = loaded.configuration.clusters.get(cluster)
      if (scope === undefined) throw new Error(`no cluster ${cluster}`)
      expect(statSync(path.join(directory, name)).mode & 0o777).to.equal(0o600)
      return scope.settings
    },
  }
}

const messageOf = (result: Result<unknown>): string => (result.ok ? 'no failure' : result.failure.message)

describe('importCommand', () => {
  it('reads a file of orchestrator: servers from the command line, rules and account from the file', async () => {
    const { run, at, read, settings } = ground({ 'orchestrator.conf.json': orchestratorFile })
    const file = at('orchestrator.conf.json')
    const { report } = unwrap(
      await run('--from', 'orchestrator', file, '--cluster', 'shop', '--hosts', 'db1.net,db2.net:3306,db3.net'),
    )
    const shop = await settings('shop.toml', 'shop')
    expect(report).to.contain('shop.toml: written (mode 600), valid\n')
    expect(shop).to.include({
      'monitoring-observe': true,
      'failover-mode': 'automatic',
      'failover-time-limit': 3600,
      'failover-max-slave-delay': 120,
      'monitoring-ticker': 5,
      'db-servers-tls-ca-cert': '/etc/ssl/db-ca.pem',
    })
    const text = read('shop.toml')
    expect(text).to.contain('db-servers-hosts = "db1.net:3307,db2.net:3306,db3.net:3307"')
    expect(text).to.contain(`# ${file}:3 MySQLTopologyUser, ${file}:4 MySQLTopologyPassword\ndb-servers-credential = `)
    expect(text).to.contain('"orc_client_user:s3cret \\"quoted\\" 1"')
    expect(text).to.contain(`# ${file}:8 RecoverMasterClusterFilters\n`)
    expect(text).to.contain('db-servers-ignored-hosts = "db3.net:3307"')
    expect(report).to.match(/NoSuchName +\S+:19 .*not a known name/)
    expect(report).to.match(/PreFailoverProcesses .*failover-pre-script .*arguments/)
    expect(report).to.match(/To be added by hand[\s\S]*replication-credential/)
  })

  it('takes the account from the file of credentials, and leaves a variable of the environment to a person', async () => {
    const { run, at, read } = ground({
      'a.json': '{"MySQLTopologyCredentialsConfigFile": "b.cnf", "RecoverMasterClusterFilters": ["other"]}',
      'b.cnf': '[client]\nuser = orc\npassword = "file word"\n',
      'c.json': `{"MySQLTopologyUser": "orc", "MySQLTopologyPassword": "\${ORC_PASSWORD}"}`,
    })
    unwrap(await run('--from=orchestrator', at('a.json'), at('b.cnf'), '--hosts=db1', '--cluster=one'))
    expect(read('one.toml'))
      .to.contain('db-servers-credential = "orc:file word"')
      .and.to.contain('failover-mode = "manual"')
    const { report } = unwrap(await run('--from=orchestrator', at('c.json'), '--cluster=two'))
    expect(report).to.contain('variable of the environment').and.to.contain('give them by --hosts')
    expect(read('two.toml')).not.to.contain('ORC_PASSWORD')
  })

  it('reads files of MHA: the defaults of all, those of the cluster, its servers', async () => {
    const { run, at, read, settings } = ground({ 'masterha_default.cnf': mhaDefaults, 'shop.cnf': mhaCluster })
    const { report } = unwrap(await run('--from', 'mha', at('masterha_default.cnf'), at('shop.cnf')))
    expect(await settings('shop.toml', 'shop')).to.include({
      'monitoring-observe': true,
      'failover-max-slave-delay': -1,
    })
    const text = read('shop.toml')
    for (const line of [
      'db-servers-hosts = "db1.example.net,db2.example.net:3307,db3.example.net"',
      'db-servers-prefered-master = "db1.example.net,db2.example.net:3307"',
      'db-servers-ignored-hosts = "db3.example.net"',
      'db-servers-credential = "mha:of-the-shop"',
      'replication-credential = "repl:repl-secret"',
    ])
      expect(text.split('\n')).to.include(line)
    expect(report).to.match(/\[server2\] user .*one value: decide/)
    expect(report).to.match(/Ignored[\s\S]*\[server default\] password .*shop\.cnf:5 holds/)
    expect(report).to.match(/master_ip_failover_script .*failover-post-script/)
  })

  it('reads the file of MaxScale: a monitor is a cluster, its services a proxy; what it encrypted is not taken over', async () => {
    const { run, at, read, settings } = ground({ 'maxscale.cnf': maxscaleFile })
    const { report } = unwrap(await run('--from', 'maxscale', at('maxscale.cnf'), '--proxy-host', 'mx1.net'))
    expect(await settings('Shop-Monitor.toml', 'Shop-Monitor')).to.include({
      'monitoring-observe': true,
      'failover-mode': 'automatic',
      autorejoin: true,
      'failover-falsepositive-ping-counter': 7,
      'monitoring-ticker': 3,
      maxscale: true,
    })
    const text = read('Shop-Monitor.toml')
    expect(text).to.contain('db-servers-hosts = "10.0.0.1,10.0.0.2:3307,[fd00::3]"')
    expect(text).to.contain('db-servers-ignored-hosts = "[fd00::3]"')
    expect(text)
      .to.match(/maxscale-read-write-port = 4006\n/)
      .and.to.match(/maxscale-port = 8990\n/)
    expect(text).not.to.match(/^replication-credential/m)
    expect(report)
      .to.contain('encrypted by maxpasswd')
      .and.to.match(/demotion_sql_file .*failover-pre-script/)
    expect(report).to.match(/Of no cluster[\s\S]*\[hints\] module/)
  })

  it('reports every value of each file once', async () => {
    for (const [from, name, text] of [
      ['orchestrator', 'o.json', orchestratorFile],
      ['mha', 'm.cnf', mhaCluster],
      ['maxscale', 'x.cnf', maxscaleFile],
    ] as const) {
      const { run, at } = ground({ [name]: text })
      const { report } = unwrap(await run('--from', from, at(name), '--output', '-'))
      for (const entry of unwrap(tools[from].read(text, at(name)))) {
        const place = `${at(name)}:${entry.line} `
        expect(
          report.split('\n').filter((line) => line.includes(`${entry.name} `) && line.includes(place)),
          place,
        ).not.to.be.empty
      }
    }
  })

  it('replaces no file unless forced, and prints no secret to a terminal', async () => {
    const { run, at, read } = ground({ 'shop.cnf': mhaCluster, 'shop.toml': 'mine' })
    expect(messageOf(await run('--from', 'mha', at('shop.cnf'))))
      .to.contain('exists already')
      .and.to.contain('--force')
    expect(read('shop.toml')).to.equal('mine')
    unwrap(await run('--from', 'mha', at('shop.cnf'), '--force'))
    expect(read('shop.toml')).to.contain('repl-secret')
    const words = ['--from', 'mha', at('shop.cnf'), '--output', '-']
    expect(unwrap(await importCommand(words, { ...terminal, isTerminal: true })).text).not.to.match(
      /repl-secret|of-the-shop/,
    )
    expect(unwrap(await importCommand(words, terminal)).text).to.contain('repl:repl-secret')
  })

  it('names file, line and remedy of what it cannot read', async () => {
    const { run, at } = ground({
      'a.json': '{\n "A": 1,\n "MySQLTopologyPassword": s3cret\n}',
      'b.cnf': 'user=x\n[server1]\nwhat is this\n',
      'c.cnf': '[server default]\nuser=x\n',
      'd.cnf': '[m]\ntype=monitor\nmodule=xpandmon\n',
    })
    const failed = async (...words: readonly string[]) => messageOf(await run(...words))
    const json = await failed('--from', 'orchestrator', at('a.json'))
    expect(json)
      .to.contain(`${at('a.json')}:3: no valid JSON`)
      .and.not.to.contain('s3cret')
    const ini = await failed('--from', 'mha', at('b.cnf'))
    expect(ini)
      .to.contain(`${at('b.cnf')}:1: user: before the first`)
      .and.to.contain(`${at('b.cnf')}:3: neither`)
    expect(await failed('--from', 'mha', at('c.cnf'))).to.contain('give the file of the cluster, too')
    expect(await failed('--from', 'maxscale', at('d.cnf'))).to.contain(`${at('d.cnf')}:3: [m] module = xpandmon`)
    expect(await failed('--from', 'mha', at('none'))).to.contain(at('none'))
    expect(await failed('--from', 'galera', at('c.cnf'))).to.match(/^Usage: manager import/)
    expect(await failed('--from', 'orchestrator', at('a.json'), '--hosts', 'a b')).to.contain('a b: no address')
  })

  it('reads the configuration of the existing system as it is, and names what has no effect', async () => {
    const { run, at } = ground({
      'config.toml': '[Default]\ngraphite-carbon-pprof-port = 3\n[alpha]\ndb-servers-hosts = "db1"\n',
    })
    const { text } = unwrap(await run('--from', 'manager', at('config.toml')))
    expect(text).to.contain('read as it is').and.to.contain('graphite-carbon-pprof-port')
  })
})

describe('tables of import', () => {
  it('name only settings that exist, and each name once for each kind of section', () => {
    for (const { rows } of Object.values(tools)) {
      for (const { ours } of rows) for (const name of ours) expect(settingNames).to.include(name)
      const names = rows.flatMap((row) => row.in.map((kind) => `${kind} ${row.name}`))
      expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([])
    }
  })
})

describe('clusterNameOf', () => {
  for (const name of ['My Monitor', '-x', 'actions', 'a'.repeat(80), 'shop.toml', 'Überall', ''])
    it(`makes a name of a cluster from "${name}"`, () => expect(isClusterName(clusterNameOf(name))).to.equal(true))
})
