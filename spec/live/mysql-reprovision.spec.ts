// Servers of MySQL that the manager makes on this machine, recreated one after the other by the clone plugin, under a client
// that writes all the while; and tables that cannot be copied.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { findVersion, programOf } from '../support/databases/versions.js'
import { newDirectory } from '../support/machine/directories.js'
import { MadeCluster, nameOf } from '../support/manager/made-cluster.js'
import { absent } from '../support/run/absent.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'
const mysql = await findVersion('mysql-9')

if (!mysql.available) absent('rolling reprovision of MySQL 9', mysql.reason)
else
  describe('rolling reprovision of MySQL 9', function () {
    this.timeout(900_000)
    let cluster: MadeCluster

    before(async () => {
      const programs = path.join(newDirectory('mysql-programs'), 'bin')
      mkdirSync(programs)
      writeFileSync(path.join(programs, 'mysqld'), programOf(mysql.engine), { mode: 0o755 })
      cluster = await MadeCluster.start({ programs, settings: { 'prov-db-docker-img': 'mysql:9.7' } })
      await cluster.ask(
        await cluster.primaryPort(),
        `CREATE TABLE story.kept (id INT PRIMARY KEY, bytes BLOB, word VARCHAR(20));
         INSERT INTO story.kept VALUES (1, x'00FF27225C', 'żółw 🐢');
         CREATE EVENT story.hourly ON SCHEDULE EVERY 1 HOUR DO DELETE FROM story.kept WHERE id = 99`,
      )
    })
    after(() => cluster?.destroy())
    afterEach(() => cluster.stopWriting())

    const replicas = async () => {
      const primary = await cluster.primaryPort()
      return cluster.ports.filter((port) => port !== primary)
    }
    const folder = (port: number) => path.join(cluster.manager.dataDirectory, 'story', `127.0.0.1_${port}`)
    const asides = (port: number) => readdirSync(folder(port)).filter((each) => each.includes('.before-'))
    const reprovision = (port: number) => `servers/${encodeURIComponent(nameOf(port))}/actions/reprovision`
    const uuid = async (port: number) => String((await cluster.ask(port, 'SELECT @@server_uuid AS uuid')).uuid)

    it('recreates every server, loses nothing, and hands the role back', async () => {
      const before = await Promise.all(cluster.ports.map(uuid))
      const home = await cluster.primaryPort()
      const stop = cluster.writing()
      await cluster.begin('actions/rolling-reprov')
      const ended = await cluster.ends('succeeded')
      expect(ended.servers.map(({ state }) => state)).to.deep.equal(['done', 'done', 'done'])
      expect(await stop()).to.be.above(0)
      expect(await cluster.primaryPort()).to.equal(home)
      for (const [index, port] of cluster.ports.entries()) {
        expect(await uuid(port), 'a data folder of its own').to.not.equal(before[index])
        expect(asides(port)).to.deep.equal([])
        expect(await cluster.ask(port, 'SELECT HEX(bytes) AS bytes, word FROM story.kept WHERE id = 1')).to.deep.equal({
          ...{ bytes: '00FF27225C', word: 'żółw 🐢' },
        })
      }
      const held = async (port: number) => String((await cluster.ask(port, 'SELECT @@gtid_executed AS held')).held)
      await eventually(async () => {
        const sets = await Promise.all(cluster.ports.map(held))
        return new Set(sets).size === 1
      }, 'every server holds the same transactions')
      const [replica = 0] = await replicas()
      const event = await cluster.ask(
        replica,
        "SELECT STATUS AS status, DEFINER AS definer FROM information_schema.EVENTS WHERE EVENT_NAME = 'hourly'",
      )
      expect(event).to.deep.equal({ status: 'REPLICA_SIDE_DISABLED', definer: 'monitor@127.0.0.1' })
      expect(cluster.manager.log()).to.not.contain('monitors')
    })

    it('empties nothing where rows lie in a table that is not cloned', async () => {
      const [victim = 0] = await replicas()
      await cluster.ask(await cluster.primaryPort(), 'CREATE TABLE story.loose (id INT) ENGINE = MyISAM')
      for (const port of cluster.ports)
        await eventually(
          async () => Object.keys(await cluster.ask(port, "SHOW TABLES IN story LIKE 'loose'")).length > 0,
          `${nameOf(port)} has the table`,
        )
      const before = await uuid(victim)
      await cluster.begin(reprovision(victim))
      const ended = await cluster.ends('stopped')
      expect(ended.message).to.match(/was not rebuilt: .*story\.loose \(MyISAM\)/)
      await cluster.isWhole()
      expect(await uuid(victim)).to.equal(before)
      expect(asides(victim)).to.deep.equal([])
      await cluster.manager.post(`${C}/actions/cancel-rolling-reprov`)
    })
  })
