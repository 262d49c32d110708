// One INSERT on a replica of an adopted cluster with a long history is one errant transaction, wherever it is named.
import { expect } from 'chai'
import { caughtUp, replicate } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { Client } from '../support/http/client.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable, end } from '../support/stories/story.js'
import { idOf, replicasOf } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

/** The last transaction of the history; what is written next has the number after it. */
const LAST = 12_866
const OWN = LAST + 1

/**
 * Servers 2, 3 and one that is gone were primaries before; nothing of it is left in the binary logs. A replica skips what has its
 * own server_id: those transactions have no effect.
 */
async function withHistory(nodes: readonly Node[]): Promise<void> {
  const [primary, ...replicas] = nodes
  if (!primary) throw new Error('there is no node')
  await replicate(primary, replicas)
  await primary.sql('CREATE DATABASE spec; CREATE TABLE spec.history (id INT PRIMARY KEY AUTO_INCREMENT)')
  const own = await primary.value('SELECT @@server_id')
  const terms = [
    ['3', 5_000],
    ['2', 9_000],
    ['101', 12_000],
    [own, LAST],
  ] as const
  for (const [origin, sequence] of terms)
    await primary.sql(
      `SET SESSION server_id=${origin}, SESSION gtid_seq_no=${sequence}; CREATE DATABASE IF NOT EXISTS spec; SET SESSION server_id=${own}`,
    )
  for (const replica of replicas) await caughtUp(primary, replica)
  for (const node of nodes) {
    await node.sql('FLUSH BINARY LOGS')
    const [row] = await node.sql('SHOW MASTER STATUS')
    await node.sql(`PURGE BINARY LOGS TO '${row?.File}'`)
  }
}

for (const strict of ['OFF', 'ON'])
  describe(`one INSERT on a replica with gtid_strict_mode ${strict}`, () => {
    let cluster: ProtectedCluster
    let client: Client
    let primary: Node
    let errant: Node
    let id: string
    let own: string
    let from: number
    before(async () => {
      cluster = await startProtectedCluster({
        options: [...durable, `--gtid-strict-mode=${strict}`],
        arrange: withHistory,
      })
      client = new Client({ port: cluster.manager.apiPort, user: 'admin', password: 'spec-password' })
      await cluster.ready()
      primary = await cluster.primary()
      ;[errant = primary] = await replicasOf(cluster)
      id = await idOf(cluster, errant)
      own = `0-${await errant.value('SELECT @@server_id')}`
      from = cluster.manager.log().length
    })
    after(() => end(cluster))

    const log = () => cluster.manager.log().slice(from)
    /** The answer of a command contains all of it, once what it is made of was read. */
    const says = async (words: readonly string[], ...parts: readonly string[]): Promise<string> => {
      let said = ''
      await eventually(
        async () => {
          const { stdout, stderr } = await client.run(...words)
          said = stdout + stderr
          return parts.every((part) => said.includes(part))
        },
        () => `manager-cli ${words.join(' ')} contains ${parts.join(' and ')}: ${said}`,
      )
      return said
    }
    /** Every place that names it, whether later transactions came after it or not. */
    const expectOne = async () => {
      const one = `at least 1 transaction, ${own}:${OWN}`
      await eventually(() => log().includes(`has errant transactions: ${one}`), 'the finding names it')
      await says(['explain'], `has errant transactions: ${one}`)
      expect(await says(['server', 'divergence', id], `${own}:${OWN}`, '1 row inserted')).to.include(`${own}-${OWN}`)
      await says(['reseed', id, '--method', 'dump', '--plan'], 'at least 1 transaction that only it has')
      expect(log()).to.not.match(/\d{3,} (errant )?transactions/)
      expect(log()).to.not.include(`${own}:1-`)
      expect(log()).to.not.include('ERR00151')
    }

    it('is one errant transaction in the findings, in explain, in the divergence and in the plan of a reseed', async () => {
      expect(log()).to.not.match(/WARN0091|ERR00151/)
      await errant.sql('INSERT INTO spec.history VALUES (100000)')
      await cluster.opens('WARN0091')
      await expectOne()
    })

    it(`is one after the primary has written ${strict === 'ON' ? 'what the replica cannot log: no position is blamed' : 'more'}`, async () => {
      for (const key of [200_000, 200_001, 200_002]) await primary.sql(`INSERT INTO spec.history VALUES (${key})`)
      if (strict === 'ON')
        await eventually(async () => (await cluster.stateOf(errant)) === 'SlaveErr', 'it has stopped')
      else await caughtUp(primary, errant)
      await cluster.probed(errant, 3)
      await expectOne()
      expect(await cluster.alerts())
        .to.include('WARN0091')
        .and.not.include('ERR00151')
    })

    if (strict === 'ON')
      it('is saved before the replica gets a copy of the primary, and is gone then', async () => {
        const plan =
          /^Plan: (\S+)$/m.exec(await says(['reseed', id, '--method', 'dump', '--plan'], 'Plan: '))?.[1] ?? ''
        const { status, stdout, stderr } = await client.run(
          'reseed',
          id,
          '--method',
          'dump',
          '--confirm',
          plan,
          '--yes',
        )
        expect(status, `${stdout}${stderr}\n${log().slice(-2_000)}`).to.equal(0)
        await cluster.closes('WARN0091')
        await cluster.ready()
        await caughtUp(primary, errant)
        const rows = (node: Node) => node.value('SELECT COUNT(*) FROM spec.history')
        expect(await rows(errant)).to.equal(await rows(primary))
      })
  })
