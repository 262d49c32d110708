// A table is dropped: its rows come back from a backup and stored binary logs, by one order; and backups prove themselves.
import { readFileSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { readTerms } from '../../lib/backup/binlog/term.js'
import { planReplay } from '../../lib/backup/restore/chain.js'
import type { RecoveryOrder } from '../../lib/backup/restore/recovery.js'
import { startRecovery } from '../../lib/backup/restore/start-recovery.js'
import { LogCollector } from '../../lib/backup/storing/collector.js'
import { startTransfer } from '../../lib/backup/stream/index.js'
import { unwrap } from '../../lib/base/result.js'
import { sleep } from '../../lib/base/time.js'
import { clientOptions } from '../../lib/connect/sql/client-options.js'
import type { Backup, LogStorage } from '../../lib/model/backup.js'
import { type Databases, startDatabases } from '../support/databases/database.js'
import { newDirectory } from '../support/machine/directories.js'
import { eventually } from '../support/wait.js'

const tools = { binlog: 'mariadb-binlog', client: 'mariadb', dump: 'mariadb-dump', myloader: 'myloader' }
const run = { signal: new AbortController().signal, log: (line: string) => lines.push(line), progress: () => undefined }
const lines: string[] = []

describe('recovery from a backup and stored binary logs', () => {
  let databases: Databases
  let directory: string
  let logs: string
  let collector: LogCollector
  let state: LogStorage | undefined
  let droppedAt: number
  const backups: Backup[] = []

  before(async () => {
    databases = await startDatabases({ count: 2, prefix: 'rec' })
    directory = newDirectory('recovery')
    logs = path.join(directory, 'binlogs')
    collector = new LogCollector({ directory: logs, serverId: 10_000, keep: 10, compress: true }, (report) => {
      if (report.type === 'state') state = report.state
    })
    const db1 = databases.node(0)
    collector.follow({ id: 'db1', target: db1.target('monitor'), flavour: 'mariadb', version: '' })
    await db1.sql('CREATE DATABASE shop')
    await db1.sql('CREATE TABLE shop.orders (id INT PRIMARY KEY, note VARCHAR(100))')
    for (let id = 1; id <= 50; id++) await db1.sql('INSERT INTO shop.orders VALUES (?, ?)', id, 'in the backup')
    backups.push(await physical(1), await logical(2))
    for (let id = 51; id <= 80; id++) await db1.sql('INSERT INTO shop.orders VALUES (?, ?)', id, 'in the logs')
    await db1.sql('FLUSH BINARY LOGS')
    for (let id = 81; id <= 90; id++) await db1.sql('INSERT INTO shop.orders VALUES (?, ?)', id, "in 'another' log\n")
    await sleep(1_100)
    droppedAt = Math.floor(Date.now() / 1_000) * 1_000
    await sleep(1_100)
    await db1.sql('DROP TABLE shop.orders')
    await db1.sql('CREATE TABLE shop.later (id INT PRIMARY KEY)')
    await stored()
  })

  after(async () => {
    await collector?.close()
    await databases?.teardown()
  })

  const stored = async () => {
    const asked = Date.now()
    await eventually(
      () => Number(state?.completeAt) > asked,
      () => `all is stored: ${JSON.stringify(state)}`,
    )
  }

  const backup = async (id: number, change: Partial<Backup>): Promise<Backup> => ({
    ...{ id, cluster: 'shop', strategy: 'full', toolVersion: '', server: 'db1', host: '127.0.0.1', port: 0 },
    ...{ flavour: 'mariadb', version: await databases.node(0).value('SELECT @@version'), state: 'valid', startedAt: 0 },
    ...{ place: 'directory', size: 0, rawSize: 0, compression: 'gzip', kind: 'physical', tool: 'mariabackup' },
    ...{ path: `copy-${id}` },
    ...change,
  })

  const place = () => ({ kind: 'directory', root: directory }) as const

  const physical = async (id: number): Promise<Backup> => {
    const db1 = databases.node(0)
    const login = path.join(directory, 'login.cnf')
    writeFileSync(login, clientOptions(db1.target()), { mode: 0o600 })
    const work = path.join(directory, 'work')
    const args = [
      `--defaults-file=${login}`,
      '--backup',
      '--stream=xbstream',
      `--target-dir=${work}`,
      `--datadir=${db1.dir}/data`,
    ]
    const made = await store(id, 'mariabackup', args)
    const line =
      made.programs.flatMap(({ lastLines }) => lastLines).find((text) => text.includes('GTID of the last change')) ?? ''
    const gtid = /GTID of the last change '([^']*)'/.exec(line)?.[1] ?? (await db1.value('SELECT @@gtid_binlog_pos'))
    return backup(id, { position: { gtid, file: '', offset: 0 }, checksum: made.checksum })
  }

  const logical = async (id: number): Promise<Backup> => {
    const login = path.join(directory, 'login.cnf')
    const gtid = await databases.node(0).value('SELECT @@gtid_binlog_pos')
    const args = [`--defaults-file=${login}`, '--single-transaction', '--all-databases', '--routines', '--events']
    const made = await store(id, 'mariadb-dump', args)
    return backup(id, {
      kind: 'logical',
      tool: 'mysqldump',
      position: { gtid, file: '', offset: 0 },
      checksum: made.checksum,
    })
  }

  const store = async (id: number, file: string, args: readonly string[]) =>
    unwrap(
      await startTransfer(
        {
          source: { type: 'program', file, args },
          sink: { type: 'stored', place: place(), path: `copy-${id}`, compression: 'gzip' },
          deadlineMs: 60_000,
        },
        { signal: run.signal },
      ).done,
    )

  const order = (index: number, change: Partial<RecoveryOrder>): RecoveryOrder => {
    const chosen = backups[index] as Backup
    const source = {
      ...({ type: 'stored', place: place(), path: chosen.path, compression: 'gzip' } as const),
      ...(chosen.checksum === undefined ? {} : { checksum: chosen.checksum }),
    }
    return {
      ...{ cluster: 'shop', copies: [{ backup: chosen, source }], logs, scratch: path.join(directory, 'scratch', '1') },
      ...{ tools, loadThreads: 2, loadOptions: [], deadlineMs: 120_000, purpose: { type: 'prove' } },
      ...change,
    }
  }

  for (const [index, kind] of ['physical', 'logical'].entries())
    it(`brings back the table just before its drop, from a ${kind} backup, as a dump of the schema`, async () => {
      const file = path.join(directory, `shop-${kind}.sql.gz`)
      const purpose = { type: 'dump', schema: 'shop', tables: ['orders'], file } as const
      const target = { type: 'time', at: droppedAt } as const
      const report = unwrap(await startRecovery(order(index, { purpose, target }), run))
      expect(report.replayedTo).to.be.lessThanOrEqual(droppedAt)
      const text = gunzipSync(readFileSync(file)).toString()
      const db2 = databases.node(1)
      await db2.sql('CREATE OR REPLACE DATABASE restored')
      await db2.sql('USE restored')
      for (const statement of text
        .split(/;\n/)
        .filter((each) => /^\s*(\/\*.*\*\/;?\s*)?(CREATE TABLE|INSERT INTO)/m.test(each)))
        await db2.sql(statement.replace(/^--.*$/gm, ''))
      expect(await db2.value('SELECT COUNT(*) FROM restored.orders')).to.equal('90')
      expect(await db2.value('SELECT note FROM restored.orders WHERE id = 85')).to.equal("in 'another' log\n")
      expect(await readdir(path.join(directory, 'scratch'))).to.deep.equal([])
    })

  it('finds the drop, and stops just before it or after it', async () => {
    const terms = unwrap(await readTerms(logs))
    const parts = { directory: logs, terms, position: backups[0]?.position?.gtid ?? '', startedAt: 0 }
    const all = unwrap(await planReplay({ ...parts, target: { type: 'end' } }))
    const timed = unwrap(await planReplay({ ...parts, target: { type: 'time', at: droppedAt } }))
    const drop = timed.next?.gtid ?? ''
    const before = unwrap(await planReplay({ ...parts, target: { type: 'gtid', gtid: drop, inclusive: false } }))
    const until = unwrap(await planReplay({ ...parts, target: { type: 'gtid', gtid: drop, inclusive: true } }))
    expect(before.last).to.deep.equal(timed.last)
    expect(until.last?.gtid).to.equal(drop)
    expect(all.last?.gtid).to.equal(await databases.node(0).value('SELECT @@gtid_binlog_pos'))
    expect(all.position).to.equal(all.last?.gtid)
  })

  it('proves a backup: the restored tables equal the source at the transaction of a snapshot', async () => {
    const db1 = databases.node(0)
    await db1.sql('CREATE TABLE shop.again (id INT PRIMARY KEY, note TEXT)')
    for (let id = 1; id <= 30; id++) await db1.sql('INSERT INTO shop.again VALUES (?, ?)', id, 'x'.repeat(id))
    const report = unwrap(
      await startRecovery(order(0, { purpose: { type: 'prove', source: db1.target('monitor') } }), run),
    )
    expect(report.proof?.result, JSON.stringify(report.proof)).to.equal('proven')
    expect(report.proof?.checks.find(({ name }) => name === 'comparison')?.detail).to.match(
      /^2 tables with 30 rows equal the source at 0-1-/,
    )
  })

  it('refutes a backup whose bytes have changed on disk', async () => {
    const file = path.join(directory, 'copy-1')
    const bytes = readFileSync(file)
    bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 0xff
    writeFileSync(file, bytes)
    const report = unwrap(await startRecovery(order(0, {}), run))
    expect(report.proof?.result).to.equal('refuted')
    expect(report.proof?.checks[0]).to.deep.include({ name: 'restore', passed: false })
  })

  it('replaces what a server holds, and saves it before', async () => {
    const db2 = databases.node(1)
    await db2.sql('CREATE DATABASE IF NOT EXISTS mine')
    const saved = path.join(directory, 'saved.sql.gz')
    const purpose = { type: 'load', onto: db2.target('monitor'), saved } as const
    const report = unwrap(await startRecovery(order(1, { purpose, target: { type: 'time', at: droppedAt } }), run))
    expect(await db2.value('SELECT COUNT(*) FROM shop.orders')).to.equal('90')
    expect(await db2.value(`SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'mine'`)).to.equal('0')
    expect(gunzipSync(readFileSync(saved)).toString()).to.match(/CREATE DATABASE.*`mine`/)
    expect(await db2.value('SELECT @@gtid_slave_pos')).to.equal(report.position)
  })
})
