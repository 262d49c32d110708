// What an account does not see is not "none": every read of a list that depends on privileges has a row, and the lists are tried.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../../../../../lib/base/package-root.js'
import { unwrap } from '../../../../../lib/base/result.js'
import { openSession } from '../../../../../lib/connect/sql/mysql2-session.js'
import { type HiddenList, hiddenFrom } from '../../../../../lib/dialect/index.js'
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
 * or schema by its name, whose absence is reported or fails; shown: sizes and lists for people, nothing is decided by them;
 * open: what is not seen is left out, and the answer does not say so.
 */
const places: Readonly<Record<string, 'guarded' | 'named' | 'shown' | 'open'>> = {
  'lib/backup/restore/load.ts SCHEMATA': 'open',
  'lib/backup/restore/sample.ts TABLES': 'open',
  'lib/dialect/checksum/define.ts COLUMNS': 'named',
  'lib/dialect/checksum/define.ts STATISTICS': 'named',
  'lib/dialect/checksum/describe.ts COLUMNS': 'named',
  'lib/dialect/checksum/describe.ts STATISTICS': 'named',
  'lib/dialect/checksum/describe.ts TABLES': 'open',
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
  'lib/dialect/shared/control/tables.ts TABLES': 'open',
  'lib/dialect/shared/control/trial.ts TABLES': 'named',
  'lib/effect/returns/divergence/table-shape.ts COLUMNS': 'named',
  'lib/effect/returns/divergence/table-shape.ts STATISTICS': 'named',
  'lib/effect/returns/divergence/table-shape.ts TABLES': 'named',
  'lib/effect/returns/empty-server.ts SCHEMATA': 'guarded',
  'lib/effect/returns/kit/marks.ts TABLES': 'named',
  'lib/effect/returns/place-server.ts EVENTS': 'guarded',
  'lib/effect/returns/size.ts TABLES': 'shown',
  'lib/effect/returns/table-sums.ts COLUMNS': 'named',
  'lib/effect/returns/table-sums.ts TABLES': 'open',
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
