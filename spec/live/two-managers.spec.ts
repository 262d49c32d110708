// Stories of two managers on one cluster: one acts, the other one gives way and takes over when the first is gone.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { logsDirectory } from '../../lib/backup/binlog/term.js'
import { ownFindings } from '../../lib/model/findings.js'
import type { Node } from '../support/databases/database.js'
import { newDirectory } from '../support/machine/directories.js'
import type { ManagerProcess } from '../support/manager/manager-process.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { startSecondManager } from '../support/manager/second-manager.js'
import { allWriteTo, asReplica, end, expectWhole, load, lossless, progress } from '../support/stories/story.js'
import { SWITCHOVER } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

interface Alerts {
  readonly errors: readonly { readonly number: string; readonly desc: string }[]
  readonly warnings: readonly { readonly number: string; readonly desc: string }[]
}

describe('Two managers on one cluster', () => {
  let cluster: ProtectedCluster
  let second: ManagerProcess
  /** What scripts of the operator were called with, a line each: the process that called, and its arguments. */
  const calls = path.join(newDirectory('calls'), 'calls')
  const script = path.join(path.dirname(calls), 'script.sh')
  const calledBy = ({ pid }: ManagerProcess): readonly string[] => {
    const lines = existsSync(calls) ? readFileSync(calls, 'utf8').split('\n') : []
    return lines.filter((line) => line.startsWith(`${pid} `)).map((line) => line.slice(`${pid} `.length))
  }
  /** Primaries whose binary logs the manager stores, or stored. */
  const stored = ({ dataDirectory }: ManagerProcess): readonly string[] => {
    const directory = logsDirectory(dataDirectory, 'story')
    return existsSync(directory) ? readdirSync(directory) : []
  }
  before(async () => {
    writeFileSync(script, `#!/bin/sh\necho "$PPID $*" >> ${calls}\n`, { mode: 0o755 })
    cluster = await startProtectedCluster({
      semiSync: true,
      options: lossless,
      settings: {
        ...{ 'failover-limit': 0, 'backup-binlogs': true },
        ...{ 'alert-script': script, 'monitoring-open-state-script': script, 'db-servers-state-change-script': script },
      },
    })
    second = await startSecondManager(cluster.manager)
  })
  after(async () => {
    await second?.destroy()
    await end(cluster)
  })

  const findingOf = async (manager: ManagerProcess, code: string) => {
    const { errors, warnings } = await manager.get<Alerts>('/api/clusters/story/topology/alerts')
    return [...errors, ...warnings].find(({ number }) => number === code)?.desc
  }
  const masterOf = async (manager: ManagerProcess): Promise<string> => {
    const master = await manager.get<{ port: string } | null>('/api/clusters/story/topology/master')
    return master?.port ?? ''
  }
  const writing = () => load(cluster, { count: 4, pauseMs: 20 })
  /** The sessions that hold the locks of managers, by node. */
  const lockHolders = (nodes: readonly Node[]) =>
    Promise.all(nodes.map((node) => node.sql("SELECT IS_USED_LOCK('manager.acts') a, IS_USED_LOCK('manager.waits') w")))
  const operations = (manager: ManagerProcess) =>
    manager
      .log()
      .split('\n')
      .filter((line) => / begins[,:] |fence at once/.test(line))

  it('the second one gives way, and each names the other one', async () => {
    await eventually(async () => (await findingOf(second, 'ERR00022'))?.includes('127.0.0.1') ?? false, 'it gives way')
    await eventually(
      async () => (await findingOf(cluster.manager, 'WARN0340'))?.includes('127.0.0.1') ?? false,
      'the first one names the second one',
    )
    expect(await findingOf(cluster.manager, 'ERR00022')).to.equal(undefined)
    await eventually(() => calledBy(second).some((line) => line.includes('ERR00022')), 'it notifies of it')
    await eventually(() => stored(cluster.manager).length > 0, 'the first one stores the binary logs')
  })

  it('a switchover asked of the one that gives way is refused: 409 names the other one, and nothing is changed', async () => {
    const writers = writing()
    await progress(writers, 50)
    const old = await cluster.primary()
    const { status, body } = await second.post(SWITCHOVER)
    expect(status, body).to.equal(409)
    expect(body).to.include('127.0.0.1').and.to.include('other-manager')
    const plan = await second.post(`${SWITCHOVER}?plan=true`)
    expect(JSON.parse(plan.body)).to.include({ possible: false })
    expect(JSON.parse(plan.body).refusal).to.include('127.0.0.1')
    await allWriteTo(writers, old)
    await progress(writers, 200)
    await writers.stop()
    await expectWhole(cluster, old)
    expect(operations(second)).to.deep.equal([])
    expect(operations(cluster.manager)).to.deep.equal([])
  })

  it('a switchover on the one that acts is undone by nobody, and the other one keeps its sessions', async () => {
    const writers = writing()
    await progress(writers, 50)
    const old = await cluster.primary()
    const before = await lockHolders(cluster.nodes)
    const { status, body } = await cluster.manager.post(SWITCHOVER)
    expect(status, body).to.equal(200)
    const next = await cluster.movedFrom(old)
    await eventually(async () => (await masterOf(second)) === `${next.port}`, 'the second manager sees the new primary')
    await allWriteTo(writers, next)
    await progress(writers, 1_000)
    await writers.stop()
    expect(await cluster.primary()).to.equal(next)
    await expectWhole(cluster, next)
    expect(await lockHolders(cluster.nodes)).to.deep.equal(before)
    expect(operations(second)).to.deep.equal([])
    expect(operations(cluster.manager).filter((line) => !line.includes('Switchover begins'))).to.deep.equal([])
  })

  it('only the first one fails over when the primary dies, and the second one follows', async () => {
    const writers = writing()
    await progress(writers, 50)
    const old: Node = await cluster.primary()
    await old.kill()
    const next = await cluster.movedFrom(old)
    await eventually(async () => (await masterOf(second)) === `${next.port}`, 'the second manager sees the new primary')
    await allWriteTo(writers, next)
    old.start(...asReplica)
    await old.waitUp()
    await progress(writers, 50)
    await writers.stop()
    await expectWhole(cluster, next)
    expect(operations(second)).to.deep.equal([])
    await eventually(
      () =>
        calledBy(cluster.manager).some(
          (line) => line.includes('Failed') && line.includes(old.host) && line.includes(String(old.port)),
        ),
      () => `the first one notifies of the death\n${calledBy(cluster.manager).join('\n')}`,
    )
    const codes = calledBy(second).map((line) => line.split(' ').at(-1) ?? '')
    // On a machine so busy that the first one loses its locks the second one acts for a while, and notifies.
    const acting = codes.indexOf('WARN0340')
    expect(codes.slice(0, acting < 0 ? undefined : acting).filter((code) => !ownFindings.has(code))).to.deep.equal([])
    if (acting < 0) expect(stored(second)).to.deep.equal([])
  })

  it('the second one acts when the first one is gone', async () => {
    await cluster.ready()
    await cluster.manager.end('SIGKILL')
    await eventually(async () => (await findingOf(second, 'ERR00022')) === undefined, 'it is alone')
    const port = await masterOf(second)
    const primary = cluster.nodes.find((node) => `${node.port}` === port)
    expect(primary, `a node at port ${port}`).to.not.equal(undefined)
    await primary?.kill()
    await eventually(
      async () => ![port, ''].includes(await masterOf(second)),
      () => `it fails over\n${second.log().slice(-4_000)}`,
    )
    await eventually(() => calledBy(second).some((line) => line.includes('Failed')), 'it notifies of the death')
    await eventually(() => stored(second).length > 0, 'it stores the binary logs')
  })
})
