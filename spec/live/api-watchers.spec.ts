// Programs that ask a running daemon all the time: load balancers, metric scrapers, readers of events.
import { spawnSync } from 'node:child_process'
import type { Readable } from 'node:stream'
import { expect } from 'chai'
import type { ClusterEvent } from '../../lib/model/event.js'
import type { Node } from '../support/databases/node.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { type HaproxyProcess, startCheckedHaproxy } from '../support/proxies/haproxy.js'
import * as routes from '../support/proxies/routes.js'
import { expectWhole } from '../support/stories/story.js'
import { switchable } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

describe('clients that ask the daemon all the time', () => {
  let cluster: ProtectedCluster
  let admin: ApiUser
  let stranger: ApiUser
  let haproxy: HaproxyProcess

  before(async () => {
    cluster = await startProtectedCluster({ semiSync: true })
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
    stranger = new ApiUser(cluster.manager)
    haproxy = await startCheckedHaproxy({
      managerPort: cluster.manager.httpPort,
      cluster: 'story',
      databasePorts: cluster.nodes.map(({ port }) => port),
    })
  })
  after(async () => {
    await haproxy?.stop()
    await cluster?.destroy()
  })

  const node = (index: number): Node => cluster.databases.node(index)
  const switchTo = async (one: Node) => {
    await switchable(cluster, one)
    return admin.json(`${C}/servers/127.0.0.1:${one.port}/actions/switchover`)
  }

  describe('a load balancer that asks is-master and is-slave', () => {
    const writesReach = (one: Node) => routes.writesReach(haproxy, one)
    const readsReach = (...nodes: readonly Node[]) => routes.readsReach(haproxy, nodes)

    it('sends writes to the primary and reads to the replicas', async () => {
      await writesReach(node(0))
      await readsReach(node(1), node(2))
    })

    it('takes a server in maintenance out of its reads', async () => {
      await admin.line(`${C}/servers/127.0.0.1:${node(1).port}/actions/set-maintenance`)
      await readsReach(node(2))
      await admin.line(`${C}/servers/127.0.0.1:${node(1).port}/actions/del-maintenance`)
      await readsReach(node(1), node(2))
    })

    it('follows a switchover', async () => {
      await switchTo(node(1))
      await writesReach(node(1))
      await readsReach(node(0), node(2))
    })

    it('follows a failover', async () => {
      // What it would do right after the switchover rests on what was probed before it.
      await cluster.ready()
      await node(1).kill()
      const next = await cluster.movedFrom(node(1))
      await writesReach(next)
      await readsReach(...[node(0), node(2)].filter((one) => one !== next))
      node(1).start()
      await node(1).waitUp()
      await cluster.ready()
      if (next !== node(0)) await switchTo(node(0))
      await expectWhole(cluster, node(0))
    })
  })

  describe('a load balancer that asks for the cluster', () => {
    it('learns whether anybody takes writes or reads, and who', async () => {
      expect(await stranger.line(`${C}/primary`)).to.equal('200 200 -Valid Master!')
      expect(await stranger.line(`${C}/replica`)).to.equal('200 200 -Valid Slave!')
      const wanted = cluster.nodes.map(({ port }) => `127.0.0.1:${port}`).join()
      let listed = ''
      await eventually(
        async () => {
          const { master, slaves } = await stranger.json<{ master: string; slaves: readonly string[] }>(`${C}/health`)
          listed = [master, ...slaves].join()
          return listed === wanted
        },
        () => `${listed} is ${wanted}`,
      )
    })

    it('bounds the lag that it accepts', async () => {
      await eventually(
        async () => (await stranger.line(`${C}/replica?lag=0`)) === '200 200 -Valid Slave!',
        'one is not behind at all',
      )
      await Promise.all([1, 2].map((index) => node(index).sql('LOCK TABLES spec.acknowledged READ')))
      try {
        await node(0).sql('INSERT INTO spec.acknowledged VALUES (9, 9)')
        await eventually(
          async () => (await stranger.line(`${C}/replica?lag=1`)) === '503 503 -Not a Valid Slave!',
          'both are more than a second behind',
        )
        expect(await stranger.line(`${C}/replica?lag=3600s`)).to.equal('200 200 -Valid Slave!')
        expect((await stranger.ask(`${C}/replica?lag=soon`)).status).to.equal(400)
      } finally {
        await Promise.all([1, 2].map((index) => node(index).sql('UNLOCK TABLES')))
      }
      await eventually(async () => (await stranger.ask(`${C}/replica?lag=0`)).status === 200, 'they have caught up')
    })

    it('gets no primary when no server takes writes', async () => {
      const toggle = `${C}/servers/127.0.0.1:${node(0).port}/actions/toogle-read-only`
      expect(await admin.line(toggle)).to.match(/^200/)
      const primary = (line: string) => eventually(async () => (await stranger.line(`${C}/primary`)) === line, line)
      await primary('503 503 -Not a Valid Master!')
      expect(await stranger.line(`${C}/replica`)).to.equal('200 200 -Valid Slave!')
      expect(await admin.line(toggle)).to.match(/^200/)
      await primary('200 200 -Valid Master!')
    })
  })

  describe('a scraper of metrics', () => {
    it('gets what promtool accepts, of every server and of the manager itself', async () => {
      const ofServers = /^(?:manager_server_up\{.* 1|mysql_global_status_uptime\{.*)$/gm
      await eventually(
        async () => (await stranger.ask('/api/prometheus')).text.match(ofServers)?.length === 6,
        'every server answers, and has had a slow probe since it was started',
      )
      const { status, text, headers } = await stranger.ask('/api/prometheus')
      expect(status).to.equal(200)
      expect(headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8')
      const judged = spawnSync('promtool', ['check', 'metrics'], { input: `${text}\n`, encoding: 'utf8' })
      expect(judged.status, judged.stderr).to.equal(0)
      const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
      const of = (name: string) => samples.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      expect(of('manager_server_up').map((line) => line.slice(-2))).to.deep.equal([' 1', ' 1', ' 1'])
      for (const { port } of cluster.nodes)
        expect(of('manager_server_up').some((line) => line.includes(`:${port}"`))).to.equal(true)
      for (const name of ['mysql_global_status_uptime', 'mysql_global_status_threads_connected'])
        expect(of(name)).to.have.lengthOf(3)
      expect(of('manager_failover_total').find((line) => line.includes('succeeded'))).to.match(/ 1$/)
      expect(
        Number(
          of('manager_switchover_total')
            .find((line) => line.includes('succeeded'))
            ?.split(' ')
            .at(-1),
        ),
      ).to.be.above(0)
      for (const name of [
        'manager_decision_seconds_count',
        'manager_probe_seconds_count',
        'manager_loop_delay_seconds',
      ])
        expect(of(name), name).to.not.deep.equal([])
      for (const line of samples.filter((line) => line.includes('instance=')))
        expect(line).to.contain('cluster="story"')
    })
  })

  describe('a reader of events', () => {
    /** A stream that is open: no later event is missed. */
    async function open(after?: number): Promise<Readable> {
      const opened = await cluster.manager.session.open('GET', `${C}/events`, {
        headers: { accept: 'text/event-stream', ...(after === undefined ? {} : { 'last-event-id': String(after) }) },
      })
      if (!opened.ok) throw new Error(opened.failure.message)
      expect(opened.value.headers['content-type']).to.contain('text/event-stream')
      return opened.value.body
    }

    /** Its events, as they come, until `enough` holds. */
    async function read(stream: Readable, enough: (events: readonly ClusterEvent[]) => boolean) {
      const events: ClusterEvent[] = []
      let rest = ''
      for await (const piece of stream) {
        const blocks = `${rest}${String(piece)}`.split('\n\n')
        rest = blocks.pop() ?? ''
        for (const block of blocks) {
          const data = /^data: (.*)$/m.exec(block)?.[1]
          if (data !== undefined && /^id: /m.test(block)) events.push(JSON.parse(data) as ClusterEvent)
        }
        if (enough(events)) break
      }
      stream.destroy()
      return events
    }

    it('hears of an operation step by step, numbered without a gap, and can go on where it left off', async () => {
      // A repair of the manager's own may run before it.
      const isSwitchover = ({ kind, data }: ClusterEvent) => kind === 'operation' && data?.kind === 'switchover'
      const reading = read(await open(), (events) =>
        events.some((event) => isSwitchover(event) && event.data?.phase === 'succeeded'),
      )
      await switchTo(node(2))
      const all = await reading
      const id = all.find(isSwitchover)?.data?.id
      const steps = all.filter((event) => isSwitchover(event) || event.data?.operation === id)
      expect(steps[0]?.kind).to.equal('operation')
      expect(steps.filter(({ kind }) => kind === 'step').length).to.be.greaterThan(5)
      const first = all[0]?.id ?? 0
      expect(all.map(({ id }) => id)).to.deep.equal(all.map((_, index) => first + index))
      const again = await read(await open(first), (events) => events.length >= all.length - 1)
      expect(again.slice(0, all.length - 1)).to.deep.equal(all.slice(1))
    })

    it('is refused without a token', async () => {
      expect((await stranger.ask(`${C}/events`)).status).to.equal(401)
      expect(await admin.line('/api/clusters/none/events')).to.equal('500 No cluster')
    })
  })
})
