// The story of a former primary of MySQL that starts with read_only alone, and rejoins: accounts with SUPER write nothing to it.
import { expect } from 'chai'
import type { Node } from '../support/databases/database.js'
import { findVersion } from '../support/databases/versions.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { absent } from '../support/run/absent.js'
import { durable, end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const mysql = await findVersion('mysql-9')

if (!mysql.available) absent('a former primary that starts with read_only alone', mysql.reason)
else
  describe('A former primary that starts with read_only alone', () => {
    let cluster: ProtectedCluster
    before(async () => {
      cluster = await startProtectedCluster({ count: 3, software: 'mysql-9', options: durable })
      await cluster.ready()
    })
    after(() => end(cluster))

    const old = () => cluster.databases.node(0)
    const log = () => cluster.manager.log()
    const shown = async (node: Node) =>
      `${await node.value('SELECT @@read_only')}${await node.value('SELECT @@super_read_only')}`

    it('rejoins, and is closed whole', async () => {
      await old().kill()
      await cluster.movedFrom(old())
      old().start('--read-only=ON')
      await old().waitUp()
      await eventually(
        async () => (await shown(old())) === '11' && (await cluster.stateOf(old())) === 'Slave',
        () => `it is super_read_only\n${log().slice(-4_000)}`,
      )
      const refusal = await old()
        .sql('CREATE DATABASE stray')
        .then(
          () => '',
          ({ message }: Error) => message,
        )
      expect(refusal).to.include('super-read-only')
    })

    it('is named where a person opens it for administrators, and not closed again', async () => {
      await old().sql('SET GLOBAL super_read_only = OFF')
      const named = new RegExp(`OPENED WARN0273 [^"]*:${old().port}`)
      await eventually(
        () => named.test(log()),
        () => `it is named\n${log().slice(-4_000)}`,
      )
      expect(await shown(old())).to.equal('10')
      await old().sql('SET GLOBAL super_read_only = ON')
      const closed = new RegExp(`RESOLV WARN0273 [^"]*:${old().port}`)
      await eventually(
        () => closed.test(log()),
        () => `the finding closes\n${log().slice(-4_000)}`,
      )
    })
  })
