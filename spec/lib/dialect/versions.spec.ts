// The terms that each version understands: the tables of renamed statements.
import { expect } from 'chai'
import { dialectFor, parseIdentity, quoteIdentifier, serverReads } from '../../../lib/dialect/index.js'
import type { Flavour } from '../../../lib/model/server/version.js'
import { parseVersion } from '../../../lib/model/server/version.js'

const of = (flavour: Flavour, versionText: string, optionalVariables: readonly string[] = []) =>
  dialectFor({ flavour, versionText, version: parseVersion(versionText), optionalVariables })

const source = {
  host: 'db1',
  port: 3306,
  user: 'repl',
  password: 'secret',
  heartbeatSeconds: 1,
  connectRetrySeconds: 5,
  tls: true,
  delaySeconds: 0,
  demote: false,
}

describe('parseIdentity', () => {
  const identity = (version: string, comment: string, variables: Record<string, string> = {}) =>
    parseIdentity([
      [{ version, comment }],
      Object.entries(variables).map(([Variable_name, Value]) => ({ Variable_name, Value })),
      [{ Variable_name: 'Uptime', Value: '42' }],
    ])

  it('knows flavours by version and comment', () => {
    expect(identity('10.6.18-MariaDB-log', 'mariadb.org binary').identity.flavour).to.equal('mariadb')
    expect(identity('8.0.36-28', 'Percona Server (GPL)').identity.flavour).to.equal('percona')
    expect(identity('8.4.3', 'MySQL Community Server - GPL').identity.flavour).to.equal('mysql')
    expect(identity('8.4.3', '').uptimeSeconds).to.equal(42)
  })

  it('knows the semi-synchronous variables that are there', () => {
    const names = identity('8.0.30', '', { rpl_semi_sync_replica_enabled: 'OFF' }).identity.optionalVariables
    expect(names).to.deep.equal(['rpl_semi_sync_replica_enabled'])
  })

  it('knows a member of a Galera cluster: it is switched on, with a provider', () => {
    const galera = (variables: Record<string, string>) => identity('x', '', variables).identity.galera
    const provider = '/usr/lib/galera/libgalera_smm.so'
    expect(galera({ wsrep_on: 'ON', wsrep_provider: provider })).to.equal(true)
    expect(galera({ wsrep_on: 'OFF', wsrep_provider: provider })).to.equal(undefined)
    expect(galera({ wsrep_on: 'ON', wsrep_provider: 'none' })).to.equal(undefined)
    expect(galera({})).to.equal(undefined)
  })

  it('knows the reserved address: an extra port, or a separate admin address', () => {
    const reserved = (variables: Record<string, string>) => identity('x', '', variables).identity.reserved
    expect(reserved({ extra_port: '3307' })).to.deep.equal({ port: 3307 })
    expect(reserved({ admin_port: '33062', admin_address: '10.0.0.5' })).to.deep.equal({
      port: 33062,
      host: '10.0.0.5',
    })
    expect(reserved({ admin_port: '33062', admin_address: '' })).to.equal(undefined)
    expect(reserved({ extra_port: '0' })).to.equal(undefined)
  })
})

describe('dialectFor', () => {
  const mysqlWords: readonly [version: string, status: string, change: RegExp, binlog: string, variable: string][] = [
    ['8.0.19', 'SHOW SLAVE STATUS', /^CHANGE MASTER TO MASTER_HOST/, 'SHOW MASTER STATUS', 'log_slave_updates'],
    ['8.0.22', 'SHOW REPLICA STATUS', /^CHANGE MASTER TO MASTER_HOST/, 'SHOW MASTER STATUS', 'log_slave_updates'],
    ['8.0.23', 'SHOW REPLICA STATUS', /^CHANGE REPLICATION SOURCE/, 'SHOW MASTER STATUS', 'log_slave_updates'],
    ['8.0.26', 'SHOW REPLICA STATUS', /^CHANGE REPLICATION SOURCE/, 'SHOW MASTER STATUS', 'log_replica_updates'],
    ['8.2.0', 'SHOW REPLICA STATUS', /^CHANGE REPLICATION SOURCE/, 'SHOW BINARY LOG STATUS', 'log_replica_updates'],
    ['8.4.6', 'SHOW REPLICA STATUS', /^CHANGE REPLICATION SOURCE/, 'SHOW BINARY LOG STATUS', 'log_replica_updates'],
    ['9.7.4', 'SHOW REPLICA STATUS', /^CHANGE REPLICATION SOURCE/, 'SHOW BINARY LOG STATUS', 'log_replica_updates'],
  ]
  for (const [version, status, change, binlog, variable] of mysqlWords)
    it(`uses the statements of MySQL ${version}`, () => {
      const dialect = of('mysql', version)
      expect(dialect.replicaStatus().sql).to.equal(status)
      expect(dialect.changeSource('', source)[0]?.sql).to.match(change)
      expect(dialect.binlogStatus().sql).to.equal(binlog)
      expect(dialect.fastProbe).to.contain(`@@GLOBAL.${variable} AS log_updates`).and.to.contain(`;${status};`)
      expect(dialect.stopReceiving('')[0]?.sql).to.match(/^STOP (SLAVE|REPLICA) IO_THREAD FOR CHANNEL \?$/)
    })

  it('mixes no old and new terms in one CHANGE statement', () => {
    for (const [version] of mysqlWords) {
      const sql = of('mysql', version).changeSource('', source)[0]?.sql ?? ''
      expect(/MASTER/.test(sql), version).to.not.equal(/SOURCE/.test(sql))
      expect(sql).to.match(/(MASTER|SOURCE)_AUTO_POSITION = \?/)
    }
  })

  it('names only semi-synchronous variables that exist', () => {
    expect(of('mysql', '8.4.0').fastProbe).to.not.contain('semi')
    expect(of('mysql', '8.4.0').semiSyncStatus).to.equal(undefined)
    expect(of('mysql', '8.4.0').setSemiSync({ source: true, replica: true })).to.deep.equal([])
    const old = of('percona', '8.0.30', ['rpl_semi_sync_master_enabled'])
    expect(old.fastProbe)
      .to.contain('rpl_semi_sync_master_wait_no_slave')
      .and.not.contain('rpl_semi_sync_slave_enabled')
    expect(old.setSemiSync({ source: true, replica: true }).map(({ sql }) => sql)).to.deep.equal([
      'SET GLOBAL rpl_semi_sync_master_enabled = 1',
    ])
    const both = of('mysql', '8.4.0', ['rpl_semi_sync_source_enabled', 'rpl_semi_sync_replica_enabled'])
    expect(both.fastProbe).to.contain('rpl_semi_sync_source_wait_no_replica')
    expect(both.setSemiSync({ source: false, replica: true }).map(({ sql }) => sql)).to.deep.equal([
      'SET GLOBAL rpl_semi_sync_source_enabled = 0',
      'SET GLOBAL rpl_semi_sync_replica_enabled = 1',
    ])
  })

  it('names the files of a TLS connection by the words of the version', () => {
    const tlsFiles = { cert: '/cert.pem', verify: true } as const
    const change = (flavour: 'mariadb' | 'mysql', version: string) =>
      of(flavour, version).changeSource('', { ...source, tls: true, tlsFiles })[0]
    for (const [flavour, version, word] of [
      ['mariadb', '10.11.19-MariaDB', 'MASTER'],
      ['mysql', '8.0.22', 'MASTER'],
      ['mysql', '9.7.4', 'SOURCE'],
    ] as const) {
      const { sql = '', values = [] } = change(flavour, version) ?? {}
      expect(sql).to.include(`${word}_SSL_CERT = ?, ${word}_SSL_VERIFY_SERVER_CERT = ?`)
      expect(values).to.include('/cert.pem')
      expect(sql.split('?')).to.have.length(values.length + 1)
    }
  })

  it('demotes a former MariaDB primary by the statement of its version', () => {
    const text = (version: string, demote: boolean) =>
      of('mariadb', version).changeSource('', { ...source, demote })[0]?.sql ?? ''
    expect(text('10.6.18-MariaDB', true)).to.match(/MASTER_USE_GTID = current_pos$/)
    expect(text('10.11.19-MariaDB', true)).to.match(/slave_pos, MASTER_DEMOTE_TO_SLAVE = 1$/)
    expect(text('10.11.19-MariaDB', false)).to.match(/MASTER_USE_GTID = slave_pos$/)
  })

  it('puts no value into a text', () => {
    const evil = "'; DROP TABLE x; -- "
    for (const dialect of [of('mariadb', '11.8.6-MariaDB'), of('mysql', '8.0.19'), of('mysql', '9.7.4')]) {
      const statements = [
        ...dialect.changeSource(evil, { ...source, host: evil, user: evil, password: evil }),
        ...dialect.stopReplication(evil),
        ...dialect.startReplication(evil),
        ...dialect.stopReceiving(evil),
        ...dialect.forgetSource(evil),
        ...dialect.setReplicaPosition(evil),
        dialect.waitApplied(evil, 1),
        ...Object.values(dialect.slowProbe(evil)),
      ]
      for (const { sql } of statements) expect(sql).to.not.contain(evil)
      expect(statements.flatMap(({ values }) => values)).to.include(evil)
    }
  })

  it('gives every statement as many values as places', () => {
    for (const dialect of [of('mariadb', '10.6.1-MariaDB'), of('mysql', '8.0.19'), of('mysql', '9.7.4')])
      for (const { sql, values } of [
        ...dialect.changeSource('c', source),
        ...dialect.globalReadLock(3),
        ...dialect.flushTables(3),
        ...dialect.setReadOnly(true, 3),
        ...dialect.stopReceiving('c'),
        dialect.longWrites(10),
        ...serverReads.flatMap((what) => {
          const step = dialect.read(what, { rows: 50, idle: true })
          return step.type === 'ask' ? [step.statement] : []
        }),
        dialect.waitApplied('0-1-2', 3),
        dialect.unfinishedWrites(),
        dialect.waitingCommits(),
        ...dialect.releaseCommits(),
        dialect.killSession(7),
      ])
        expect(sql.split('?').length - 1, sql).to.equal(values.length)
  })

  it('never waits indefinitely', () => {
    expect(of('mysql', '9.7.4').waitApplied('a:1', 0).values[1]).to.be.above(0)
    expect(
      of('mariadb', '10.11.2-MariaDB')
        .globalReadLock(0)
        .flatMap(({ values }) => values),
    ).to.not.include(0)
  })

  it('writes sets as the server reads them', () => {
    expect(of('mariadb', '10.11.2-MariaDB').positionText({ 0: [[1, 7]], 3: [[1, 2]] })).to.equal('0-1-7,3-1-2')
    expect(
      of('mysql', '9.7.4').positionText({
        aa: [
          [1, 3],
          [5, 5],
        ],
        bb: [[1, 1]],
      }),
    ).to.equal('aa:1-3:5,bb:1')
  })
})

describe('quoteIdentifier', () => {
  it('doubles backticks', () => {
    expect(quoteIdentifier('a`b')).to.equal('`a``b`')
    expect(quoteIdentifier('plain')).to.equal('`plain`')
  })

  it('refuses what cannot be a name', () => {
    expect(() => quoteIdentifier('')).to.throw(RangeError)
    expect(() => quoteIdentifier('a\0b')).to.throw(RangeError)
  })
})
