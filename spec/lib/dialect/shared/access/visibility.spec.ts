// What an account does not see is not "none": every read of a list that depends on privileges has a row, and the lists are tried.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { schemasOf } from '../../../../../lib/backup/restore/load.js'
import { takeSample } from '../../../../../lib/backup/restore/sample.js'
import { packageRoot } from '../../../../../lib/base/package-root.js'
import { ok, type Result, unwrap } from '../../../../../lib/base/result.js'
import { openSession } from '../../../../../lib/connect/sql/mysql2-session.js'
import { dialectFor, type HiddenList, hiddenFrom, identify, parseIdentity } from '../../../../../lib/dialect/index.js'
import { listTablesOf } from '../../../../../lib/effect/checksum/list-tables.js'
import { Peer } from '../../../../../lib/effect/checksum/peer.js'
import { scanDefinitions } from '../../../../../lib/effect/checksum/scan-definitions.js'
import { analyzeTables, optimizeTables } from '../../../../../lib/effect/upkeep/optimize.js'
import { type Databases, type Node, startDatabases } from '../../../../support/databases/database.js'

/** What a table of information_schema shows to an account with few privileges. */
const tables: Readonly<Record<string, string>> = {
  PROCESSLIST: 'without PROCESS its own sessions: ERR00075',
  INNODB_TRX: 'refused without PROCESS',
  INNODB_LOCKS: 'refused without PROCESS',
  INNODB_LOCK_WAITS: 'refused without PROCESS',
  INNODB_METRICS: 'refused without PROCESS',
  METADATA_LOCK_INFO: 'all',
  QUERY_RESPONSE_TIME: 'all',
  DISKS: 'refused without FILE',
  PLUGINS: 'all',
  SESSION_STATUS: 'all',
  SYSTEM_VARIABLES: 'all',
  USER_PRIVILEGES: 'without SELECT on mysql its own: ERR00005',
  SCHEMATA: 'schemas with a privilege',
  TABLES: 'tables with a privilege',
  COLUMNS: 'tables with a privilege',
  STATISTICS: 'tables with a privilege',
  VIEWS: 'views with a privilege',
  ROUTINES: 'routines with a privilege',
  PARAMETERS: 'routines with a privilege',
  EVENTS: 'events of schemas with EVENT',
  TRIGGERS: 'triggers of tables with TRIGGER',
}
const dependent = /with a privilege|with EVENT|with TRIGGER/

/**
 * Every place that reads a list that depends on privileges. guarded: an empty answer is not taken for "none"; named: one table
 * or schema by its name, whose absence is reported or fails; shown: sizes and lists for people, nothing is decided by them.
 */
const places: Readonly<Record<string, 'guarded' | 'named' | 'shown'>> = {
  'lib/backup/restore/load.ts SCHEMATA': 'guarded',
  'lib/backup/restore/sample.ts TABLES': 'guarded',
  'lib/dialect/checksum/define.ts COLUMNS': 'named',
  'lib/dialect/checksum/define.ts STATISTICS': 'named',
  'lib/dialect/checksum/describe.ts COLUMNS': 'named',
  'lib/dialect/checksum/describe.ts STATISTICS': 'named',
  'lib/dialect/checksum/describe.ts TABLES': 'guarded',
  'lib/dialect/checksum/repair.ts TRIGGERS': 'guarded',
  'lib/dialect/mysql/clone.ts EVENTS': 'guarded',
  'lib/dialect/mysql/clone.ts SCHEMATA': 'guarded',
  'lib/dialect/mysql/clone.ts TABLES': 'guarded',
  'lib/dialect/mysql/events.ts EVENTS': 'guarded',
  'lib/dialect/queries/queries.ts PARAMETERS': 'named',
  'lib/dialect/queries/queries.ts ROUTINES': 'named',
  'lib/dialect/queries/queries.ts VIEWS': 'named',
  'lib/dialect/reads/shared.ts SCHEMATA': 'shown',
  'lib/dialect/reads/shared.ts TABLES': 'shown',
  'lib/dialect/shared/backup/backups.ts TABLES': 'shown',
  'lib/dialect/shared/control/benchmark.ts TABLES': 'named',
  'lib/dialect/shared/control/tables.ts TABLES': 'guarded',
  'lib/dialect/shared/control/trial.ts TABLES': 'named',
  'lib/effect/returns/divergence/table-shape.ts COLUMNS': 'named',
  'lib/effect/returns/divergence/table-shape.ts STATISTICS': 'named',
  'lib/effect/returns/divergence/table-shape.ts TABLES': 'named',
  'lib/effect/returns/empty-server.ts SCHEMATA': 'guarded',
  'lib/effect/returns/kit/marks.ts TABLES': 'named',
  'lib/effect/returns/place-server.ts EVENTS': 'guarded',
  'lib/effect/returns/size.ts TABLES': 'shown',
  'lib/effect/returns/table-sums.ts COLUMNS': 'guarded',
  'lib/effect/returns/table-sums.ts TABLES': 'guarded',
}

const read = (): readonly (readonly [file: string, table: string])[] =>
  ['lib', 'actors']
    .flatMap((folder) =>
      readdirSync(path.join(packageRoot, folder), { recursive: true, encoding: 'utf8' }).map(
        (file) => `${folder}/${file}`,
      ),
    )
    .filter((file) => file.endsWith('.ts') && !file.startsWith('lib/model/findings/'))
    .flatMap((file) => {
      const text = readFileSync(path.join(packageRoot, file), 'utf8').replace(/^\s*(\/\/|\/?\*).*$/gm, '')
      const names = Array.from(
        text.matchAll(/\b(?:FROM|JOIN)\s+["' +\n]*information_schema\.(\w+)/gi),
        ([, name = '']) => name,
      )
      return [...new Set(names.map((name) => name.toUpperCase()))].map((name) => [file, name] as const)
    })

describe('Reads of information_schema', () => {
  it('are of tables whose dependence on privileges is known', () => {
    const unknown = read().filter(([, table]) => tables[table] === undefined)
    expect(unknown.map((place) => place.join(' '))).to.deep.equal([])
  })

  it('have a row each where the rows depend on privileges', () => {
    const found = read().filter(([, table]) => dependent.test(tables[table] ?? ''))
    expect(found.map((place) => place.join(' ')).sort()).to.deep.equal(Object.keys(places).sort())
  })
})

describe('hiddenFrom', () => {
  let databases: Databases
  let node: Node

  before(async () => {
    databases = await startDatabases({ count: 1 })
    node = databases.node(0)
    await node.sql('CREATE DATABASE app; CREATE TABLE app.t (id INT PRIMARY KEY)')
    await node.sql('CREATE TRIGGER app.fired BEFORE INSERT ON app.t FOR EACH ROW SET @x = 1')
    await node.sql('CREATE EVENT app.tick ON SCHEDULE EVERY 1 DAY DO SET @x = 1')
    await node.sql("CREATE USER viewer@'127.0.0.1' IDENTIFIED BY 'viewer'")
  })
  after(() => databases?.teardown())

  const statements: Readonly<Record<HiddenList, string>> = {
    schemas: "SELECT COUNT(*) AS n FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = 'app'",
    tables: "SELECT COUNT(*) AS n FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'app'",
    events: "SELECT COUNT(*) AS n FROM information_schema.EVENTS WHERE EVENT_SCHEMA = 'app'",
    triggers: "SELECT COUNT(*) AS n FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = 'app'",
  }

  /** What an account with this privilege alone sees, and what is said of that. */
  async function tryAs(privilege: string, list: HiddenList) {
    await node.sql(`REVOKE ALL PRIVILEGES, GRANT OPTION FROM viewer@'127.0.0.1'`)
    await node.sql(`GRANT ${privilege} ON *.* TO viewer@'127.0.0.1'`)
    const session = unwrap(await openSession({ ...node.target(), user: 'viewer', password: 'viewer' }))
    const lines = unwrap(await session.run('SHOW GRANTS', [], 10_000))[0] ?? []
    const [[row] = []] = unwrap(await session.run(statements[list], [], 10_000))
    session.close()
    const text = lines.map((line) => String(Object.values(line)[0]))
    return { sees: Number(row?.n) > 0, hidden: hiddenFrom(list, text) }
  }

  for (const [list, shown, hidden] of [
    ['schemas', ['SHOW DATABASES', 'SELECT', 'DROP', 'ALL'], ['PROCESS', 'SUPER']],
    ['tables', ['SELECT', 'INSERT', 'ALTER', 'ALL'], ['SHOW DATABASES', 'SUPER']],
    ['events', ['EVENT', 'ALL'], ['SUPER', 'SELECT']],
    ['triggers', ['TRIGGER', 'ALL'], ['SUPER', 'SELECT']],
  ] as const)
    it(`agrees with the server about ${list}`, async () => {
      for (const privilege of shown)
        expect(await tryAs(privilege, list), privilege).to.deep.equal({ sees: true, hidden: undefined })
      for (const privilege of hidden) {
        const answer = await tryAs(privilege, list)
        expect(answer.sees, privilege).to.equal(false)
        expect(answer.hidden).to.match(
          /^the account may not see all .*GRANT [A-Z ]+ ON \*\.\* TO `viewer`@`127\.0\.0\.1`;$/,
        )
      }
    })

  it('does not judge an account whose privileges may come from a role', () => {
    expect(hiddenFrom('schemas', ['GRANT USAGE ON *.* TO `a`@`%`', 'GRANT `r`@`%` TO `a`@`%`'])).to.equal(undefined)
    expect(hiddenFrom('schemas', ['GRANT USAGE ON *.* TO `a`@`%`'])).to.be.a('string')
  })
})

describe('What is done by a list of tables or schemas', () => {
  let databases: Databases
  let node: Node

  before(async () => {
    databases = await startDatabases({ count: 1 })
    node = databases.node(0)
    await node.sql(
      'CREATE DATABASE app; CREATE TABLE app.seen (id INT PRIMARY KEY); CREATE TABLE app.other (id INT PRIMARY KEY)',
    )
    await node.sql("CREATE USER viewer@'127.0.0.1' IDENTIFIED BY 'viewer'; GRANT ALL ON app.seen TO viewer@'127.0.0.1'")
  })
  after(() => databases?.teardown())

  const target = () => ({ ...node.target(), user: 'viewer', password: 'viewer' })
  const run = () => ({ signal: new AbortController().signal, log: () => undefined })

  const refused: Readonly<Record<string, () => Promise<Result<unknown>>>> = {
    'a sample for the comparison with a restored copy': () => takeSample(target()),
    'the schemas that a filling would replace': () => schemasOf(target()),
    'a rebuild of all tables': () => optimizeTables(target(), run()),
    'statistics of all tables': () => analyzeTables(target(), run()),
  }

  for (const [what, work] of Object.entries(refused))
    it(`is refused to an account that sees one table of two: ${what}`, async () => {
      const answer = await work()
      expect(answer.ok ? 'done' : answer.failure.message).to.match(/may not see all .*: GRANT .* TO `viewer`/)
    })

  it('names what to grant besides the tables that a comparison and a scan of definitions see', async () => {
    const end = new AbortController()
    const identity = parseIdentity(unwrap(await (await sessionOf()).run(identify.sql, identify.values, 10_000)))
    const dialect = dialectFor(identity.identity)
    const peer = new Peer({ id: 'db1', name: 'db1', causal: false, target: target(), dialect }, end.signal)
    const { tables: seen, hidden } = unwrap(await listTablesOf(peer, ['none']))
    expect(seen).to.deep.equal([{ schema: 'app', table: 'seen' }])
    expect(hidden).to.include('GRANT SELECT ON *.* TO')
    const mayGoOn = () => ok(undefined)
    const scanned = unwrap(
      await scanDefinitions(peer, { besides: ['none'], signal: end.signal, mayGoOn, found: () => undefined }),
    )
    expect(scanned.hidden).to.equal(hidden)
    await node.sql("GRANT SELECT ON *.* TO viewer@'127.0.0.1'")
    peer.close()
    const all = unwrap(await listTablesOf(new Peer(peer.server, end.signal), ['none']))
    expect(all).to.deep.equal({
      tables: [
        { schema: 'app', table: 'other' },
        { schema: 'app', table: 'seen' },
      ],
    })
    expect((await takeSample(target())).ok).to.equal(true)
    end.abort()
  })

  const sessionOf = async () => unwrap(await openSession(target()))
})
