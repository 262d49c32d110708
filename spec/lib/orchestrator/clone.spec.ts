// The copy of one server of MySQL over another: what is refused before anything is emptied, and copies that do not end.
import { expect } from 'chai'
import type { Result } from '../../../lib/base/result.js'
import { type CloneTask, checkClone, cloneInto } from '../../../lib/orchestrator/clone.js'
import { accounts, type Databases, startDatabases } from '../../support/databases/database.js'
import { findVersion } from '../../support/databases/versions.js'
import { absent } from '../../support/run/absent.js'
import { eventually } from '../../support/wait.js'

const mysql = await findVersion('mysql-9')
const messageOf = (result: Result<unknown>): string => (result.ok ? 'done' : result.failure.message)

if (!mysql.available) absent('the clone plugin', mysql.reason)
else
  describe('the clone plugin', () => {
    let databases: Databases
    const lines: string[] = []
    const run = { signal: new AbortController().signal, log: (line: string) => void lines.push(line) }
    const task = (login: CloneTask['login'] = accounts.monitor): CloneTask => ({
      ...{ donor: databases.node(0), target: databases.node(1), login: { ...login, anyKey: true } },
    })
    const state = () =>
      databases
        .node(1)
        .value('SELECT STATE FROM performance_schema.clone_status')
        .catch((error: Error) => {
          throw new Error(`${error.message}\n${databases.node(1).log().slice(-3_000)}`)
        })
    const isCopying = () => eventually(async () => (await state()) === 'In Progress', 'the copy has started')

    before(async () => {
      databases = await startDatabases({ count: 2, software: 'mysql-9' })
      // Slow enough to be caught in the middle.
      for (const node of databases.nodes) await node.sql("INSTALL PLUGIN clone SONAME 'mysql_clone.so'")
      await databases.node(0).sql('SET GLOBAL clone_max_data_bandwidth = 1')
      await databases
        .node(1)
        .sql(
          'SET GLOBAL clone_autotune_concurrency = OFF, GLOBAL clone_max_concurrency = 1, GLOBAL clone_max_data_bandwidth = 1',
        )
    })
    after(() => databases?.teardown())

    it('names the privileges that the account is missing', async () => {
      const weak = { user: 'weak', password: 'weak' }
      for (const node of databases.nodes) {
        await node.sql("CREATE USER weak@'127.0.0.1' IDENTIFIED BY 'weak'")
        await node.sql("GRANT SELECT, CLONE_ADMIN, SYSTEM_VARIABLES_ADMIN ON *.* TO weak@'127.0.0.1'")
      }
      const { port } = databases.node(0)
      expect(messageOf(await checkClone(task(weak)))).to.equal(
        `missing privileges of weak on 127.0.0.1:${port}: BACKUP_ADMIN; run GRANT BACKUP_ADMIN ON *.* TO it`,
      )
      expect(messageOf(await checkClone(task()))).to.equal('done')
    })

    it('names tables that it would leave empty', async () => {
      await databases.node(0).sql('CREATE DATABASE story')
      await databases.node(0).sql('CREATE TABLE story.loose (id INT) ENGINE = MyISAM')
      expect(messageOf(await checkClone(task()))).to.contain('only InnoDB is cloned: story.loose (MyISAM)')
      await databases.node(0).sql('DROP DATABASE story')
    })

    it('copies nothing over a server that holds something', async () => {
      await databases.node(1).sql('CREATE DATABASE held')
      expect(messageOf(await cloneInto(task(), run))).to.contain('is not empty: nothing is copied into it')
      await databases.node(1).sql('DROP DATABASE held')
    })

    it('ends when it is cancelled', async () => {
      const cancel = new AbortController()
      const copied = cloneInto(task(), { ...run, signal: cancel.signal })
      await isCopying()
      cancel.abort()
      expect(messageOf(await copied)).to.contain('it was stopped before it was complete')
      await eventually(async () => (await state()) === 'Failed', 'the server has given up')
    })

    it('ends when the donor dies', async () => {
      const copied = cloneInto(task(), run)
      await isCopying()
      await databases.node(0).kill()
      expect(messageOf(await copied)).to.match(/^the copy was interrupted: /)
    })
  })
