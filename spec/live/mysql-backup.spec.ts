// A logical backup of MySQL 9 by its own mysqldump: made through the API, loaded into an empty server, and compared table by table.
import { execFile } from 'node:child_process'
import { createReadStream, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { expect } from 'chai'
import { clientOptions } from '../../lib/connect/sql/client-options.js'
import { type Databases, startDatabases } from '../support/databases/database.js'
import { clientOfMysql9, findVersion } from '../support/databases/versions.js'
import { newDirectory } from '../support/machine/directories.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { absent } from '../support/run/absent.js'
import { makeBackup } from '../support/stories/backups.js'
import { end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const mysql = await findVersion('mysql-9')

if (!mysql.available) absent('a logical backup of MySQL 9', mysql.reason)
else
  describe('a logical backup of MySQL 9', () => {
    const directory = newDirectory('mysql-backup')
    let cluster: ProtectedCluster
    let scratch: Databases
    before(async () => {
      const dump = await clientOfMysql9('mysqldump', directory)
      cluster = await startProtectedCluster({
        ...{ count: 1, software: 'mysql-9', arrange: async () => undefined },
        defaults: { 'backup-mysqldump-path': dump },
        settings: { 'compress-backups': false },
      })
      scratch = await startDatabases({ count: 1, software: 'mysql-9', prefix: 'scratch' })
    })
    after(async () => {
      await scratch?.teardown()
      await end(cluster)
    })

    it('holds every table, view and routine, with the position of its data', async () => {
      const source = cluster.databases.node(0)
      await source.sql('CREATE DATABASE kept')
      await source.sql(
        'CREATE TABLE kept.things (id INT PRIMARY KEY, name VARCHAR(50), raw BLOB, doc JSON, half INT AS (id DIV 2) STORED)',
      )
      await source.sql(
        `INSERT INTO kept.things (id, name, raw, doc) VALUES (1, 'Ærø 🚲', UNHEX('00FF275C0A'), '{"a": [1, null]}'), (2, NULL, NULL, NULL)`,
      )
      await source.sql('CREATE VIEW kept.names AS SELECT name FROM kept.things WHERE name IS NOT NULL')
      await source.sql('CREATE FUNCTION kept.twice(n INT) RETURNS INT DETERMINISTIC RETURN 2 * n')
      // One that was not probed yet is refused.
      await eventually(async () => (await cluster.stateOf(source)) === 'Master', 'the manager sees it')
      const executed = await source.value('SELECT @@gtid_executed')
      const backup = await makeBackup(cluster, `servers/127.0.0.1:${source.port}/actions/backup-logical?wait=true`)
      expect(backup).to.include({ backupTool: 'mysqldump' })
      expect(backup.binLogUuid.replace(/\s/g, '')).to.equal(executed.replace(/\s/g, ''))
      expect(backup.binLogFilePos).to.be.greaterThan(0)

      const target = scratch.node(0)
      await load(dumpIn(path.join(cluster.manager.dataDirectory, 'backups')))
      for (const query of [
        'CHECKSUM TABLE kept.things',
        "SELECT GROUP_CONCAT(id, ':', name, ':', HEX(raw), ':', doc, ':', half ORDER BY id) AS Checksum FROM kept.things",
        'SELECT name AS Checksum FROM kept.names',
        'SELECT kept.twice(21) AS Checksum',
      ]) {
        const [[there], [here]] = await Promise.all([source.sql(query), target.sql(query)])
        expect(there?.Checksum, query).to.equal(here?.Checksum)
        expect(there?.Checksum, query).not.to.equal(null)
      }
    })

    /** The one dump of the folder. */
    function dumpIn(folder: string): string {
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sql'))
      expect(files).to.have.lengthOf(1)
      return path.join(folder, files[0] ?? '')
    }

    /** As a person loads it who has no manager. */
    async function load(dump: string): Promise<void> {
      const client = await clientOfMysql9('mysql', directory)
      const login = path.join(directory, 'login.cnf')
      await writeFile(login, clientOptions(scratch.node(0).target()), { mode: 0o600 })
      const child = execFile(client, [`--defaults-file=${login}`, '--binary-mode'])
      let said = ''
      child.stderr?.on('data', (text: string) => {
        said += text
      })
      const gone = new Promise<number | null>((resolve) => child.once('exit', resolve))
      if (!child.stdin) throw new Error('the client has no input')
      await pipeline(createReadStream(dump), child.stdin)
      expect(await gone, said).to.equal(0)
    }
  })
