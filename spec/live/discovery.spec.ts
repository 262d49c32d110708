// Tags and resources derived from real servers, each started with the settings that the table of signs names.
import { expect } from 'chai'
import type { DiscoveryView } from '../../actors/protocol/manager/configurator.js'
import { type Databases, startDatabases } from '../support/databases/database.js'
import { Client } from '../support/http/client.js'
import { makeAuthority } from '../support/machine/authority.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { eventually } from '../support/wait.js'

const plugins = [
  ...['ha_blackhole', 'query_response_time', 'sql_errlog', 'metadata_lock_info', 'server_audit', 'ha_connect'],
  ...['ha_spider', 'ha_mroonga', 'ha_rocksdb', 'ha_s3', 'disks'],
]

/** Servers by what they are started with, the tags that these show, and some that they must not show. */
const starts: Readonly<Record<string, { options: readonly string[]; shows: string; hides: string }>> = {
  unsafe: {
    options: [
      ...[
        'innodb-doublewrite=OFF',
        'innodb-flush-log-at-trx-commit=2',
        'innodb-flush-method=fsync',
        'log-bin-compress=ON',
      ],
      ...['innodb-defragment=ON', 'innodb-compression-default=ON', 'query-cache-size=0', 'slow-query-log=ON'],
      ...['general-log=ON', 'performance-schema=ON', 'log-output=TABLE'],
      ...[
        'local-infile=ON',
        'rpl-semi-sync-master-enabled=ON',
        'gtid-strict-mode=ON',
        'transaction-isolation=READ-COMMITTED',
      ],
      ...[
        'lower-case-table-names=1',
        'use-stat-tables=PREFERABLY_FOR_QUERIES',
        'binlog-format=STATEMENT',
        'join-cache-level=8',
      ],
      ...['sql-mode=ORACLE', 'thread-handling=pool-of-threads', 'thread-pool-size=3', 'innodb-io-capacity-max=4000'],
      ...['max-connections=77', 'expire-logs-days=9', 'sync-binlog=0'],
    ],
    shows:
      'nodoublewrite nodurable noodirect compressbinlog autodefrag compresstable noquerycache slow general pfs logtotable ' +
      'localinfile semisync gtidstrict readcommitted lowercasetable eits statement hashjoin ' +
      'sqlmodeoracle threadpool nosyncbinlog',
    hides: 'row nobinlog nologslaveupdates mrrjoin nestedjoin sqlmodeunstrict wsrep ssl',
  },
  bare: {
    options: [
      ...['skip-log-bin', 'log-slave-updates=OFF', 'innodb-flush-log-at-trx-commit=1', 'innodb-flush-method=O_DIRECT'],
      ...['query-cache-size=1M', 'local-infile=OFF', 'join-cache-level=6', 'sql-mode=', 'use-stat-tables=NEVER'],
      ...['innodb-buffer-pool-size=32M', 'slow-query-log=OFF', 'gtid-strict-mode=OFF'],
    ],
    shows: 'nobinlog nologslaveupdates mrrjoin sqlmodeunstrict row',
    hides:
      'nodoublewrite nodurable noodirect compressbinlog noquerycache slow general pfs logtotable readonly resolvdns ' +
      'localinfile semisync gtidstrict readcommitted lowercasetable eits statement hashjoin nestedjoin sqlmodeoracle',
  },
  plugged: {
    options: ['join-cache-level=2', 'plugin-maturity=alpha', ...plugins.map((library) => `plugin-load-add=${library}`)],
    shows:
      'nestedjoin blackhole userstats sqlerror metadatalocks audit connect spider mroonga myrocks s3 pwdchecksimple ' +
      'pwdcheckcracklib diskmonitor ssl',
    hides: 'tokudb wsrep hashjoin mrrjoin',
  },
}

describe('discovery', () => {
  const databases: Databases[] = []
  let manager: ManagerProcess

  before(async () => {
    const { caFile, issue } = await makeAuthority()
    const { certFile, keyFile } = await issue('IP:127.0.0.1')
    const tls = [`ssl-ca=${caFile}`, `ssl-cert=${certFile}`, `ssl-key=${keyFile}`]
    for (const [name, { options, shows }] of Object.entries(starts)) {
      const all = [...options, ...(shows.split(' ').includes('ssl') ? tls : [])]
      databases.push(await startDatabases({ count: 1, prefix: name, options: all.map((option) => `--${option}`) }))
    }
    // Not from the start: they would refuse the passwords of the accounts.
    for (const library of ['simple_password_check', 'cracklib_password_check'])
      await databases.at(-1)?.node(0).sql(`INSTALL SONAME '${library}'`)
    const hosts = databases.map((each) => `127.0.0.1:${each.node(0).port}`)
    const common = { 'db-servers-credential': 'monitor:monitor', 'failover-mode': 'manual' }
    const clusters = Object.fromEntries(
      Object.keys(starts).map((name, index) => [name, { ...common, 'db-servers-hosts': hosts[index] ?? '' }]),
    )
    manager = await ManagerProcess.create({
      clusters: {
        ...clusters,
        fixed: { ...common, 'db-servers-hosts': '127.0.0.1:1', 'prov-db-tags': 'innodb' },
      },
    })
    manager.start()
    await manager.alive()
    for (const name of Object.keys(starts))
      await eventually(
        async () => (await manager.post(`/api/clusters/${name}/settings/actions/discover?plan=true`)).status === 200,
        () => `the server of ${name} is read\n${manager.log().slice(-2_000)}`,
      )
  })
  after(async () => {
    await manager?.destroy()
    await Promise.all(databases.map((each) => each.teardown()))
  })

  const discover = async (cluster: string, query = ''): Promise<DiscoveryView> => {
    const { status, body } = await manager.post(`/api/clusters/${cluster}/settings/actions/discover${query}`)
    expect(status, body).to.equal(200)
    return JSON.parse(body)
  }
  const settings = (cluster: string) =>
    manager.get<Record<string, string | number>>(`/api/clusters/${cluster}/settings`)

  for (const [name, { shows, hides }] of Object.entries(starts))
    it(`finds every tag of the ${name} server, each with what shows it, and no other`, async () => {
      const { applied, tags, proposals } = await discover(name, '?plan=true')
      expect(applied).to.equal(false)
      const found = new Set(proposals.map(({ tag }) => tag))
      expect([...found]).to.include.members(shows.split(' '))
      for (const hidden of hides.split(' ')) expect(found.has(hidden), hidden).to.equal(false)
      expect(tags.tags).to.include.members(shows.split(' '))
      for (const { evidence } of proposals) expect(evidence[0]?.text).to.match(/^(\w+ = .+|plugin \w+ is ACTIVE)$/)
    })

  const tagsOf = async (cluster: string) => String((await settings(cluster)).provDbTags).split(',')

  it('comes automatically when a cluster is first connected: tags and resources, and no need of its servers', async () => {
    await eventually(
      async () =>
        (await tagsOf('unsafe')).includes('statement') && (await settings('unsafe')).provDbMaxConnections === 77,
      () => `the tags are found\n${manager.log().slice(-3_000)}`,
    )
    const tags = await tagsOf('unsafe')
    expect(tags).to.include.members(['innodb', 'docker', 'linux', 'statement', 'nodurable'])
    for (const dropped of ['row', 'sqlerror', 'diskmonitor']) expect(tags).to.not.include(dropped)
    const now = await settings('unsafe')
    expect(now).to.deep.include({ provDbMaxConnections: 77, provDbExpireLogDays: 9 })
    expect([now.provDbCpuCores, now.provDbDiskIops].map(Number)).to.deep.equal([3, 4000])
    const port = databases[0]?.node(0).port
    const need = await fetch(
      `http://127.0.0.1:${manager.httpPort}/api/clusters/unsafe/servers/127.0.0.1/${port}/need-restart`,
    )
    expect(need.status).to.equal(503)
    expect((await discover('unsafe')).tags).to.deep.include({ added: [], dropped: [] })
  })

  it('changes nothing when it is only asked what it would, and takes over what it finds when it is asked', async () => {
    await databases[0]?.node(0).sql('SET GLOBAL local_infile = OFF')
    expect((await discover('unsafe', '?plan=true')).tags.dropped).to.deep.equal(['localinfile'])
    expect(await tagsOf('unsafe')).to.include('localinfile')
    expect(await discover('unsafe')).to.deep.include({ applied: true })
    expect(await tagsOf('unsafe')).to.not.include('localinfile')
  })

  it('reads the memory that the engines were given', async () => {
    const memory = (await discover('bare', '?plan=true')).settings.find(({ name }) => name === 'prov-db-memory')
    expect(memory?.evidence).to.contain('innodb_buffer_pool_size = 33554432')
    expect(Number(memory?.after)).to.be.within(64, 128)
  })

  it('comes automatically to a cluster that is added, too', async () => {
    const added = await manager.post('/api/clusters/actions/add/joined')
    expect(added.status, added.body).to.equal(200)
    const port = databases[1]?.node(0).port
    for (const [name, value] of [
      ['db-servers-credential', 'monitor:monitor'],
      ['failover-mode', 'manual'],
    ])
      await manager.post(`/api/clusters/joined/settings/actions/set/${name}/${value}`)
    expect((await manager.post(`/api/clusters/bare/actions/dropserver/127.0.0.1/${port}`)).status).to.equal(200)
    const joined = await manager.post(`/api/clusters/joined/actions/addserver/127.0.0.1/${port}`)
    expect(joined.status, joined.body).to.equal(200)
    await eventually(async () => (await tagsOf('joined')).includes('nobinlog'), 'the tags are found')
    expect(await tagsOf('joined'))
      .to.include.members(['innodb', 'sqlmodeunstrict'])
      .and.to.not.include('slow')
  })

  it('names why no server could be asked', async () => {
    const { status, body } = await manager.post('/api/clusters/fixed/settings/actions/discover')
    expect(status).to.equal(500)
    expect(JSON.parse(body)).to.include({ code: 'sql-refused' })
  })

  it('shows the client what was found', async () => {
    const client = new Client({ port: manager.apiPort, user: 'admin', password: 'spec-password' })
    const { status, stdout, stderr } = await client.run('--cluster', 'plugged', 'discover', '--plan')
    expect(status, stderr).to.equal(0)
    expect(stdout).to.match(/ spider +plugin SPIDER installed +127\.0\.0\.1: plugin SPIDER is ACTIVE/)
  })
})
