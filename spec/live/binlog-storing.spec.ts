// Binary logs are stored while they are written: byte for byte, across reconnections, rotations and a failover.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { pathOf, readTerms, type Term } from '../../lib/backup/binlog/term.js'
import { LogCollector } from '../../lib/backup/storing/collector.js'
import type { LogSource, StoringReport, StoringSettings } from '../../lib/backup/storing/storing-state.js'
import { unwrap } from '../../lib/base/result.js'
import type { LogStorage } from '../../lib/model/backup.js'
import { type Databases, type Node, purgeLogs, startDatabases } from '../support/databases/database.js'
import { emptyData } from '../support/databases/disk-copy.js'
import { needSoftware } from '../support/databases/versions.js'
import { newDirectory } from '../support/machine/directories.js'
import { eventually } from '../support/wait.js'

for (const software of ['mariadb', 'mysql-9'] as const)
  describe(`binary logs stored from ${software}`, () => {
    let databases: Databases
    let directory: string
    let collector: LogCollector
    let state: LogStorage | undefined
    const lines: string[] = []
    const rotated: string[] = []

    before(async function () {
      await needSoftware(this, software)
      databases = await startDatabases({ count: 3, software, prefix: 'log' })
      directory = newDirectory('binlogs')
      collector = new LogCollector(settings(), take)
    })

    after(async () => {
      await collector?.close()
      await databases?.teardown()
    })

    const settings = (change: Partial<StoringSettings> = {}): StoringSettings => ({
      ...{ directory, serverId: 10_000, keep: 10, compress: true },
      ...change,
    })

    const take = (report: StoringReport) => {
      if (report.type === 'state') state = report.state
      if (report.type === 'line') lines.push(report.text)
      if (report.type === 'rotated') rotated.push(report.file)
    }

    const source = (node: Node): LogSource => ({
      ...{ id: node.name, target: node.target('monitor') },
      ...{ flavour: software === 'mariadb' ? 'mariadb' : 'mysql', version: '' },
    })

    const until = (what: string, holds: () => boolean | Promise<boolean>) =>
      eventually(holds, () => `${what}; ${JSON.stringify(state)}; ${lines.join('\n')}`)

    const terms = async (): Promise<readonly Term[]> => unwrap(await readTerms(directory))

    const complete = async (node: Node) => {
      const end = await node.sql(software === 'mariadb' ? 'SHOW MASTER STATUS' : 'SHOW BINARY LOG STATUS')
      const [{ File = '', Position = 0 } = {}] = end
      await until(
        `${node.name} ${File} ${Position} stored`,
        () => state?.file === File && Number(state?.offset) >= Number(Position),
      )
    }

    const bytesOf = (term: Term, name: string): Buffer => {
      const file = term.files.find((each) => each.name === name)
      if (!file) throw new Error(`${name} is not in the index of ${term.id}`)
      const bytes = readFileSync(pathOf(directory, term, file))
      return file.stored.endsWith('.gz') ? gunzipSync(bytes) : bytes
    }

    /** The server marks a file that is open in byte 21. */
    const closedForm = (bytes: Buffer): Buffer => {
      bytes[4 + 17] = 0
      return bytes
    }

    it('stores every byte, and knows the instant up to which nothing is missing', async () => {
      const db1 = databases.node(0)
      await db1.sql('CREATE DATABASE shop')
      await db1.sql('CREATE TABLE shop.t (id INT PRIMARY KEY, a VARCHAR(100))')
      collector.follow(source(db1))
      await until('connected', () => state?.connected === true)
      const asked = Date.now()
      for (let id = 1; id <= 50; id++) await db1.sql('INSERT INTO shop.t VALUES (?, ?)', id, 'x'.repeat(id))
      await complete(db1)
      await until('complete up to after the writes', () => Number(state?.completeAt) > asked)
      await db1.sql('FLUSH BINARY LOGS')
      await until('rotated', () => rotated.includes('bin.000001'))
      const [term] = await terms()
      if (!term) throw new Error('no term')
      const original = closedForm(readFileSync(path.join(db1.dir, 'data/bin.000001')))
      expect(closedForm(bytesOf(term, 'bin.000001')).equals(original)).to.equal(true)
      const file = term.files.find(({ name }) => name === 'bin.000001')
      expect(file).to.include({ closed: true, stored: 'bin.000001.gz', size: original.length })
      expect(term.gap).to.equal(undefined)
    })

    it('goes on after its process is killed, without a hole and without a copy', async () => {
      const db1 = databases.node(0)
      for (let id = 100; id <= 120; id++) await db1.sql('INSERT INTO shop.t VALUES (?, ?)', id, 'before')
      await complete(db1)
      const former = collector.pid ?? 0
      process.kill(former, 'SIGKILL')
      for (let id = 121; id <= 140; id++) await db1.sql('INSERT INTO shop.t VALUES (?, ?)', id, 'while it is away')
      await until('another process', () => collector.pid !== undefined && collector.pid !== former)
      await complete(db1)
      const [term, ...others] = await terms()
      expect(others).to.deep.equal([])
      await db1.sql('FLUSH BINARY LOGS')
      await until('rotated', () => rotated.includes('bin.000002'))
      const [packed] = await terms()
      const original = closedForm(readFileSync(path.join(db1.dir, 'data/bin.000002')))
      expect(closedForm(bytesOf(packed ?? (term as Term), 'bin.000002')).equals(original)).to.equal(true)
    })

    it('begins a term with a primary that has none of it, and names the gap', async () => {
      const db2 = databases.node(1)
      await db2.sql('CREATE DATABASE other')
      // Nobody can store any longer what this server did before.
      await purgeLogs(db2)
      await db2.sql('CREATE TABLE other.t (id INT PRIMARY KEY)')
      collector.follow(source(db2))
      await until('the second server', () => state?.server === db2.name && state.connected)
      await complete(db2)
      const [first, other] = await terms()
      expect(first?.endedAt).to.be.a('number')
      expect(other?.gap).to.be.a('string')
      expect(other?.tail).to.be.a('string')
      expect(lines.join('\n')).to.match(/begin with a gap/)
    })

    it('keeps as many closed files as configured, and those that a backup needs', async () => {
      const db2 = databases.node(1)
      collector.configure(settings({ keep: 2, neededFrom: 0 }))
      const before = rotated.length
      for (let count = 0; count < 3; count++) await db2.sql('FLUSH BINARY LOGS')
      await complete(db2)
      // The index has a closed file once it is packed, and only then another one could be removed.
      await until('three more closed files', () => rotated.length === before + 3)
      const needed = (await terms()).flatMap(({ files }) => files).length
      expect(needed).to.be.greaterThan(4)
      collector.configure(settings({ keep: 2 }))
      await db2.sql('FLUSH BINARY LOGS')
      await complete(db2)
      await until('purged', async () => (await terms()).flatMap(({ files }) => files).length <= 3)
    })

    for (const [what, rows] of [
      ['a shorter log', 1],
      ['a longer log', 200],
    ] as const)
      it(`begins a term with a server that was emptied and writes ${what} of the same name, and keeps the former one`, async () => {
        const db3 = databases.node(2)
        await write(db3, `former_${rows}`, 40)
        collector.configure(settings({ keep: 10 }))
        collector.follow(source(db3))
        await until('the third server', () => state?.server === db3.name && state.connected)
        await complete(db3)
        await stop()
        const former = (await terms()).at(-1)
        const kept = bytesOf(former as Term, 'bin.000001')
        await db3.kill()
        await emptyData(db3)
        db3.start()
        await db3.waitUp()
        await write(db3, 'later', rows)
        collector = new LogCollector(settings(), take)
        collector.follow(source(db3))
        await until('another term', async () => (await terms()).at(-1)?.id !== former?.id)
        await complete(db3)
        await stop()
        const later = (await terms()).at(-1) as Term
        expect(later.gap).to.equal(undefined)
        const original = closedForm(readFileSync(path.join(db3.dir, 'data/bin.000001')))
        expect(closedForm(bytesOf(later, 'bin.000001')).equals(original)).to.equal(true)
        expect(bytesOf((await terms()).at(-2) as Term, 'bin.000001').equals(kept)).to.equal(true)
        collector = new LogCollector(settings(), take)
      })

    /** What it said before is not taken for what the next one says. */
    async function stop(): Promise<void> {
      await collector.close()
      state = undefined
    }

    async function write(node: Node, name: string, rows: number): Promise<void> {
      await node.sql(`CREATE DATABASE IF NOT EXISTS ${name}`)
      await node.sql(`CREATE TABLE ${name}.t (id INT PRIMARY KEY, a VARCHAR(1000))`)
      for (let id = 1; id <= rows; id++) await node.sql(`INSERT INTO ${name}.t VALUES (?, ?)`, id, 'x'.repeat(900))
    }
  })
