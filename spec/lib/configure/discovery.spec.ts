// Discovery of tags on servers: the contract's table row by row, roles, contradictions, and memory.
import { expect } from 'chai'
import fc from 'fast-check'
import { unwrap } from '../../../lib/base/result.js'
import {
  contractSigns,
  discoverTags,
  memoryFor,
  readConfigureSettings,
  type SeenServer,
  signs,
  signText,
  solveMemory,
} from '../../../lib/configure/index.js'
import { shippedRules } from '../../support/configuration/rules.js'

const rules = shippedRules()
const { resources } = unwrap(readConfigureSettings({}))

const server = (name: string, variables: Record<string, string>, plugins: readonly string[] = []): SeenServer => ({
  name,
  configuration: {
    variables,
    plugins: plugins.map((plugin) => ({ name: plugin, status: 'ACTIVE', library: '' })),
    identity: { flavour: 'mariadb', version: { major: 10, minor: 5, patch: 20 }, versionText: '10.5.20-MariaDB' },
  },
})
const discover = (servers: readonly SeenServer[], tags: readonly string[] = []) =>
  discoverTags({ rules, tags, resources, servers })

/** The contract's table: variable or plugin, a value that shows the tag, one that does not. */
const contract: readonly [tag: string, sign: string, shows: string, not: string][] = [
  ['nodoublewrite', 'INNODB_DOUBLEWRITE=OFF', 'OFF', 'ON'],
  ['nodurable', 'INNODB_FLUSH_LOG_AT_TRX_COMMIT not 1', '2', '1'],
  ['noodirect', 'INNODB_FLUSH_METHOD not O_DIRECT', 'fsync', 'O_DIRECT'],
  ['compressbinlog', 'LOG_BIN_COMPRESS=ON', 'ON', 'OFF'],
  ['autodefrag', 'INNODB_DEFRAGMENT=ON', 'ON', 'OFF'],
  ['compresstable', 'INNODB_COMPRESSION_DEFAULT=ON', 'ON', 'OFF'],
  ['noquerycache', 'QUERY_CACHE_SIZE=0', '0', '1048576'],
  ['slow', 'SLOW_QUERY_LOG=ON', 'ON', 'OFF'],
  ['general', 'GENERAL_LOG=ON', 'ON', 'OFF'],
  ['pfs', 'PERFORMANCE_SCHEMA=ON', 'ON', 'OFF'],
  ['logtotable', 'LOG_OUTPUT=TABLE', 'TABLE', 'FILE'],
  ['ssl', 'HAVE_SSL=YES', 'YES', 'DISABLED'],
  ['readonly', 'READ_ONLY=ON', 'ON', 'OFF'],
  ['resolvdns', 'SKIP_NAME_RESOLVE=OFF', 'OFF', 'ON'],
  ['localinfile', 'LOCAL_INFILE=ON', 'ON', 'OFF'],
  ['nobinlog', 'LOG_BIN=OFF', 'OFF', 'ON'],
  ['nologslaveupdates', 'LOG_SLAVE_UPDATES=OFF', 'OFF', 'ON'],
  ['semisync', 'RPL_SEMI_SYNC_MASTER_ENABLED=ON', 'ON', 'OFF'],
  ['gtidstrict', 'GTID_STRICT_MODE=ON', 'ON', 'OFF'],
  ['readcommitted', 'TX_ISOLATION=READ-COMMITTED', 'READ-COMMITTED', 'REPEATABLE-READ'],
  ['lowercasetable', 'LOWER_CASE_TABLE_NAMES=1', '1', '0'],
  ['eits', 'USE_STAT_TABLES=PREFERABLY_FOR_QUERIES', 'PREFERABLY_FOR_QUERIES', 'NEVER'],
  ['statement', 'BINLOG_FORMAT=STATEMENT', 'STATEMENT', 'MIXED'],
  ['row', 'BINLOG_FORMAT=ROW', 'ROW', 'MIXED'],
  ['hashjoin', 'JOIN_CACHE_LEVEL=8', '8', '4'],
  ['mrrjoin', 'JOIN_CACHE_LEVEL=6', '6', '4'],
  ['nestedjoin', 'JOIN_CACHE_LEVEL=2', '2', '4'],
  ['sqlmodeoracle', 'SQL_MODE=ORACLE', 'PIPES_AS_CONCAT,ORACLE,NO_KEY_OPTIONS', 'STRICT_TRANS_TABLES'],
  ['sqlmodeunstrict', 'SQL_MODE empty', '', 'STRICT_TRANS_TABLES'],
  ['tokudb', 'TOKUDB_CACHE_SIZE present', '1', ''],
  ['myrocks', 'ROCKSDB_BLOCK_CACHE_SIZE present', '1', ''],
  ['s3', 'S3_PAGECACHE_BUFFER_SIZE present', '1', ''],
]
const plugins: readonly (readonly [tag: string, plugin: string])[] = [
  ...([
    ['blackhole', 'BLACKHOLE'],
    ['userstats', 'QUERY_RESPONSE_TIME'],
    ['sqlerror', 'SQL_ERROR_LOG'],
  ] as const),
  ...([
    ['metadatalocks', 'METADATA_LOCK_INFO'],
    ['audit', 'SERVER_AUDIT'],
    ['connect', 'CONNECT'],
  ] as const),
  ...([
    ['spider', 'SPIDER'],
    ['mroonga', 'Mroonga'],
    ['pwdcheckcracklib', 'cracklib_password_check'],
  ] as const),
  ['pwdchecksimple', 'simple_password_check'],
]

describe('the signs of tags', () => {
  it('are those of the contract, none missing', () => {
    const written = [...contract.map(([tag, sign]) => `${tag}: ${sign}`)]
    const variables = contractSigns.filter(({ subject }) => subject.kind === 'variable')
    expect(variables.map((sign) => `${sign.tag}: ${signText(sign)}`)).to.deep.equal(written)
    const named = contractSigns.filter(({ subject }) => subject.kind === 'plugin').map(({ tag }) => tag)
    expect(named).to.have.members([...plugins.map(([tag]) => tag), 'wsrep'])
  })

  it('name tags that rules define', () => {
    const known = new Set(rules.rules.map(({ tag }) => tag))
    expect(signs.filter(({ tag }) => !known.has(tag)).map(({ tag }) => tag)).to.deep.equal([])
  })

  for (const [tag, sign, shows, not] of contract)
    it(`show ${tag} by ${sign}, and not otherwise`, () => {
      const name = sign.split(/[= ]/)[0]?.toLowerCase() ?? ''
      const [proposal] = discover([server('db1', { [name]: shows })]).proposals.filter((each) => each.tag === tag)
      expect(proposal).to.deep.equal({
        tag,
        sign,
        evidence: [{ server: 'db1', text: `${name} = ${shows === '' ? "''" : shows}` }],
      })
      const others = not === '' ? {} : { [name]: not }
      expect(discover([server('db1', others)]).proposals.map((each) => each.tag)).to.not.include(tag)
    })

  for (const [tag, plugin] of plugins)
    it(`show ${tag} by the plugin ${plugin}`, () => {
      expect(discover([server('db1', {}, [plugin])]).tags).to.deep.equal([tag])
      expect(discover([server('db1', {})]).tags).to.deep.equal([])
    })

  it('show wsrep only where the built-in plugin replicates', () => {
    expect(discover([server('db1', { wsrep_on: 'OFF' }, ['wsrep'])]).tags).to.deep.equal([])
    expect(discover([server('db1', { wsrep_on: 'ON' }, ['wsrep'])]).tags).to.deep.equal(['wsrep'])
  })

  it('use the variable names of newer servers', () => {
    const newer = { transaction_isolation: 'READ-COMMITTED', rpl_semi_sync_source_enabled: 'ON' }
    expect(discover([server('db1', newer)]).tags).to.have.members(['readcommitted', 'semisync'])
  })
})

describe('discoverTags', () => {
  it('uses the primary, and reports where another server differs', () => {
    const { tags, remarks } = discover([
      server('db1', { general_log: 'ON', slow_query_log: 'OFF' }),
      server('db2', { general_log: 'OFF', slow_query_log: 'ON' }),
    ])
    expect(tags).to.deep.equal(['general'])
    expect(remarks).to.deep.equal([
      'SLOW_QUERY_LOG=ON (slow) shows on db2 and not on db1.',
      'GENERAL_LOG=ON (general) shows on db1 and not on db2.',
    ])
  })

  it('uses any server for signs that differ by role', () => {
    const servers = [
      server('db1', { read_only: 'OFF', rpl_semi_sync_master_enabled: 'ON' }),
      server('db2', { read_only: 'ON', rpl_semi_sync_master_enabled: 'OFF' }),
    ]
    expect(discover(servers)).to.deep.include({ tags: ['readonly', 'semisync'], remarks: [] })
  })

  it('keeps configured tags that cannot be discovered, and drops those without evidence', () => {
    expect(discover([server('db1', { slow_query_log: 'ON' })], ['innodb', 'general', 'docker']).tags).to.deep.equal([
      'innodb',
      'docker',
      'slow',
    ])
  })

  it('leaves out what contradicts', () => {
    const { tags, remarks } = discover([server('db1', { wsrep_on: 'ON', read_only: 'ON' }, ['wsrep'])], ['grouprep'])
    expect(tags).to.deep.equal(['grouprep', 'readonly'])
    expect(remarks).to.include('wsrep is left out: it contradicts readonly.')
  })

  it('proposes nothing where no server could be read', () => {
    expect(discover([], ['slow'])).to.deep.include({ tags: ['slow'], proposals: [], settings: [] })
  })

  it('reads memory, processors and disk from the largest server', () => {
    const big = { innodb_buffer_pool_size: '8589934592', key_buffer_size: '1073741824', thread_pool_size: '8' }
    const { settings } = discover([
      server('db1', { innodb_buffer_pool_size: '1048576', thread_pool_size: '2' }),
      server('db2', { ...big, innodb_io_capacity_max: '4000', max_connections: '300', expire_logs_days: '7' }),
    ])
    const value = (name: string) => settings.find((each) => each.name === name)?.value
    expect(value('prov-db-memory')).to.equal(memoryFor(9 * 1024, resources))
    expect(value('prov-db-cores')).to.equal(8)
    expect(value('prov-db-iops')).to.equal(4000)
    expect(value('prov-db-max-connections')).to.equal(300)
    expect(value('prov-db-expire-log-days')).to.equal(7)
    const endless = server('db1', { innodb_io_capacity_max: '18446744073709551615' })
    expect(discover([endless]).settings).to.deep.equal([])
  })

  it('finds a memory size whose split matches the engines', () => {
    fc.assert(
      fc.property(fc.integer({ min: 48, max: 1_048_576 }), fc.integer({ min: 0, max: 50 }), (cachesMb, threads) => {
        const sharedPct = { threads, innodb: 90 - threads, myisam: 10 }
        const memoryMb = memoryFor(cachesMb, { sharedPct })
        const { usableMb } = solveMemory({ ...resources, sharedPct, memoryMb })
        const engines = (usableMb * (100 - threads)) / 100
        expect(engines).to.be.at.least(cachesMb - 1)
        expect(engines).to.be.at.most(Math.max(64, cachesMb + 4))
      }),
    )
  })
})
