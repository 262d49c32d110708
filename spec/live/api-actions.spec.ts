// Every action of the API on a real cluster, judged by what it does to the databases.
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { Node } from '../support/databases/node.js'
import { Writers } from '../support/databases/writers.js'
import { recordedTypes } from '../support/http/recorded-types.js'
import { typesOf, undecodable } from '../support/http/types-of.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { expectWhole, progress } from '../support/stories/story.js'
import { switchable } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

interface Ranked {
  readonly server: string
  readonly rank?: number
  readonly eligible: boolean
  readonly reason: string
}

describe('the actions of the API', () => {
  let cluster: ProtectedCluster
  let admin: ApiUser

  before(async () => {
    cluster = await startProtectedCluster({
      options: ['--performance-schema=ON'],
      settings: { 'failover-mode': 'manual', 'switchover-wait-trx': 2 },
    })
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
  })
  after(() => cluster?.destroy())

  const node = (index: number): Node => cluster.databases.node(index)
  const address = (one: Node): string => `127.0.0.1:${one.port}`
  const S = (one: Node): string => `${C}/servers/${address(one)}`
  const stranger = () => new ApiUser(cluster.manager)
  const check = (one: Node, word: string) => stranger().line(`${C}/servers/127.0.0.1/${one.port}/${word}`)
  const field = async (one: Node, name: string): Promise<unknown> =>
    (await admin.json<readonly Readonly<Record<string, unknown>>[]>(`${C}/topology/servers`)).find(
      ({ port }) => port === String(one.port),
    )?.[name]
  /** An action that answers nothing: the empty 200. */
  const does = async (target: string, method = 'POST'): Promise<void> => {
    expect(await admin.line(target, { method }), target).to.equal('200 ')
  }
  const setting = async (name: string): Promise<unknown> =>
    (await admin.json<Readonly<Record<string, unknown>>>(`${C}/settings`))[name]
  const becomes = (one: Node, state: string) =>
    eventually(async () => (await cluster.stateOf(one)) === state, `${one.name} becomes ${state}`)

  describe('maintenance', () => {
    it('is set, ended and turned, by GET and POST alike, and takes reads away', async () => {
      const replica = node(1)
      expect(await check(replica, 'is-slave')).to.equal('200 200 -Valid Slave!')
      for (const [word, method, maintained] of [
        ['set-maintenance', 'GET', true],
        ['set-maintenance', 'POST', true],
        ['del-maintenance', 'GET', false],
        ['maintenance', 'POST', true],
        ['maintenance', 'GET', false],
      ] as const) {
        await does(`${S(replica)}/actions/${word}`, method)
        await becomes(replica, maintained ? 'Maintenance' : 'Slave')
        expect(await field(replica, 'isMaintenance'), word).to.equal(maintained)
        expect(await check(replica, 'is-slave'), word).to.equal(
          maintained ? '503 503 -Not a Valid Slave!' : '200 200 -Valid Slave!',
        )
      }
    })
  })

  describe('ratings', () => {
    const ranked = async (one: Node): Promise<Ranked | undefined> => {
      const id = await field(one, 'id')
      return (await admin.json<{ ranking: readonly Ranked[] }>(`${C}/failover/explain`)).ranking.find(
        ({ server }) => server === id,
      )
    }

    it('rank a preferred server first, whichever it is', async () => {
      for (const one of [node(1), node(2)]) {
        await does(`${S(one)}/actions/set-prefered`)
        await eventually(async () => (await ranked(one))?.rank === 1, `${one.name} ranks first`)
        expect(await field(one, 'prefered')).to.equal(true)
        expect(await setting('dbServersPreferedMaster')).to.contain(address(one))
        await does(`${S(one)}/actions/set-unrated`, 'GET')
        expect(await setting('dbServersPreferedMaster')).to.equal('')
      }
    })

    it('leave an ignored server out', async () => {
      await does(`${S(node(1))}/actions/set-prefered`)
      await does(`${S(node(1))}/actions/set-ignored`, 'GET')
      await eventually(async () => (await ranked(node(1)))?.eligible === false, 'it is not eligible')
      expect((await ranked(node(2)))?.rank).to.equal(1)
      expect([await setting('dbServersPreferedMaster'), await setting('dbServersIgnoredHosts')]).to.deep.equal([
        '',
        address(node(1)),
      ])
      await does(`${S(node(1))}/actions/set-unrated`)
      await eventually(async () => (await ranked(node(1)))?.eligible === true, 'it is eligible again')
    })
  })

  describe('replication', () => {
    const running = async (one: Node) => {
      const [row = {}] = await one.sql('SHOW SLAVE STATUS')
      return `${row.Slave_IO_Running} ${row.Slave_SQL_Running}`
    }

    it('stops and starts on a replica', async () => {
      await does(`${S(node(1))}/actions/stop-slave`)
      expect(await running(node(1))).to.equal('No No')
      await becomes(node(1), 'SlaveErr')
      await does(`${S(node(1))}/actions/start-slave`, 'GET')
      await eventually(async () => (await running(node(1))) === 'Yes Yes', 'it replicates')
      await becomes(node(1), 'Slave')
    })
  })

  describe('toogle-read-only', () => {
    it('closes the primary, which stays closed until it is opened the same way', async () => {
      const closed = () => node(0).value('SELECT @@read_only')
      await does(`${S(node(0))}/actions/toogle-read-only`)
      expect(await closed()).to.equal('1')
      expect(await field(node(0), 'readOnly')).to.equal('ON')
      await cluster.opens('WARN0232')
      expect(await check(node(0), 'is-master')).to.equal('503 503 -Not a Valid Master!')
      expect(await closed()).to.equal('1')
      await does(`${S(node(0))}/actions/toogle-read-only`, 'GET')
      expect(await closed()).to.equal('0')
      await eventually(async () => (await check(node(0), 'is-master')) === '200 200 -Valid Master!', 'it is valid')
    })
  })

  describe('toogle-read-only of a replica', () => {
    it('opens one that is a moment behind: behind is not missing', async () => {
      const replica = node(1)
      await node(0).sql('CREATE DATABASE IF NOT EXISTS spec')
      await node(0).sql('CREATE TABLE spec.behind (id INT PRIMARY KEY)')
      await eventually(async () => (await replica.sql("SHOW TABLES FROM spec LIKE 'behind'")).length === 1, 'it has it')
      const session = unwrap(await openSession(replica.target()))
      unwrap(await session.run('LOCK TABLES spec.behind READ', [], 10_000))
      try {
        await node(0).sql('INSERT INTO spec.behind VALUES (1)')
        const written = await node(0).value('SELECT @@gtid_binlog_pos')
        await eventually(
          async () =>
            JSON.stringify(await field(node(0), 'gtidBinlogPos')).includes(`"seqNo":${written.split('-').at(-1)}`) &&
            (await replica.value('SELECT @@gtid_slave_pos')) !== written,
          'the manager has seen what the replica has not applied',
        )
        await does(`${S(replica)}/actions/toogle-read-only`)
        expect(await replica.value('SELECT @@read_only')).to.equal('0')
      } finally {
        session.close()
      }
      await does(`${S(replica)}/actions/toogle-read-only/on`)
      expect(await replica.value('SELECT @@read_only')).to.equal('1')
      await cluster.ready()
    })
  })

  describe('stop and start', () => {
    it('shut a replica down, which is no failure, and ask its host to start it', async () => {
      const replica = node(2)
      await does(`${S(replica)}/actions/stop`)
      await eventually(() => replica.pid === 0, 'the process ends')
      await becomes(replica, 'Failed')
      expect(await field(replica, 'stoppedOnRequest')).to.equal(true)
      expect(await check(replica, 'need-start')).to.equal('500 500 -No start needed!')
      await does(`${S(replica)}/actions/start`)
      await eventually(async () => (await field(replica, 'needStart')) === true, 'the need shows')
      expect(await check(replica, 'need-start')).to.equal('200 200 -Need start!')
      expect(await check(replica, 'need-start'), 'a yes is given once').to.equal('500 500 -No start needed!')
      replica.start()
      await cluster.ready()
      expect(await field(replica, 'stoppedOnRequest')).to.equal(false)
    })

    it('are refused for the primary while others are there', async () => {
      const { status, text } = await admin.ask(`${S(node(0))}/actions/stop`, { method: 'POST' })
      expect(status).to.equal(409)
      expect(text).to.contain('switch over first')
    })
  })

  describe('switchover', () => {
    it('only shows its steps when asked for the plan', async () => {
      await switchable(cluster)
      const plan = await admin.json<Readonly<Record<string, unknown>>>(`${C}/actions/switchover?plan=true`)
      expect(plan).to.include({ kind: 'switchover', possible: true })
      expect(plan.steps).to.be.an('array').with.length.above(5)
      expect(plan.expectedBlockedMs).to.be.a('number')
      expect(await cluster.primary()).to.equal(node(0))
    })

    it('goes to the server that prefmaster names, and to the one whose action it is', async () => {
      await switchable(cluster, node(1))
      const ticket = await admin.json<{ operation: { phase: string } }>(`${C}/actions/switchover`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `prefmaster=${encodeURIComponent(address(node(1)))}`,
      })
      expect(ticket.operation.phase).to.equal('succeeded')
      expect(await cluster.primary()).to.equal(node(1))
      // The second one is judged by what the manager has seen of the first.
      await expectWhole(cluster, node(1))
      await switchable(cluster, node(0))
      await admin.json(`${S(node(0))}/actions/switchover`)
      await expectWhole(cluster, node(0))
      expect(await cluster.primary()).to.equal(node(0))
    })

    it('is refused to the primary itself and without a server', async () => {
      expect((await admin.ask(`${S(node(0))}/actions/switchover`)).status).to.equal(409)
      expect((await admin.ask(`${C}/actions/switchover?prefmaster=none`)).status).to.equal(400)
    })
  })

  describe('failover', () => {
    let writers: Writers | undefined
    after(() => writers?.stop())

    it('is refused while the primary lives', async () => {
      const { status, text } = await admin.ask(`${C}/actions/failover`, { method: 'POST' })
      expect(status).to.equal(400)
      expect(text).to.equal(`${address(node(0))} answers.`)
    })

    it('promotes a replica of a dead primary, to which no switchover is possible, and is counted until the reset', async () => {
      writers = new Writers(cluster.nodes, { count: 2 })
      writers.start()
      await progress(writers, 10)
      await node(0).kill()
      await becomes(node(0), 'Failed')
      await cluster.opens('ERR00002')
      let plan: Readonly<Record<string, unknown>> = {}
      await eventually(
        async () => {
          plan = await admin.json(`${C}/actions/failover?plan=true`)
          return plan.possible === true
        },
        () => `a failover is possible: ${JSON.stringify(plan)}`,
      )
      expect(plan).to.include({ kind: 'failover' })
      expect(await admin.line(`${C}/actions/switchover`)).to.equal('400 Master failed')
      expect(await admin.line(`${S(node(1))}/actions/switchover`)).to.equal(
        '500 Master failed, cannot initiate switchover',
      )
      const { operation } = await admin.json<{ operation: { kind: string; phase: string } }>(`${C}/actions/failover`, {
        method: 'POST',
      })
      expect(operation).to.include({ kind: 'failover', phase: 'succeeded' })
      const next = await cluster.movedFrom(node(0))
      await progress(writers, 10)
      const crashes = await admin.json<readonly object[]>(`${C}/topology/crashes`)
      expect(crashes.at(-1)).to.include({ URL: address(node(0)), ElectedMasterURL: address(next), Switchover: false })
      const counter = async () => (await admin.json<{ failoverCounter: number }>(C)).failoverCounter
      expect(await counter()).to.equal(1)
      await does(`${C}/actions/reset-failover-control`)
      expect(await counter()).to.equal(0)
    })

    it('leaves availability figures that begin again on request', async () => {
      const up = async () => Number((await admin.json<{ uptime: string }>(C)).uptime)
      expect(await up()).to.be.lessThan(100)
      await eventually(async () => {
        await does(`${C}/actions/reset-sla`)
        return (await up()) === 100
      }, 'a period begins in which the primary is up all the time')
      const { slaHistory } = await admin.json<{
        slaHistory: readonly { uptime: number; firsttime: number; lasttime: number }[]
      }>(C)
      const [period = { uptime: 0, firsttime: 0, lasttime: 0 }] = slaHistory
      // Whole seconds: a failover that took less than one may not show.
      expect(period.uptime).to.be.within(1, period.lasttime - period.firsttime)
    })

    it('leaves objects that existing clients decode, also of what there was not before', async () => {
      const recorded = recordedTypes()
      const next = (await cluster.primary()) ?? node(1)
      const objects: Readonly<Record<string, string>> = {
        ...{ monitor: '/api/monitor', cluster: C, servers: `${C}/topology/servers`, crashes: `${C}/topology/crashes` },
        ...{ jobs: `${C}/jobs`, proxies: `${C}/topology/proxies`, top: `${C}/top` },
        statements: `${S(next)}/digest-statements-pfs`,
      }
      const found = async (name: string) => typesOf(await admin.json(objects[name] ?? ''))
      await eventually(async () => '[].digest' in (await found('statements')), 'the writes are among the statements')
      await eventually(
        async () => '[].header.*[].data[].value' in (await found('top')),
        'the rates of a server are known',
      )
      for (const name of Object.keys(objects)) {
        const types = await found(name)
        expect(undecodable(types, recorded[name] ?? {}), name).to.deep.equal([])
      }
      expect(await found('cluster')).to.include({ '.slaHistory[].uptime': 'number', '.failoverHistory[].URL': 'text' })
    })

    it('leaves statements per second, of each server and of all', async () => {
      await eventually(async () => (await field(node(1), 'qps')) !== undefined, 'two slow probes give it')
      expect((await admin.json<{ workLoad: { qps: number } }>(C)).workLoad.qps).to.be.above(0)
    })
  })
})
