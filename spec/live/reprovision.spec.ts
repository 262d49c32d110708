// Servers recreated one after the other on real servers of the local orchestrator, under a client that writes all the
// while: a page size that only a new data folder takes up, fillings that fail, a manager killed in the middle of one.
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { MadeCluster, madeTags, nameOf } from '../support/manager/made-cluster.js'
import { eventually, PATIENCE_MS } from '../support/wait.js'

const C = '/api/clusters/story'

describe('rolling reprovision', () => {
  let cluster: MadeCluster

  before(async () => {
    cluster = await MadeCluster.start()
    await cluster.ask(
      await cluster.primaryPort(),
      `CREATE TABLE story.kept (id INT PRIMARY KEY, bytes BLOB, word VARCHAR(20) CHARACTER SET utf8mb4);
       INSERT INTO story.kept VALUES (1, x'00FF27225C', 'żółw 🐢'), (2, NULL, NULL);
       CREATE VIEW story.seen AS SELECT COUNT(*) AS entries FROM story.written;
       CREATE PROCEDURE story.look() SELECT 1;
       CREATE EVENT story.hourly ON SCHEDULE EVERY 1 HOUR DO DELETE FROM story.kept WHERE id = 99`,
    )
  })
  after(() => cluster?.destroy())
  // A story that failed leaves no writer behind.
  afterEach(() => cluster.stopWriting())

  const replicaPort = async () => {
    const primary = await cluster.primaryPort()
    return cluster.ports.find((port) => port !== primary) ?? 0
  }
  const folder = (port: number) => path.join(cluster.manager.dataDirectory, 'story', `127.0.0.1_${port}`)
  const asides = (port: number) => readdirSync(folder(port)).filter((each) => each.includes('.before-'))
  const reprovision = (port: number) => `servers/${encodeURIComponent(nameOf(port))}/actions/reprovision`
  const needs = () => cluster.needs('need-rolling-reprov')
  const pageSize = async (port: number) => Number((await cluster.ask(port, 'SELECT @@innodb_page_size AS size')).size)

  /** Everything that was there is there, in the same words, on every server. */
  const isComplete = async () => {
    for (const port of cluster.ports) {
      expect(await cluster.ask(port, 'SELECT HEX(bytes) AS bytes, word FROM story.kept WHERE id = 1')).to.deep.equal({
        ...{ bytes: '00FF27225C', word: 'żółw 🐢' },
      })
      const app = unwrap(await cluster.login(port, 'app', 'app'))
      expect((await app.run('SELECT entries FROM story.seen', [], PATIENCE_MS)).ok).to.equal(true)
      expect((await app.run('CALL story.look()', [], PATIENCE_MS)).ok).to.equal(true)
      app.close()
    }
  }

  it('carries a page size to every server, each on new data, and hands the role back', async () => {
    const home = await cluster.primaryPort()
    for (const port of cluster.ports) expect(await pageSize(port)).to.equal(16_384)
    await cluster.set('prov-db-tags', [...madeTags, 'innodbpage8k'].join(','))
    await eventually(needs, 'the servers need to be recreated')
    await cluster.isWhole()
    const stop = cluster.writing()
    const { status, stdout, stderr } = await cluster.client.run('rolling', 'reprov', '--yes')
    expect(status, `${stdout}${stderr}\n${cluster.log()}`).to.equal(0)
    expect(stdout).to.match(/^rolling reprovision succeeded; 3 of 3 done, requested by admin/)
    expect(await stop()).to.be.above(0)
    for (const port of cluster.ports) {
      expect(await pageSize(port)).to.equal(8_192)
      expect(asides(port)).to.deep.equal([])
    }
    await isComplete()
    expect(await cluster.primaryPort()).to.equal(home)
    await eventually(async () => !(await needs()), 'no server needs to be recreated any more')
    const replica = await replicaPort()
    const { STATUS } = await cluster.ask(
      replica,
      "SELECT STATUS FROM information_schema.EVENTS WHERE EVENT_SCHEMA = 'story' AND EVENT_NAME = 'hourly'",
    )
    expect(STATUS).to.equal('SLAVESIDE_DISABLED')
  })

  it('puts the old data back when the copy breaks off, and stops with the reason', async () => {
    const victim = await replicaPort()
    await cluster.ask(await cluster.primaryPort(), 'CREATE TABLE story.loose (id INT) ENGINE = MyISAM')
    for (const port of cluster.ports)
      await eventually(
        async () => Object.keys(await cluster.ask(port, "SHOW TABLES IN story LIKE 'loose'")).length > 0,
        `${nameOf(port)} has the table`,
      )
    await cluster.begin(reprovision(victim))
    const ended = await cluster.ends('stopped')
    expect(ended.message).to.match(/was not rebuilt: .*story\.loose \(MyISAM\).*it is on its old data$/)
    await cluster.isWhole()
    expect(asides(victim)).to.deep.equal([])
    await isComplete()
    await cluster.ask(await cluster.primaryPort(), 'DROP TABLE story.loose')
    expect((await cluster.client.run('rolling', 'cancel')).status).to.equal(0)
  })

  it('goes on when the manager is killed while a server is filled', async () => {
    const stop = cluster.writing()
    const victim = await replicaPort()
    await cluster.begin(reprovision(victim))
    await eventually(() => asides(victim).some((each) => each.startsWith('data')), 'the old data lie aside')
    await cluster.manager.end('SIGKILL')
    cluster.manager.start()
    await cluster.manager.alive()
    const ended = await cluster.ends('succeeded')
    expect(ended.servers.filter(({ state }) => state === 'done').map((each) => each.name)).to.deep.equal([
      nameOf(victim),
    ])
    await stop()
    expect(asides(victim)).to.deep.equal([])
    await isComplete()
  })

  it('ends on request, on the old data', async () => {
    const victim = await replicaPort()
    await cluster.begin(reprovision(victim))
    await eventually(() => asides(victim).some((each) => each.startsWith('data')), 'the old data lie aside')
    expect((await cluster.manager.post(`${C}/actions/cancel-rolling-reprov`)).status).to.equal(200)
    await cluster.ends('cancelled')
    await cluster.isWhole()
    expect(asides(victim)).to.deep.equal([])
    await isComplete()
  })

  it('is refused for the primary, and for a server that holds what no other server does', async () => {
    const primary = await cluster.primaryPort()
    const refused = await cluster.manager.post(`${C}/${reprovision(primary)}`)
    expect(refused.body).to.contain('is the primary')
    const victim = await replicaPort()
    await cluster.ask(victim, 'CREATE DATABASE errant')
    // A run that begins before a probe has seen it probes again before it empties anything.
    let body = ''
    await eventually(
      async () => {
        body = (await cluster.manager.post(`${C}/${reprovision(victim)}`)).body
        return body.includes('that the primary is missing')
      },
      () => `it is refused: ${body}\n${cluster.log()}`,
    )
    expect(await cluster.ask(victim, "SHOW DATABASES LIKE 'errant'")).to.not.deep.equal({})
    expect(asides(victim)).to.deep.equal([])
  })
})
