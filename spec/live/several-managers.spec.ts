// Stories of two managers that share a fleet by etcd: one owns the cluster, the other one takes it over when the first dies or sleeps.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { createSession } from '../../http/client/session.js'
import { parseJournal, unfinishedOf } from '../../lib/store/cluster/journal-entry.js'
import type { Node } from '../support/databases/database.js'
import type { Writers } from '../support/databases/writers.js'
import { EtcdServer } from '../support/machine/etcd.js'
import type { ManagerProcess } from '../support/manager/manager-process.js'
import { type ProtectedCluster, sourceOf, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { startSecondManager } from '../support/manager/second-manager.js'
import { isSoak } from '../support/run/soak.js'
import { expectIntact, journalFile } from '../support/stories/intact.js'
import { cutsOf, JournalWatch, latestOf } from '../support/stories/journal-watch.js'
import { allWriteTo, asReplica, end, expectWhole, lossless, progress } from '../support/stories/story.js'
import {
  acknowledging,
  changes,
  portrait,
  replicasOf,
  SWITCHOVER,
  startWriters,
  switchable,
} from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

interface Alerts {
  readonly errors: readonly { readonly number: string; readonly desc: string }[]
  readonly warnings: readonly { readonly number: string; readonly desc: string }[]
}

type Kind = 'switchover' | 'failover'

/** A busy machine may not notice that a switchover has come so far before it has ended. */
const ATTEMPTS = 6

describe('Two managers that share a fleet by etcd', function () {
  this.timeout(600_000)
  let etcd: EtcdServer
  let cluster: ProtectedCluster
  let second: ManagerProcess
  let writers: Writers | undefined
  before(async () => {
    etcd = await EtcdServer.create()
    cluster = await startProtectedCluster({
      semiSync: true,
      options: lossless,
      settings: { 'failover-limit': 0 },
      defaults: { 'cluster-store': 'etcd', 'cluster-store-endpoints': etcd.endpoint },
    })
    await owns(cluster.manager)
    second = await startSecondManager(cluster.manager)
    await standsBy(second)
  })
  // One that failed leaves its clients behind.
  afterEach(() => writers?.stop())
  after(async () => {
    await second?.destroy()
    await end(cluster)
    await etcd?.end()
  })

  const findingOf = async (manager: ManagerProcess, code: string) => {
    const { errors, warnings } = await manager.get<Alerts>('/api/clusters/story/topology/alerts')
    return [...errors, ...warnings].find(({ number }) => number === code)?.desc
  }
  const owns = (manager: ManagerProcess) =>
    eventually(
      async () =>
        manager.log().includes('cluster-owned') &&
        (await findingOf(manager, 'WARN0362')) === undefined &&
        (await findingOf(manager, 'ERR00181')) === undefined,
      () => `it owns the cluster\n${manager.log().slice(-3_000)}`,
    )
  const standsBy = (manager: ManagerProcess) =>
    eventually(
      async () => (await findingOf(manager, 'WARN0362'))?.includes('Owner: ') ?? false,
      () => `it stands by\n${manager.log().slice(-3_000)}`,
    )
  const begun = (manager: ManagerProcess) =>
    manager
      .log()
      .split('\n')
      .filter((line) => / begins[,:] |fence at once/.test(line))

  /** No operation is left unfinished in its journal. */
  const isSettled = (manager: ManagerProcess) => {
    const { entries } = parseJournal(readFileSync(journalFile(manager), 'utf8'))
    return entries.length > 0 && unfinishedOf(entries) === undefined
  }

  const oneWriter = async (): Promise<Node> => {
    let open: readonly Node[] = []
    await eventually(
      async () => {
        const living = cluster.nodes.filter(({ pid }) => pid > 0)
        const closed = await Promise.all(living.map((node) => node.value('SELECT @@read_only')))
        open = living.filter((_, index) => closed[index] === '0')
        return open.length === 1
      },
      () => `one server takes writes\n${second.log().slice(-4_000)}\n${cluster.manager.log().slice(-2_000)}`,
    )
    const [writer] = open
    if (!writer) throw new Error('no server takes writes')
    return writer
  }

  it('the one that does not own the cluster shows it, names the owner, and passes what changes it on to that', async () => {
    expect((await second.get<unknown[]>('/api/clusters/story/topology/servers')).length).to.equal(3)
    const old = await cluster.primary()
    await switchable(cluster)
    const switched = await second.post(SWITCHOVER)
    expect(switched.status, switched.body).to.equal(200)
    await cluster.movedFrom(old)
    const set = await second.post('/api/clusters/story/settings/actions/set/failover-limit', { value: '50' })
    expect(set.status, set.body).to.equal(200)
    expect(cluster.manager.log()).to.match(/failover-limit/)
    await cluster.ready()
    expect(begun(second)).to.deep.equal([])
  })

  interface IssuedToken {
    readonly id: string
    readonly token: string
  }

  const tokenStatus = async (manager: ManagerProcess, token: string): Promise<number> => {
    const session = createSession(manager.session.endpoint, { user: '', password: async () => undefined, token })
    const reply = await session.call('GET', '/api/clusters/story/topology/servers')
    return reply.ok ? reply.value.status : 0
  }
  const issue = (manager: ManagerProcess) =>
    manager.post('/api/tokens', { label: 'story', grants: '', clusters: [], expireDays: 1 })

  it('an API token of one is valid at both, and revoked at one at none', async () => {
    const issued = await issue(cluster.manager)
    expect(issued.status, issued.body).to.equal(200)
    const { id, token } = JSON.parse(issued.body) as IssuedToken
    await eventually(async () => (await tokenStatus(second, token)) === 200, 'it is valid at the other instance')
    const revoked = await second.session.call('DELETE', `/api/tokens/${id}`)
    expect(revoked.ok && revoked.value.status).to.equal(200)
    for (const manager of [second, cluster.manager])
      await eventually(async () => (await tokenStatus(manager, token)) === 401, 'it is refused')
  })

  it('a user that is added at one logs in at both, and a setting of the server is the same', async () => {
    const user = { username: 'bob', password: 'a-long-password', roles: '', grants: 'show db-show' }
    const added = await second.post('/api/clusters/story/users/add', user)
    expect(added.status, added.body).to.equal(200)
    for (const manager of [cluster.manager, second]) {
      await eventually(async () => {
        const users = await manager.get<readonly { readonly user: string }[]>('/api/clusters/story/users')
        return users.some(({ user: name }) => name === user.username)
      }, `${user.username} is known`)
      const credentials = { user: user.username, password: async () => user.password }
      const session = createSession(manager.session.endpoint, credentials)
      const reply = await session.call('GET', '/api/clusters/story/topology/servers')
      expect(reply.ok && reply.value.status).to.equal(200)
    }
    const set = await second.post('/api/clusters/settings/actions/set/api-token-timeout', { value: '24' })
    expect(set.status, set.body).to.equal(200)
    await eventually(() => {
      const file = path.join(cluster.manager.dataDirectory, 'default.toml')
      return existsSync(file) && readFileSync(file, 'utf8').includes('api-token-timeout = 24')
    }, 'the other instance has the setting')
  })

  /** Whether an operation after this one has ended, by the journal of its owner. */
  const hasEnded = (owner: ManagerProcess, kind: Kind, earlier: string | undefined): boolean => {
    const entries = latestOf({ manager: owner }, kind)
    return entries[0]?.operation !== earlier && 'result' in (entries.at(-1) ?? {})
  }

  /** The owner is stopped in the middle of a switchover; one that had ended by then does not count. Its reply comes later. */
  const stopInTheMiddle = async (attempts = ATTEMPTS): Promise<{ readonly asked: Promise<unknown> }> => {
    await acknowledging(cluster)
    const [candidate] = await replicasOf(cluster)
    await switchable(cluster, candidate)
    const earlier = latestOf(cluster, 'switchover')[0]?.operation
    let isStopped = false
    const watch = new JournalWatch(
      cluster,
      {
        kind: 'switchover',
        when: (lines) => lines.some((line) => 'index' in line && line.type === 'started' && line.index >= 4),
      },
      () => {
        isStopped = true
        cluster.manager.signal('SIGSTOP')
      },
    )
    const asked = cluster.manager
      .post(SWITCHOVER, { prefmaster: `${candidate.host}:${candidate.port}` })
      .catch(() => undefined)
    await eventually(
      () => isStopped || hasEnded(cluster.manager, 'switchover', earlier),
      () => `the switchover has come so far\n${cluster.manager.log().slice(-3_000)}`,
    )
    watch.close()
    if (!hasEnded(cluster.manager, 'switchover', earlier)) return { asked }
    cluster.manager.signal('SIGCONT')
    await asked
    expect(attempts, 'no switchover was stopped in the middle').to.be.above(1)
    return stopInTheMiddle(attempts - 1)
  }

  /** Every server follows and acknowledges, and the manager has nothing to repair any more: two portraits are equal. */
  const isCalm = async (primary: Node, group: Writers) => {
    const others = cluster.nodes.filter((node) => node !== primary)
    await eventually(
      async () => {
        const sources = await Promise.all(others.map(sourceOf))
        const [{ Value } = {}] = await primary.sql("SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_master_clients'")
        const servers = await second.get<readonly { state: string }[]>('/api/clusters/story/topology/servers')
        const states = servers.map(({ state }) => state).sort()
        const follow = sources.every((source) => source === `${primary.port} Yes Yes`)
        return follow && Number(Value) === others.length && states.join() === 'Master,Slave,Slave'
      },
      () => `all follow ${primary.name}\n${second.log().slice(-4_000)}`,
    )
    let [before, settled] = [await portrait(cluster), begun(second).length]
    await eventually(
      async () => {
        const [earlier, count] = [before, settled]
        await progress(group, 50)
        ;[before, settled] = [await portrait(cluster), begun(second).length]
        return settled === count && changes(earlier, before).length === 0
      },
      () => `nothing changes any more\n${second.log().slice(-4_000)}`,
    )
    return { before, settled }
  }

  it('an owner that is stopped in the middle of a switchover does nothing more when it wakes', async () => {
    await acknowledging(cluster)
    const group = startWriters(cluster, { count: 4, pauseMs: 20 })
    writers = group
    await progress(group, 50)
    const { asked } = await stopInTheMiddle()
    await owns(second)
    await eventually(
      () => isSettled(second),
      () => `what it left is settled\n${second.log().slice(-4_000)}`,
    )
    const primary = await oneWriter()
    await progress(group, 50)
    const { before, settled } = await isCalm(primary, group)
    cluster.manager.signal('SIGCONT')
    await standsBy(cluster.manager)
    await asked
    await progress(group, 200)
    expect(await portrait(cluster)).to.deep.equal(before)
    expect(begun(second)).to.have.length(settled)
    await group.stop()
    await expectWhole(cluster, primary)
  })

  it('the next owner fails over a primary that was killed in the same moment as its owner', async () => {
    const group = startWriters(cluster, { count: 4, pauseMs: 20 })
    writers = group
    await progress(group, 50)
    const old = await cluster.primary()
    await Promise.all([old.kill(), second.end('SIGKILL')])
    await owns(cluster.manager)
    const next = await cluster.movedFrom(old)
    await allWriteTo(group, next)
    old.start(...asReplica)
    await old.waitUp()
    await progress(group, 50)
    await group.stop()
    await expectWhole(cluster, next)
  })

  it('a manager without etcd watches on, changes nothing and says so', async () => {
    await etcd.end()
    await cluster.opens('ERR00181')
    const refused = await cluster.manager.post(SWITCHOVER)
    expect(refused.status, refused.body).to.equal(409)
    expect((await issue(cluster.manager)).status).to.equal(503)
    expect((await cluster.servers()).length).to.equal(3)
    await etcd.start()
    await cluster.closes('ERR00181')
    await owns(cluster.manager)
    await cluster.ready()
  })

  /** Milliseconds from the stop of an owner to the start of its successor. */
  const takeOvers: number[] = []
  /** It was killed by a story. */
  const startAgain = async () => {
    second.start()
    await second.alive()
    await standsBy(second)
  }

  /**
   * One operation of the owner under writers; the owner is stopped when its journal has so many lines, and wakes when the other
   * instance has settled what it left. Answers whether it was stopped, or had ended before.
   */
  const stopAt = async (kind: Kind, lines: number, [owner, other]: readonly [ManagerProcess, ManagerProcess]) => {
    await acknowledging(cluster)
    const group = startWriters(cluster, { count: 4, pauseMs: 20 })
    writers = group
    await progress(group, 50)
    const old = await cluster.primary()
    const [{ host, port }] = await replicasOf(cluster)
    let stopped = 0
    const watch = new JournalWatch({ manager: owner }, { kind, when: ({ length }) => length >= lines }, () => {
      owner.signal('SIGSTOP')
      stopped = Date.now()
    })
    const earlier = latestOf({ manager: owner }, kind)[0]?.operation
    const asked =
      kind === 'switchover'
        ? owner.post(SWITCHOVER, { prefmaster: `${host}:${port}` }).catch(() => undefined)
        : old.kill('SIGKILL')
    await eventually(
      () => stopped > 0 || hasEnded(owner, kind, earlier),
      () => `it is stopped at line ${lines}\n${owner.log().slice(-3_000)}`,
    )
    watch.close()
    const isStopped = stopped > 0
    const begunByOwner = begun(owner).length
    if (isStopped) {
      await owns(other)
      takeOvers.push(Date.now() - stopped)
      await eventually(
        () => isSettled(other),
        () => `what it left is settled\n${other.log().slice(-4_000)}`,
      )
    }
    await allWriteTo(group, await oneWriter())
    await progress(group, 50)
    if (isStopped) owner.signal('SIGCONT')
    await asked
    if (kind === 'failover') {
      old.start(...asReplica)
      await old.waitUp()
    }
    if (isStopped) {
      await standsBy(owner)
      await progress(group, 100)
      expect(begun(owner), 'what the woken one began').to.have.length(begunByOwner)
    }
    const primary = await oneWriter()
    await group.stop()
    await expectIntact(cluster, { primary, writers: group })
    return isStopped
  }

  if (isSoak)
    for (const kind of ['switchover', 'failover'] as const)
      it(`an owner that is stopped at any step of a ${kind} changes nothing when it wakes`, async function () {
        this.timeout(3_600_000)
        if (second.pid === 0) await startAgain()
        let pair: readonly [ManagerProcess, ManagerProcess] = [cluster.manager, second]
        if (await findingOf(cluster.manager, 'WARN0362')) pair = [second, cluster.manager]
        await stopAt(kind, Number.POSITIVE_INFINITY, pair)
        const cuts = cutsOf(latestOf({ manager: pair[0] }, kind))
        let stops = 0
        for (const lines of cuts) {
          if (!(await stopAt(kind, lines, pair))) continue
          stops += 1
          pair = [pair[1], pair[0]]
        }
        process.stdout.write(
          `${kind}: stopped at ${stops} of ${cuts.length} steps; taken over after ${takeOvers.join(', ')} ms\n`,
        )
        takeOvers.length = 0
        expect(stops).to.be.above(cuts.length / 2)
      })
})
