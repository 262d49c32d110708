// A session of the manager has its own values, whatever a server gives to each: by asking real servers.
import net, { type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { fail, ok, unwrap } from '../../../../lib/base/result.js'
import { openSession } from '../../../../lib/connect/sql/mysql2-session.js'
import { startSession } from '../../../../lib/connect/sql/session-start.js'
import { ensureWholeRows } from '../../../../lib/connect/sql/whole-rows.js'
import { sessionStart, sessionValues, unknownVariable } from '../../../../lib/dialect/index.js'
import { greeting, okPacket, packet } from '../../../support/canned/packets.js'
import { type Databases, type Node, startDatabases } from '../../../support/databases/database.js'
import { findVersion, type VersionName } from '../../../support/databases/versions.js'
import { TcpGate } from '../../../support/machine/tcp-gate.js'
import { absent } from '../../../support/run/absent.js'

/** A default that hurts, by name; each alone and all together. */
const worst: Readonly<Record<string, string>> = {
  ...{ sql_mode: "'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'", autocommit: '0', time_zone: "'+09:00'", completion_type: '2' },
  ...{ sql_select_limit: '0', sql_big_selects: '0', max_statement_time: '0.01', max_execution_time: '1' },
  ...{ lock_wait_timeout: '1', innodb_lock_wait_timeout: '1', wait_timeout: '1', net_read_timeout: '1' },
  ...{ net_write_timeout: '1', idle_transaction_timeout: '1', idle_write_transaction_timeout: '1' },
  ...{ idle_readonly_transaction_timeout: '1', wsrep_sync_wait: '15', character_set_client: 'latin1' },
  ...{ character_set_results: 'ucs2', collation_connection: 'latin1_bin', sql_safe_updates: '1', unique_checks: '0' },
  ...{ foreign_key_checks: '0', sql_auto_is_null: '1', sql_quote_show_create: '0', group_concat_max_len: '4' },
  ...{ max_sort_length: '64', div_precision_increment: '0', default_storage_engine: "'CSV'" },
  ...{ alter_algorithm: "'INSTANT'", max_recursive_iterations: '1', tmp_disk_table_size: '1024' },
  max_session_mem_used: '100000',
}

const readOnly = ['tx_read_only', 'transaction_read_only']

const engines: readonly ('mariadb' | VersionName)[] = ['mariadb', 'mariadb-11.8', 'mysql-8.0', 'mysql-9']
const isOf = (name: string, software: string): boolean =>
  sessionValues.some((row) => row.name === name && (row.only === undefined || software.startsWith(row.only)))

for (const software of engines) {
  const version = software === 'mariadb' ? undefined : await findVersion(software)
  if (version?.available === false) absent(`a session on ${software}`, version.reason)
  else
    describe(`a session on ${software}`, () => {
      let databases: Databases
      let node: Node
      before(async () => {
        databases = await startDatabases({ count: 1, prefix: 'start', ...(version ? { software } : {}) })
        node = databases.node(0)
      })
      after(() => databases?.teardown())

      /** Of a new session: every variable that is set, and how transactions begin. */
      const read = async () => {
        const session = unwrap(await openSession(node.target()))
        const [rows = []] = unwrap(await session.run('SHOW SESSION VARIABLES', [], 10_000))
        session.close()
        const all = new Map(rows.map(({ Variable_name, Value }) => [String(Variable_name), String(Value)]))
        const names = [...sessionValues.map(({ name }) => name), 'tx_isolation', 'transaction_isolation', ...readOnly]
        return Object.fromEntries(names.map((name) => [name, all.get(name)]))
      }
      for (const [name, value] of Object.entries(worst).filter(([one]) => isOf(one, software)))
        it(`has what it needs where the server gives ${name}=${value}`, async () => {
          const normal = await read()
          expect(normal[name], 'known to this version').to.not.equal(undefined)
          await node.sql(`SET GLOBAL ${name}=${value}`)
          const seen = await read()
          await node.sql(`SET GLOBAL ${name}=DEFAULT`)
          expect(seen).to.deep.equal(normal)
        })

      it('has what it needs where transactions would be serializable and read only', async () => {
        const normal = await read()
        await node.sql('SET GLOBAL TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY')
        const seen = await read()
        await node.sql('SET GLOBAL TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ WRITE')
        expect(seen).to.deep.equal(normal)
      })

      it('begins for an account without privileges', async () => {
        await node.sql("CREATE USER poor@'127.0.0.1' IDENTIFIED BY 'poor'")
        const opened = await openSession({ ...node.target(), user: 'poor', password: 'poor' })
        expect(opened.ok ? '' : opened.failure.message).to.equal('')
        if (opened.ok) opened.value.close()
      })

      it('finds that a dump program would read a part of each table', async () => {
        expect(await ensureWholeRows(node.target(), 'backup-refused')).to.have.property('ok', true)
        await node.sql('SET GLOBAL sql_select_limit=1000')
        const refused = await ensureWholeRows(node.target(), 'backup-refused')
        await node.sql('SET GLOBAL sql_select_limit=DEFAULT')
        expect(refused.ok ? '' : refused.failure.message).to.include('1000 rows of each table')
      })
    })
}

describe('startSession', () => {
  const unknown = (name: string) => fail('sql-failed', `db1: error 1193: Unknown system variable '${name}'`)

  it('asks again without a name that the server does not know, and remembers it for its version', async () => {
    const texts: string[] = []
    const run = async (sql: string) => {
      texts.push(sql)
      return /max_sort_length/.test(sql) ? unknown('max_sort_length') : ok([])
    }
    expect(await startSession('99.1-odd', 'SELECT 1', run)).to.deep.equal(ok([]))
    expect(texts).to.have.length(2)
    expect(texts[1]).to.equal(`${sessionStart('99.1-odd', new Set(['max_sort_length']))};SELECT 1`)
    await startSession('99.1-odd', '', run)
    expect(texts).to.have.length(3)
    await startSession('99.2-odd', '', run)
    expect(texts).to.have.length(5)
  })

  it('ends with any other failure, and with a name that it did not send', async () => {
    for (const failure of [unknown('no_such'), fail('sql-failed', 'db1: error 1227: denied')]) {
      let asked = 0
      const run = async () => {
        asked += 1
        return failure
      }
      expect(await startSession('99.3-odd', '', run)).to.equal(failure)
      expect(asked).to.equal(1)
    }
  })
})

describe('openSession', () => {
  /** So long each byte takes, and the time that a login has. */
  const [onewayMs, limitMs] = [200, 5_000]

  /** Refuses a name of the first statement, and does not answer the second. */
  async function startForgetful(): Promise<net.Server> {
    const refusal = Buffer.from("\xff\xa9\x04#HY000Unknown system variable 'max_sort_length'", 'latin1')
    const server = net.createServer((socket) => {
      socket.on('error', () => undefined)
      socket.write(greeting('98.7-forgetful', 1))
      socket.once('data', () => {
        socket.write(okPacket(2))
        socket.once('data', () => socket.write(packet(1, refusal)))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return server
  }

  /** A greeting, a login and its answer, a statement and its answer. */
  const ONE_WAYS = 5

  it('has one time for all that it asks: a name that a server does not know does not begin it again', async () => {
    const server = await startForgetful()
    const gate = await TcpGate.create()
    gate.delayMs = onewayMs
    await gate.lead((server.address() as AddressInfo).port)
    const login = { user: 'monitor', password: '', connectTimeoutMs: limitMs }
    const opened = await openSession({ host: '127.0.0.1', port: gate.port, ...login })
    await gate.close()
    server.close()
    const left = Number(/no answer within (\d+) ms/.exec(opened.ok ? '' : opened.failure.message)?.[1] ?? limitMs)
    expect(left, opened.ok ? 'opened' : opened.failure.message).to.be.at.most(limitMs - ONE_WAYS * onewayMs)
  })
})

describe('sessionStart', () => {
  it('has the names of a flavour only', () => {
    expect(sessionStart('10.11.6-MariaDB-log')).to.include('max_statement_time=0').and.not.include('max_execution_time')
    expect(sessionStart('8.0.36')).to.include('max_execution_time=0').and.not.include('max_statement_time')
  })

  it('has a worst case of each name in this spec', () => {
    expect(Object.keys(worst).sort()).to.deep.equal(sessionValues.map(({ name }) => name).sort())
  })
})

describe('unknownVariable', () => {
  it('is the name of an error 1193, in any language', () => {
    expect(unknownVariable("db1: error 1193: Unbekannte Systemvariable 'max_sort_length'")).to.equal('max_sort_length')
    expect(unknownVariable("db1: error 1231: Variable 'max_sort_length'")).to.equal(undefined)
  })
})
