// Probes of the newest MariaDB and MySQL: primary, replica, hang, crash, and a plugin installed between two probes.
import { expect } from 'chai'
import { unwrap } from '../../../lib/base/result.js'
import type { Reading, ServerState } from '../../../lib/model/server/reading.js'
import { createProbe, type ServerProbe } from '../../../lib/probe/probe.js'
import { caughtUp, type Databases, type Node, replicate, startDatabases } from '../../support/databases/database.js'
import { needSoftware } from '../../support/databases/versions.js'
import { eventually } from '../../support/wait.js'

const limitMs = 20_000

for (const software of ['mariadb-11.8', 'mysql-9'] as const)
  describe(`createProbe on ${software}`, () => {
    let databases: Databases | undefined
    let primary: Node
    let replica: Node
    let probes: Map<Node, ServerProbe>
    const readingOf = async (node: Node, deadlineMs = limitMs): Promise<Reading> => {
      const reading = await probes.get(node)?.check(deadlineMs)
      if (!reading) throw new Error(`no probe of ${node.name}`)
      return reading
    }
    const stateOf = async (node: Node): Promise<ServerState> => {
      const { state, observation, error } = await readingOf(node)
      if (!state) throw new Error(`${observation}: ${error?.message}`)
      return state
    }

    before(async function () {
      await needSoftware(this, software)
      databases = await startDatabases({ count: 2, prefix: 'newest', software })
      primary = databases.node(0)
      replica = databases.node(1)
      probes = new Map(
        databases.nodes.map((node) => [node, createProbe({ server: node.name, target: node.target('monitor') })]),
      )
    })
    after(async () => {
      for (const probe of probes?.values() ?? []) probe.close()
      await databases?.teardown()
    })

    it('reads servers without a source', async () => {
      const state = await stateOf(primary)
      expect(state.channels).to.deep.equal([])
      expect(state).to.include({ readOnly: false, binlog: true })
      expect(state.semiSync).to.include({ sourceEnabled: false, replicaEnabled: false })
    })

    it('detects semi-synchronous replication that was set up meanwhile', async () => {
      await replicate(primary, [replica], { semiSync: true })
      await primary.sql('CREATE DATABASE shop')
      await caughtUp(primary, replica)
      for (const probe of probes.values()) unwrap(await probe.slow(limitMs))
      await eventually(async () => (await stateOf(primary)).semiSync.sourceActive, 'the source side is active')
      expect((await stateOf(primary)).semiSync).to.include({ sourceEnabled: true, clients: 1 })
      await eventually(async () => (await stateOf(replica)).semiSync.replicaActive, 'the replica side is active')
    })

    it('reads the replica: threads, positions, heartbeats', async () => {
      const { channels, gtid, readOnly } = await stateOf(replica)
      expect(readOnly).to.equal(true)
      expect(gtid.executed).to.deep.equal((await stateOf(primary)).gtid.executed)
      expect(channels).to.have.lengthOf(1)
      expect(channels[0]).to.include({ io: 'running', sql: 'running', usesGtid: true, heartbeatPeriodSeconds: 0.5 })
      const beats = channels[0]?.heartbeats ?? 0
      await eventually(
        async () => ((await stateOf(replica)).channels[0]?.heartbeats ?? 0) > beats,
        'a heartbeat arrives',
      )
    })

    it('distinguishes a hung server from a dead one', async () => {
      primary.pause()
      expect((await readingOf(primary, 200)).observation).to.equal('silent')
      await primary.kill()
      expect((await readingOf(primary)).observation).to.equal('refused')
      await eventually(
        async () => (await stateOf(replica)).channels[0]?.io !== 'running',
        'the replica loses its source',
      )
    })
  })
