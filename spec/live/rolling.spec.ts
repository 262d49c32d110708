// Rolling work on real servers of the local orchestrator, under a client that writes all the while: a tag that needs a
// restart, a manager killed at every step, a server that does not come back, a failover in between, an end on request.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import type { Preview } from '../../lib/model/operation/preview.js'
import type { Roll } from '../../lib/model/operation/roll.js'
import { Barrier } from '../support/machine/barrier.js'
import { MadeCluster, madeTags, nameOf, type RollView } from '../support/manager/made-cluster.js'
import { PassingUser } from '../support/manager/passing-user.js'
import { isSoak } from '../support/run/soak.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

interface Task {
  readonly user: string
  readonly phase: string
}

describe('rolling work', function () {
  this.timeout(900_000)
  let cluster: MadeCluster
  /** Every start of a server, and every switchover before it changes anything, passes one of them. */
  const [starts, moves] = [new Barrier(), new Barrier()]

  before(async () => {
    starts.program('mariadbd')
    const settings = { 'failover-pre-script': moves.script('before-a-move') }
    cluster = await MadeCluster.start({ programs: starts.folder, settings })
  })
  after(() => cluster?.destroy())
  // A story that failed leaves no writer behind.
  afterEach(() => {
    for (const barrier of [starts, moves]) barrier.raise()
    cluster.stopWriting()
  })

  /** The process that serves on each port: another one after a restart. */
  const processes = (): Promise<readonly string[]> =>
    Promise.all(
      cluster.ports.map(async (port) => {
        const { file } = await cluster.ask(port, 'SELECT @@pid_file AS file')
        return readFileSync(String(file), 'utf8').trim()
      }),
    )
  /** What plans must not touch: the binary log's first file, whether it replicates, the accounts' passwords. */
  const pulses = (): Promise<readonly unknown[]> =>
    Promise.all(
      cluster.ports.map(async (port) => ({
        ...(await cluster.ask(
          port,
          'SELECT count(*) AS accounts, md5(group_concat(Priv ORDER BY User, Host)) AS logins FROM mysql.global_priv',
        )),
        ...(await cluster.ask(
          port,
          "SELECT variable_value AS replicates FROM information_schema.global_status WHERE variable_name = 'Slaves_running'",
        )),
      })),
    )
  const states = async () => Object.fromEntries((await cluster.roll()).servers.map(({ name, state }) => [name, state]))
  const alerts = async () =>
    (await cluster.manager.get<{ warnings: readonly { number: string; desc: string }[] }>(`${C}/topology/alerts`))
      .warnings
  const needs = () => cluster.needs('need-rolling-restart')

  it('is listed by a plan, like everything else that changes servers, and nothing is changed', async () => {
    const before = { processes: await processes(), primary: await cluster.primaryPort(), pulse: await pulses() }
    const [server = ''] = cluster.ports.map((port) => `${C}/servers/${encodeURIComponent(nameOf(port))}`)
    const plans = {
      'actions/rolling': 5,
      'actions/rolling-reprov': 5,
      'actions/optimize': 2,
      'actions/rotate-passwords': 6,
      'services/actions/unprovision?force=true': 3,
      'actions/start-traffic': 1,
    }
    for (const [target, count] of Object.entries(plans)) {
      const answer = await cluster.manager.post(`${C}/${target}${target.includes('?') ? '&' : '?'}plan=true`)
      const plan = JSON.parse(answer.body) as Preview
      expect([answer.status, plan.refusal, plan.possible], target).to.deep.equal([200, undefined, true])
      expect(
        plan.steps.map(({ text }) => text),
        target,
      ).to.have.length(count)
    }
    for (const word of ['stop', 'restart', 'reset-slave-all?force=true', 'reset-master?force=true', 'stop-slave']) {
      const target = `${server}/actions/${word}${word.includes('?') ? '&' : '?'}plan=true`
      const answer = await cluster.manager.post(target)
      const { possible, refusal = '', steps } = JSON.parse(answer.body) as Preview
      expect([answer.status, possible ? steps.length > 0 : refusal !== ''], answer.body).to.deep.equal([200, true])
    }
    const misspelt = await cluster.manager.post(`${C}/actions/rolling?pan=true`)
    expect(misspelt.status).to.equal(400)
    expect(JSON.parse(misspelt.body)).to.include({
      detail: 'pan: this action has no such parameter; did you mean plan?',
    })
    expect({ processes: await processes(), primary: await cluster.primaryPort(), pulse: await pulses() }).to.deep.equal(
      before,
    )
    expect(await cluster.manager.get(`${C}/rolling`)).to.equal(null)
  })

  it('carries a tag that needs a restart to every server, and hands the role back', async () => {
    const home = await cluster.primaryPort()
    // As if the drift of the servers had not been read yet: what they run with is no decision against the new tag.
    rmSync(path.join(cluster.manager.dataDirectory, 'story', 'drift.json'), { force: true })
    await cluster.set('prov-db-tags', [...madeTags, 'pfs'].join(','))
    await eventually(needs, 'the servers need a restart')
    for (const port of cluster.ports) {
      expect(await cluster.ask(port, 'SELECT @@performance_schema AS pfs')).to.include({ pfs: 0 })
      await cluster.manager.get(`${C}/servers/${encodeURIComponent(nameOf(port))}/variables-drift`)
    }
    const stop = cluster.writing()
    const { status, stdout, stderr } = await cluster.client.run('rolling', 'restart')
    expect(status, `${stderr}\n${cluster.log()}`).to.equal(0)
    expect(stdout).to.match(/^rolling restart succeeded; 3 of 3 done, requested by admin/)
    expect(await stop(), 'it wrote while the servers restarted').to.be.above(0)
    for (const port of cluster.ports)
      expect(await cluster.ask(port, 'SELECT @@performance_schema AS pfs')).to.include({ pfs: 1 })
    expect(await cluster.primaryPort()).to.equal(home)
    await eventually(async () => !(await needs()), 'no server needs a restart any more')
    const shown = await cluster.manager.get<{ inRollingRestart: boolean }>(C)
    expect(shown.inRollingRestart).to.equal(false)
  })

  it('keeps other hands off while it runs, and ends on request when the server that has its turn is back', async () => {
    const before = await processes()
    starts.lower()
    await cluster.begin('actions/rolling')
    await starts.arrival(() => `a server has its turn\n${cluster.log()}`)
    const [server = ''] = Object.keys(await states())
    const refused = await cluster.manager.post(`${C}/servers/${encodeURIComponent(server)}/actions/stop`)
    expect(refused).to.deep.include({ status: 409 })
    expect((await cluster.manager.post(`${C}/actions/switchover`)).status).to.equal(409)
    expect((await cluster.manager.post(`${C}/actions/rolling`)).status).to.equal(409)
    expect((await cluster.manager.post(`${C}/actions/cancel-rolling-reprov`)).status).to.equal(409)
    const cancelled = await cluster.client.json<RollView>('rolling', 'cancel')
    const turns = cancelled.servers.map(({ state }) => state)
    expect(turns, 'one has its turn').to.deep.equal(['acting', 'waiting', 'waiting'])
    starts.raise()
    const ended = await cluster.ends('cancelled')
    expect(ended.message).to.equal('cancelled by admin')
    const restarted = ended.servers.filter(({ state }) => state === 'done').map(({ name }) => name)
    expect(restarted).to.deep.equal([cancelled.servers[0]?.name])
    await cluster.isWhole()
    const now = await processes()
    expect(cluster.ports.filter((_, index) => now[index] !== before[index]).map(nameOf)).to.deep.equal(restarted)
  })

  /** As saved for the next manager. */
  const saved = (): Roll => {
    const file = path.join(cluster.manager.dataDirectory, 'story', 'rolling.json')
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly value: Roll }).value
  }

  /**
   * Kills the manager where a server starts, or the role is about to move. What it has begun goes on while none runs, or
   * (`again`) when the next one has begun it again. That one is held at `next`.
   */
  const killAt = async (barrier: Barrier, { next, again = false }: { next?: Barrier; again?: boolean } = {}) => {
    const first = await barrier.arrival(() => `a step is begun\n${cluster.log()}`)
    await cluster.manager.end('SIGKILL')
    expect(saved().moving !== undefined, `the role is about to move: ${first}`).to.equal(barrier === moves)
    if (!again) barrier.raise()
    next?.lower()
    cluster.manager.start()
    await cluster.manager.alive()
    if (again) await barrier.arrival(() => `the step is begun again\n${cluster.log()}`, first)
    if (again) barrier.raise()
  }

  /** Kills the manager as soon as it has saved something else, unless the run is over by then. */
  const killAtNextStep = async () => {
    const step = () => JSON.stringify(saved().servers.map(({ state }) => state)) + saved().primary
    const before = step()
    await eventually(
      () => saved().phase !== 'running' || step() !== before,
      () => `the next step\n${cluster.log()}`,
    )
    await cluster.manager.end('SIGKILL')
    cluster.manager.start()
    await cluster.manager.alive()
  }

  it('ends with its user, when the server that has its turn is back, and a finding says so', async () => {
    const ann = await PassingUser.add(cluster.manager, 'ann')
    const before = await processes()
    starts.lower()
    await ann.asks('actions/rolling')
    await starts.arrival(() => `a server has its turn\n${cluster.log()}`)
    await ann.drop()
    starts.raise()
    const ended = await cluster.ends('cancelled')
    expect(ended.message).to.contain('the user ann that asked for it does not exist any more')
    expect(ended.servers.map(({ state }) => state)).to.deep.equal(['done', 'skipped', 'skipped'])
    const kept = (await processes()).filter((id) => before.includes(id))
    expect(kept, 'one server restarted').to.have.lengthOf(2)
    await ann.isNamed()
    await cluster.isWhole()
  })

  it('leaves the services that follow as they are when its user is dropped while one has its turn', async () => {
    await cluster.set('prov-serialized', 'true')
    const primary = await cluster.primaryPort()
    const first = cluster.ports.findIndex((port) => port !== primary)
    await cluster.does('stop', nameOf(cluster.ports[first]))
    const bob = await PassingUser.add(cluster.manager, 'bob')
    starts.lower()
    await bob.asks('services/actions/provision?wait=false')
    await starts.arrival(() => `the one that is down has its turn\n${cluster.log()}`)
    await bob.drop()
    starts.raise()
    await bob.isNamed()
    const { servers } = await cluster.manager.get<{ servers: Record<string, { tasks: readonly Task[] }> }>(`${C}/jobs`)
    const turns = Object.values(servers).flatMap(({ tasks }) => tasks.filter(({ user }) => user === 'bob'))
    expect(turns.map(({ phase }) => phase)).to.deep.equal(Array.from({ length: first + 1 }, () => 'done'))
    await cluster.set('prov-serialized', 'false')
    await cluster.isWhole()
  })

  it(`goes on when the manager is killed ${isSoak ? 'at each' : 'in the middle'} of its steps`, async () => {
    const before = await processes()
    const home = await cluster.primaryPort()
    const stop = cluster.writing()
    starts.lower()
    await cluster.begin('actions/rolling')
    // The first replica's turn, the second one's, the way of the role to it, the former primary's turn, and the way back.
    await killAt(starts, { next: starts })
    await killAt(starts, { next: moves, again: true })
    await killAt(moves, { next: starts })
    if (isSoak) await killAtNextStep()
    await killAt(starts, { next: moves })
    if (isSoak) await killAtNextStep()
    await killAt(moves)
    if (isSoak) await killAtNextStep()
    const ended = await cluster.ends('succeeded')
    expect(ended.servers.map(({ state }) => state)).to.deep.equal(['done', 'done', 'done'])
    const times = saved().servers.flatMap(({ actedAt = 0, backAt = 0, endedAt = 0 }) => [actedAt, backAt, endedAt])
    expect(times, 'one turn after the other').to.deep.equal(times.toSorted((left, right) => left - right))
    expect(Math.min(...times), 'each had its turn').to.be.above(0)
    await stop()
    expect((await processes()).filter((id) => before.includes(id))).to.deep.equal([])
    expect(await cluster.primaryPort()).to.equal(home)
  })

  it('stops with a finding when a server does not come back, the others serving', async () => {
    const primary = await cluster.primaryPort()
    const stop = cluster.writing()
    // The next start of the first replica reads an option that no server knows.
    const victim = cluster.ports.find((port) => port !== primary)
    const overlay = path.join(cluster.manager.dataDirectory, 'story', `127.0.0.1_${victim}`, '01_preserved.cnf')
    const kept = readFileSync(overlay, 'utf8')
    writeFileSync(overlay, '[mysqld]\nno_such_option = 1\n')
    expect((await cluster.manager.post(`${C}/actions/regenerate-configs`)).status).to.equal(200)
    const { status, stdout } = await cluster.client.run('rolling', 'restart')
    expect(status).to.not.equal(0)
    expect(stdout).to.match(/^rolling restart stopped: 127\.0\.0\.1:\d+ did not come back/)
    const ended = await cluster.ends('stopped')
    const [first, ...others] = ended.servers
    expect(first).to.include({ name: nameOf(victim), state: 'failed' })
    expect(others.map(({ state }) => state)).to.deep.equal(['skipped', 'skipped'])
    expect(await cluster.primaryPort()).to.equal(primary)
    expect((await alerts()).find(({ number }) => number === 'WARN0320')?.desc).to.contain('did not come back')
    writeFileSync(overlay, kept)
    expect((await cluster.manager.post(`${C}/actions/regenerate-configs`)).status).to.equal(200)
    const back = await cluster.client.run('start', first?.name ?? '')
    expect(back.status, back.stderr).to.equal(0)
    await stop()
    expect((await cluster.client.run('rolling', 'cancel')).status).to.equal(0)
    await eventually(
      async () => (await alerts()).every(({ number }) => number !== 'WARN0320'),
      'the finding is dismissed',
    )
  })

  it('gives way to a failover', async () => {
    const old = await cluster.primaryPort()
    const text = await cluster.manager.get<string>(
      `${C}/servers/${encodeURIComponent(nameOf(old))}/service-orchestrator`,
    )
    await cluster.begin('actions/rolling')
    await eventually(async () => Object.values(await states()).includes('acting'), 'a server has its turn')
    process.kill(Number(/running as process (\d+)/.exec(text)?.[1]), 'SIGKILL')
    const ended = await cluster.ends('stopped')
    const why = JSON.stringify(await cluster.manager.get(`${C}/failover/explain`))
    expect(ended.message, `${why}\n${cluster.log()}`).to.equal('a failover took precedence')
    await eventually(
      async () => (await cluster.primaryPort().catch(() => old)) !== old,
      () => `another server is the primary\n${cluster.log()}`,
    )
    const back = await cluster.client.run('start', nameOf(old))
    expect(back.status, back.stderr).to.equal(0)
    await cluster.isWhole()
  })

  it('rebuilds the tables of the replicas, one after the other', async () => {
    const { status, stdout, stderr } = await cluster.client.run('rolling', 'optimize')
    expect(status, `${stderr}\n${cluster.log()}`).to.equal(0)
    expect(stdout).to.match(/^rolling optimize succeeded; 2 of 2 done/)
    const jobs = (await cluster.client.run('jobs')).stdout
    const [, number = ''] = /(\d+) +optimize/.exec(jobs) ?? []
    expect((await cluster.client.run('jobs', number)).stdout).to.contain('story.written rebuilt in')
    await cluster.isWhole()
  })

  it('is refused where the manager does not run the servers', async () => {
    await cluster.set('prov-orchestrator', 'kube')
    const refused = await cluster.manager.post(`${C}/actions/rolling`)
    expect(refused.status).to.equal(501)
    expect(refused.body).to.contain('prov-orchestrator = kube')
    await cluster.set('prov-orchestrator', 'local')
  })
})
