// Stories of two managers that share a fleet by an etcd of three members over TLS: what a user, a host or an operator meets at one holds at the other.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { Browser } from '../support/http/browser.js'
import { type Answer, send } from '../support/http/test-gateway.js'
import { EtcdMembers } from '../support/machine/etcd-members.js'
import type { ManagerProcess } from '../support/manager/manager-process.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { startSecondManager } from '../support/manager/second-manager.js'
import { end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

interface Alerts {
  readonly errors: readonly { readonly number: string }[]
  readonly warnings: readonly { readonly number: string }[]
}

describe('Two managers that share a fleet by an etcd of three members', function () {
  this.timeout(600_000)
  let etcd: EtcdMembers
  let cluster: ProtectedCluster
  let second: ManagerProcess
  before(async () => {
    etcd = await EtcdMembers.create()
    cluster = await startProtectedCluster({ count: 2, defaults: etcd.settings })
    await owns(cluster.manager)
    second = await startSecondManager(cluster.manager)
    await standsBy(second)
  })
  after(async () => {
    await second?.destroy()
    await end(cluster)
    await etcd?.end()
  })

  const shows = async (manager: ManagerProcess, code: string) => {
    const { errors, warnings } = await manager.get<Alerts>('/api/clusters/story/topology/alerts')
    return [...errors, ...warnings].some(({ number }) => number === code)
  }
  const owns = (manager: ManagerProcess) =>
    eventually(
      async () =>
        manager.log().includes('cluster-owned') &&
        !(await shows(manager, 'WARN0362')) &&
        !(await shows(manager, 'ERR00181')),
      () => `it owns the cluster\n${manager.log().slice(-3_000)}`,
    )
  const standsBy = (manager: ManagerProcess) =>
    eventually(
      () => shows(manager, 'WARN0362'),
      () => `it stands by\n${manager.log().slice(-3_000)}`,
    )

  const at = (manager: ManagerProcess) => ({
    ask: (path: string, ask = {}) => send(path, { ...ask, port: manager.apiPort, tls: true }),
  })
  const logIn = async () => {
    const browser = new Browser(at(cluster.manager))
    const opened = await browser.login({ user: 'admin', password: 'spec-password' })
    expect(opened.status, opened.body).to.equal(200)
    return { browser, token: tokenOf(opened) }
  }
  const tokenOf = ({ body }: Answer): string => (JSON.parse(body) as { readonly token: string }).token
  const refreshes = async (browser: Browser, manager: ManagerProcess): Promise<string> => {
    browser.moveTo(at(manager))
    const answer = await browser.refresh()
    expect(answer.status, answer.body).to.equal(200)
    return tokenOf(answer)
  }
  const isRefused = (browser: Browser, manager: ManagerProcess, token: string) =>
    eventually(
      async () => {
        browser.moveTo(at(manager))
        return (await browser.reads(token)) === 401
      },
      () => `the token is refused\n${manager.log().slice(-2_000)}`,
    )

  it('a session of one is refreshed at the other, and a secret that was used twice ends it at both', async () => {
    const { browser, token } = await logIn()
    const stolen = browser.cookie
    const next = await refreshes(browser, second)
    expect(await browser.reads(next)).to.equal(200)
    expect(browser.cookie).to.not.equal(stolen)
    await refreshes(browser, cluster.manager)
    expect((await new Browser(at(second), stolen).refresh()).status, 'the stolen one').to.equal(401)
    expect((await browser.refresh()).status, 'the owner, too').to.equal(401)
    await isRefused(browser, cluster.manager, token)
    await isRefused(browser, second, next)
  })

  it('a logout at one ends a session of the other', async () => {
    const { browser, token } = await logIn()
    browser.moveTo(at(second))
    const kept = browser.cookie
    expect((await browser.logout()).status).to.equal(200)
    await isRefused(browser, cluster.manager, token)
    for (const manager of [cluster.manager, second])
      expect((await new Browser(at(manager), kept).refresh()).status).to.equal(401)
  })

  it('a member of etcd is killed: one owns the cluster, the primary stays, and both take changes', async () => {
    const { browser } = await logIn()
    const primary = await cluster.primary()
    await etcd.kill(0)
    for (const manager of [second, cluster.manager]) {
      // It may have been the leader: the others elect one.
      await eventually(
        async () => {
          const target = '/api/clusters/story/settings/actions/set/failover-limit'
          return (await manager.post(target, { value: '50' })).status === 200
        },
        () => `it takes a change\n${manager.log().slice(-2_000)}`,
      )
      await refreshes(browser, manager)
    }
    await eventually(async () => {
      const away = await Promise.all([cluster.manager, second].map((manager) => shows(manager, 'WARN0362')))
      return away.filter((isAway) => !isAway).length === 1
    }, 'one of them owns the cluster')
    expect(await cluster.primary()).to.equal(primary)
  })

  /** What the owner says of what a host asks, at whichever instance. */
  const needs = async (manager: ManagerProcess, word: string, port: number): Promise<number> => {
    const path = `/api/clusters/story/servers/127.0.0.1/${port}/${word}`
    return (await at(manager).ask(path)).status
  }
  const jobsAt = async (manager: ManagerProcess) => {
    const { servers } = await manager.get<{ servers: Record<string, { tasks: readonly { id: number }[] }> }>(
      '/api/clusters/story/jobs',
    )
    return Object.values(servers).flatMap(({ tasks }) => tasks)
  }

  it('each is restarted in turn: the other one takes the cluster over with flags and jobs, and nothing of the databases changes', async () => {
    const { browser } = await logIn()
    const primary = await cluster.primary()
    const [replica = primary] = cluster.nodes.filter((node) => node !== primary)
    // As a script sets it.
    const folder = path.join(cluster.manager.dataDirectory, `story/127.0.0.1_${replica.port}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, '@cookie_waitstop'), '')
    const backup = await cluster.manager.post('/api/clusters/story/actions/backup-logical?wait=true')
    expect(backup.status, backup.body).to.equal(200)
    const jobs = await jobsAt(cluster.manager)
    expect(jobs).to.have.length(1)
    const log = await cluster.manager.get(`/api/clusters/story/jobs/${jobs[0]?.id}`)
    const id = await primary.value('SELECT @@server_id')
    for (const [leaving, staying] of [
      [cluster.manager, second],
      [second, cluster.manager],
    ] as const) {
      expect(await leaving.end('SIGTERM')).to.equal(0)
      await owns(staying)
      await refreshes(browser, staying)
      expect(await jobsAt(staying)).to.deep.equal(jobs)
      expect(await staying.get(`/api/clusters/story/jobs/${jobs[0]?.id}`)).to.deep.equal(log)
      leaving.start()
      await leaving.alive()
      await standsBy(leaving)
      await refreshes(browser, leaving)
    }
    await eventually(async () => (await needs(second, 'need-stop', replica.port)) === 200, 'the owner has the flag')
    expect(await needs(second, 'need-stop', replica.port), 'a yes is given once').to.equal(500)
    expect(await needs(cluster.manager, 'need-stop', replica.port)).to.equal(500)
    expect(await (await cluster.primary()).value('SELECT @@server_id')).to.equal(id)
    await cluster.ready()
  })
})
