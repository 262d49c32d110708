// Checksums on real servers: tables of every type, composite keys, collations and NULLs; what differs is found row by row.
import { expect } from 'chai'
import { ok, unwrap } from '../../../../lib/base/result.js'
import { openSession } from '../../../../lib/connect/sql/mysql2-session.js'
import { listedKeys } from '../../../../lib/decide/checksum/repair.js'
import { type Dialect, dialectFor, identify, parseIdentity } from '../../../../lib/dialect/index.js'
import { compareTable, type TableRun } from '../../../../lib/effect/checksum/compare-table.js'
import { listTablesOf } from '../../../../lib/effect/checksum/list-tables.js'
import { Peer } from '../../../../lib/effect/checksum/peer.js'
import { repairRows, whyUnfit } from '../../../../lib/effect/checksum/repair-rows.js'
import { type ScanRun, scanDefinitions } from '../../../../lib/effect/checksum/scan-definitions.js'
import type { TableChecksum } from '../../../../lib/model/checksum/checksum.js'
import { caughtUp, type Databases, type Node, replicate, startDatabases } from '../../../support/databases/database.js'
import { needSoftware } from '../../../support/databases/versions.js'

const everyType = {
  mariadb: ', j JSON, u UUID, i6 INET6',
  mysql: ', j JSON',
}

const tables = (flavour: 'mariadb' | 'mysql'): readonly string[] => [
  `shop.everything (id BIGINT UNSIGNED PRIMARY KEY, t TINYINT, d DECIMAL(20,5), f FLOAT, e DOUBLE, b BIT(9), c CHAR(4),
    v VARCHAR(40) CHARACTER SET latin1, x TEXT, y VARBINARY(20), z BLOB, dt DATE, ti TIME(3), da DATETIME(6),
    ts TIMESTAMP(3) NULL, yr YEAR, en ENUM('a','b,c'), se SET('p','q'), g GEOMETRY, ge INT AS (t + 1) STORED,
    vi INT AS (t + 2) VIRTUAL${everyType[flavour]})`,
  'shop.composite (a INT, b VARCHAR(20) COLLATE utf8mb4_general_ci, c DATETIME(3), note TEXT, PRIMARY KEY (a, b, c))',
  'shop.nullable (a INT, b VARBINARY(8), note TEXT, UNIQUE KEY ab (a, b))',
  "shop.enumerated (k ENUM('z','m','a'), n DECIMAL(6,2), note TEXT, PRIMARY KEY (k, n))",
  'shop.keyless (a INT, note TEXT)',
  'shop.same (id INT PRIMARY KEY, note TEXT)',
]

const numbers = (n: number) => Array.from({ length: n }, (_, index) => index + 1)

async function fill(node: Node, flavour: 'mariadb' | 'mysql'): Promise<void> {
  await node.sql('CREATE DATABASE shop')
  for (const table of tables(flavour)) await node.sql(`CREATE TABLE ${table}`)
  const more = { mariadb: ", '{\"a\": 1}', UUID(), '::1'", mysql: ', \'{"a": 1}\'' }[flavour]
  const names = { mariadb: ', j, u, i6', mysql: ', j' }[flavour]
  const everything = numbers(40).map(
    (n) =>
      `(${n}, ${n % 7}, ${n}.12345, ${n} / 3, ${n} / 7, ${n}, 'c${n % 10}', _utf8mb4 'é${n}', REPEAT('x', ${n}), x'00FF0${n % 10}', x'0102', ` +
      `'2024-02-0${1 + (n % 9)}', '-12:00:01.${100 + n}', '2024-02-29 12:00:00.${100_000 + n}', '2024-06-01 00:00:00.5', ` +
      `${2000 + n}, '${n % 2 ? 'a' : 'b,c'}', 'p', ST_GeomFromText('POINT(${n} 2)')${more})`,
  )
  await node.sql(
    `INSERT INTO shop.everything (id, t, d, f, e, b, c, v, x, y, z, dt, ti, da, ts, yr, en, se, g${names}) VALUES ${everything.join()}`,
  )
  await node.sql('INSERT INTO shop.everything (id) VALUES (18446744073709551615)')
  const composite = numbers(3).flatMap((a) =>
    ['Ä', 'ab', 'B', "it's", '100%', 'z'].map(
      (b) => `(${a}, '${b.replaceAll("'", "''")}', '2024-01-01 00:00:00.12${a}', 'n')`,
    ),
  )
  await node.sql(`INSERT INTO shop.composite VALUES ${composite.join()}`)
  await node.sql(
    "INSERT INTO shop.nullable VALUES (NULL, NULL, 'n'), (NULL, NULL, 'n'), (NULL, x'00', 'n'), (1, NULL, 'n'), (1, x'FF', 'n'), (2, x'', 'n')",
  )
  await node.sql("INSERT INTO shop.enumerated VALUES ('z', -1.5, 'n'), ('a', 2, 'n'), ('m', 3.25, 'n'), ('a', -4, 'n')")
  await node.sql("INSERT INTO shop.keyless VALUES (1, 'n'), (1, 'n'), (2, NULL)")
  await node.sql(
    `INSERT INTO shop.same VALUES ${numbers(2_500)
      .map((n) => `(${n}, 'n${n}')`)
      .join()}`,
  )
}

for (const software of ['mariadb', 'mysql-9'] as const)
  describe(`compareTable on ${software}`, () => {
    const flavour = software === 'mysql-9' ? 'mysql' : 'mariadb'
    const end = new AbortController()
    let databases: Databases | undefined
    let primary: Node
    let replica: Node
    let peers: readonly [Peer, Peer]

    const peerOf = async (node: Node): Promise<Peer> => {
      const target = node.target('monitor')
      const session = unwrap(await openSession(target))
      const answer = unwrap(await session.run(identify.sql, identify.values, 30_000))
      session.close()
      const dialect: Dialect = dialectFor(parseIdentity(answer).identity)
      return new Peer({ id: node.name, name: node.name, target, dialect, causal: false }, end.signal)
    }

    before(async function () {
      await needSoftware(this, software)
      databases = await startDatabases({ count: 2, prefix: 'sums', software })
      primary = databases.node(0)
      replica = databases.node(1)
      await replicate(primary, [replica])
      await fill(primary, flavour)
      await caughtUp(primary, replica)
      peers = [await peerOf(primary), await peerOf(replica)]
    })
    after(async () => {
      end.abort()
      await databases?.teardown()
    })

    const run = (change: Partial<TableRun> = {}): TableRun => ({
      ...{ primary: peers[0], replicas: [peers[1]], job: 1, signal: end.signal },
      ...{ obstacle: () => undefined, lag: () => undefined, bounds: () => ({ lagSeconds: 0, running: 0 }) },
      ...{ mayGoOn: () => ok(undefined), report: () => undefined, log: () => undefined },
      ...change,
    })
    const compare = async (table: string, change: Partial<TableRun> = {}, before?: TableChecksum) =>
      unwrap(await compareTable({ schema: 'shop', table }, run(change), before))
    const alone = async (sql: string) => {
      await replica.sql(`SET SESSION sql_log_bin = 0; ${sql}`)
    }
    const rowsOf = ({ differences }: TableChecksum) =>
      differences.flatMap(({ rows }) => rows.map(({ kind, key }) => `${kind} ${key.join('|')}`))

    it('finds every table of the clients equal after it was replicated', async () => {
      const listed = unwrap(await listTablesOf(peers[0], ['none'])).tables
      const found = await Promise.all(listed.filter(({ schema }) => schema === 'shop').map((one) => one.table))
      expect(found).to.include.members(['composite', 'enumerated', 'everything', 'keyless', 'nullable', 'same'])
      for (const table of found) {
        const { state, reason, servers } = await compare(table)
        expect([table, state, reason, servers.map(({ verdict }) => verdict)]).to.deep.equal([
          ...[table, 'equal', undefined],
          ['equal'],
        ])
      }
    })

    it('reads the definitions of all tables, equal on both, also of one that a client has locked', async () => {
      const locked = unwrap(await openSession(primary.target('monitor')))
      unwrap(await locked.run('LOCK TABLES shop.same WRITE', [], 30_000))
      const scan = async (peer: Peer): Promise<readonly string[]> => {
        const all: string[] = []
        const found: ScanRun['found'] = ({ table }, lines) =>
          all.push(...(lines.ok ? lines.value : [`${table} unread`]))
        unwrap(
          await scanDefinitions(peer, { besides: ['none'], signal: end.signal, mayGoOn: () => ok(undefined), found }),
        )
        return all.filter((line) => line.startsWith('shop.'))
      }
      const [own, others] = [await scan(peers[0]), await scan(peers[1])]
      locked.close()
      expect(own).to.deep.equal(others)
      expect(own).to.include('shop.same index PRIMARY=UNIQUE BTREE (id)')
      expect(own).to.include('shop.composite columns=a, b, c, note')
      expect(own.find((line) => line.startsWith('shop.everything column ge='))).to.match(
        /^[^=]*=int.* AS \(.*t.*1.*\)$/,
      )
    })

    it('counts every row in exactly one part, and continues after a cursor', async () => {
      const reported: TableChecksum[] = []
      const whole = await compare('same', { report: (found) => reported.push(found) })
      expect(whole.rows).to.equal(2_500)
      expect(whole.chunks).to.be.greaterThan(1)
      const [first] = reported
      const continued = await compare('same', {}, first)
      expect([continued.rows, continued.crc, continued.state]).to.deep.equal([whole.rows, whole.crc, 'equal'])
    })

    it('finds rows that are changed, missing and extra, by their keys', async () => {
      await alone("UPDATE shop.same SET note = 'other' WHERE id IN (7, 1500, 2400)")
      await alone('DELETE FROM shop.same WHERE id = 1200')
      await alone("INSERT INTO shop.same VALUES (9000, 'extra')")
      const found = await compare('same')
      expect(found.state).to.equal('different')
      expect(rowsOf(found)).to.deep.equal(['changed 7', 'missing 1200', 'changed 1500', 'changed 2400', 'extra 9000'])
      expect(found.differences.every(({ predicate }) => predicate.includes('`id`'))).to.equal(true)
    })

    it('finds the last digit of a float, a case of a text, and bytes that no character set has', async () => {
      await alone('UPDATE shop.everything SET f = f + 0.0000001 * f WHERE id = 3')
      await alone("UPDATE shop.everything SET c = 'C4' WHERE id = 4")
      await alone("UPDATE shop.everything SET y = x'00FE05' WHERE id = 5")
      await alone('DELETE FROM shop.everything WHERE id = 18446744073709551615')
      expect(rowsOf(await compare('everything'))).to.deep.equal([
        'changed 3',
        'changed 4',
        'changed 5',
        'missing 18446744073709551615',
      ])
    })

    it('follows the order of composite keys, of collations, of NULLs and of enums', async () => {
      await alone("DELETE FROM shop.composite WHERE a = 2 AND b = 'Ä'")
      await alone("UPDATE shop.nullable SET note = 'other' WHERE a IS NULL AND b = x'00'")
      await alone('DELETE FROM shop.nullable WHERE a IS NULL AND b IS NULL LIMIT 1')
      await alone("UPDATE shop.enumerated SET note = 'other' WHERE k = 'a' AND n = 2")
      await alone("UPDATE shop.keyless SET note = 'other' WHERE a = 2")
      expect(rowsOf(await compare('composite'))).to.deep.equal(['missing 2|C384|2024-01-01 00:00:00.122'])
      expect(rowsOf(await compare('nullable'))).to.have.members(['changed |', 'changed |00'])
      expect(rowsOf(await compare('enumerated'))).to.deep.equal(['changed 3|2.00'])
      const keyless = await compare('keyless')
      expect([keyless.state, keyless.differences.map(({ rowCount }) => rowCount)]).to.deep.equal([
        'different',
        [undefined],
      ])
    })

    it('repairs rows of every type, and replication goes on with them', async () => {
      for (const table of ['same', 'everything', 'composite', 'enumerated']) {
        const keys = listedKeys(await compare(table), replica.name)
        const repaired = unwrap(
          await repairRows(
            { schema: 'shop', table },
            { primary: peers[0], replica: peers[1], keys, mayGoOn: () => ok(undefined), log: () => undefined },
          ),
        )
        expect([table, repaired]).to.deep.equal([table, { repaired: keys.length, equal: 0, left: 0 }])
        expect(keys.length).to.be.greaterThan(0)
        expect([table, (await compare(table)).state]).to.deep.equal([table, 'equal'])
        await primary.sql(`DELETE FROM shop.${table}`)
        await caughtUp(primary, replica)
      }
    })

    it('repairs neither a table with a trigger nor one without a usable key', async () => {
      const refusal = async (table: string) =>
        unwrap(await whyUnfit({ primary: peers[0], replica: peers[1] }, { schema: 'shop', table }))
      expect(await refusal('keyless')).to.match(/no unique key/)
      await alone('CREATE TRIGGER shop.marked BEFORE INSERT ON shop.same FOR EACH ROW SET @marked = 1')
      expect(await refusal('same')).to.match(/triggers/)
    })

    it('reports a table with other columns, and one that is missing, without reading rows', async () => {
      await primary.sql('CREATE TABLE shop.altered (id INT PRIMARY KEY, n INT)')
      await caughtUp(primary, replica)
      await alone('ALTER TABLE shop.altered MODIFY n BIGINT')
      const altered = await compare('altered')
      expect(altered.servers[0]?.reason).to.match(/bigint/)
      await alone('DROP TABLE shop.altered')
      const missing = await compare('altered')
      expect([missing.state, missing.servers[0]?.reason]).to.deep.equal(['different', 'it has no such table'])
    })

    it('calls a table that could not be compared neither equal nor different', async () => {
      const found = await compare('composite', { obstacle: () => 'its replication does not run' })
      expect([found.state, found.reason]).to.deep.equal([
        'not-compared',
        `${replica.name}: its replication does not run`,
      ])
    })

    it('writes nothing and leaves nothing on any server', async () => {
      const position = await primary.value(
        flavour === 'mysql' ? 'SELECT @@GLOBAL.gtid_executed' : 'SELECT @@GLOBAL.gtid_binlog_pos',
      )
      await compare('same')
      expect(
        await primary.value(flavour === 'mysql' ? 'SELECT @@GLOBAL.gtid_executed' : 'SELECT @@GLOBAL.gtid_binlog_pos'),
      ).to.equal(position)
    })
  })
