// Writes spec/fixture/dialect/*.json: what real servers answer to every probe. Run it after a change of the probes:
//   npm run build && node dist/spec/support/canned/record.js && npm run format
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { unwrap } from '../../../lib/base/result.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import {
  dialectFor,
  identify,
  parseIdentity,
  type Rows,
  type SlowPart,
  type Statement,
} from '../../../lib/dialect/index.js'
import { caughtUp, type Node, replicate, startDatabases } from '../databases/database.js'
import { findVersion } from '../databases/versions.js'
import { fixtureDirectory, type Recording } from './recordings.js'

const limitMs = 20_000

async function record(node: Node, software: string, role: Recording['role']): Promise<Recording> {
  const session = unwrap(await openSession(node.target('monitor')))
  const run = async ({ sql, values }: Statement) => unwrap(await session.run(sql, values, limitMs))
  const identified = await run(identify)
  const dialect = dialectFor(parseIdentity(identified).identity)
  const slow: Partial<Record<SlowPart, Rows>> = {}
  const parts = Object.entries(dialect.slowProbe('repl')) as [SlowPart, Statement][]
  if (role === 'primary') for (const [part, statement] of parts) slow[part] = (await run(statement))[0] ?? []
  const fast = await run({ sql: dialect.fastProbe, values: [] })
  const [semiSync = []] = await run({ sql: dialect.semiSyncStatus ?? 'DO 1', values: [] })
  session.close()
  return { software, role, identify: identified, fast, semiSync, slow }
}

/** Named after the version: what is installed here may be newer one day. */
const names = { mariadb: 'mariadb-10.11', 'mariadb-11.8': 'mariadb-11.8', 'mysql-9': 'mysql-9' } as const

async function recordAll(): Promise<void> {
  await mkdir(fixtureDirectory, { recursive: true })
  for (const software of ['mariadb', 'mariadb-11.8', 'mysql-9'] as const) {
    const version = software === 'mariadb' ? undefined : await findVersion(software)
    if (version?.available === false) {
      console.log(version.reason)
      continue
    }
    const databases = await startDatabases({ count: 2, prefix: 'record', software })
    const [primary, replica] = [databases.node(0), databases.node(1)]
    await replicate(primary, [replica], { semiSync: true })
    await primary.sql(
      'CREATE DATABASE shop; CREATE TABLE shop.orders (id INT PRIMARY KEY); INSERT INTO shop.orders VALUES (1)',
    )
    await caughtUp(primary, replica)
    for (const [node, role] of [
      [primary, 'primary'],
      [replica, 'replica'],
    ] as const) {
      const recording = await record(node, names[software], role)
      await writeFile(path.join(fixtureDirectory, `${names[software]}-${role}.json`), JSON.stringify(recording))
    }
    await databases.teardown()
  }
}

if (process.argv[1] === import.meta.filename) await recordAll()
