// Stories of servers that come back: an old primary with or without transactions of its own, and a whole cluster.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { sharePath } from '../../lib/base/package-root.js'
import { caughtUp } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { executeAlone } from '../support/stories/divergence.js'
import { begunIn } from '../support/stories/intact.js'
import {
  allWriteTo,
  comesBack,
  durable,
  end,
  expectKeptOut,
  expectWhole,
  load,
  onlyOn,
  progress,
} from '../support/stories/story.js'
import { idOf } from '../support/stories/switching.js'
import { eventually, PATIENCE_MS } from '../support/wait.js'

/** Of share/doc/services.md. */
const SECTION = 'Filling a server manually'

/** What only it has: so many rows. */
const rows = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, row) => `INSERT INTO spec.acknowledged VALUES (1000, ${row})`)

describe('an old primary that comes back', () => {
  let cluster: ProtectedCluster
  let old: Node
  let next: Node
  before(async () => {
    cluster = await startProtectedCluster({ options: durable })
    const writers = load(cluster, { count: 4 })
    await progress(writers, 50)
    await writers.stop()
  })
  after(() => end(cluster))

  /** Nothing is under way when it dies, so whatever it has alone was written alone. */
  const die = async () => {
    old = await cluster.primary()
    for (const node of cluster.nodes) if (node !== old) await caughtUp(old, node)
    await old.kill()
    next = await cluster.movedFrom(old)
  }

  it('is a replica again automatically when the new one has all it wrote', async () => {
    await die()
    const writers = load(cluster, { count: 4, first: 4 })
    await progress(writers, 50)
    await allWriteTo(writers, next)
    expect((await comesBack(cluster, old)).Outcome).to.equal('rejoined')
    await progress(writers, 50)
    await writers.stop()
    await expectWhole(cluster, next)
  })

  it('stays out, closed, saved and named, when it wrote what no other server has', async () => {
    await die()
    await executeAlone(old, rows(7))
    const writers = load(cluster, { count: 4, first: 8 })
    await progress(writers, 50)
    await allWriteTo(writers, next)
    expect((await comesBack(cluster, old)).Outcome).to.equal('diverged')
    await expectKeptOut(cluster, old, next)
    expect(await onlyOn(old, next)).to.have.length(7)
    await writers.stop()
    await cluster.convergesOn(
      next,
      cluster.nodes.filter((node) => node !== old),
    )
  })

  it('is not merged later, when it and the manager were restarted', async () => {
    await cluster.manager.end('SIGTERM')
    await old.stop()
    cluster.manager.start()
    await cluster.manager.alive()
    old.start()
    await old.waitUp()
    await eventually(async () => (await old.value('SELECT @@read_only')) === '1', `${old.name} is closed again`)
    await expectKeptOut(cluster, old, next)
  })

  it('is a replica again by the way that the finding names: filled with a copy of the primary', async () => {
    const { warnings } = await cluster.manager.get<{ warnings: readonly Record<'number' | 'hint', string>[] }>(
      '/api/clusters/story/topology/alerts',
    )
    expect(warnings.find(({ number }) => number === 'WARN0186')?.hint).to.include(SECTION)
    const writers = load(cluster, { count: 4, first: 12 })
    await progress(writers, 50)
    const server = `/api/clusters/story/servers/${await idOf(cluster, old)}/actions`
    expect((await cluster.manager.post(`${server}/set-maintenance`)).status).to.equal(200)
    await fillManually(next, old)
    expect((await cluster.manager.post(`${server}/del-maintenance`)).status).to.equal(200)
    await progress(writers, 50)
    await writers.stop()
    await expectWhole(cluster, next)
    expect(await onlyOn(old, next)).to.deep.equal([])
    await cluster.closes('WARN0186')
    let errors: readonly string[] = []
    await eventually(
      async () => {
        errors = (await cluster.alerts()).filter((code) => /^ERR/.test(code))
        return errors.length === 0
      },
      () => `no error is left: ${errors}\n${cluster.manager.log().slice(-3_000)}`,
    )
  })

  /** The commands of share/doc/services.md as a person runs them. */
  const fillManually = async (from: Node, to: Node): Promise<void> => {
    const page = await readFile(sharePath('doc', 'services.md'), 'utf8')
    const [, commands = ''] = /```sh\n([\s\S]*?)```/.exec(page.slice(page.indexOf(`## ${SECTION}`))) ?? []
    expect(commands).to.include('RESET MASTER')
    const login = ({ host, port, user, password }: ReturnType<Node['target']>) =>
      `--no-defaults --host=${host} --port=${port} --user=${user} --password=${password} --skip-ssl`
    await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', commands], {
      timeout: PATIENCE_MS,
      env: { ...process.env, PRIMARY: login(from.target()), SERVER: login(to.target()) },
    })
  }
})

describe('a cluster that was down as a whole', () => {
  let cluster: ProtectedCluster
  after(() => end(cluster))

  it('waits for its primary when a replica returns first, and heals when the primary returns', async () => {
    cluster = await startProtectedCluster({ options: durable })
    const writers = load(cluster, { count: 4 })
    await progress(writers, 100)
    const primary = await cluster.primary()
    const replicas = cluster.nodes.filter((node) => node !== primary)
    await Promise.all(replicas.map((node) => node.kill()))
    await primary.kill()
    await writers.stop()
    await cluster.opens('ERR00021')
    for (const node of replicas) {
      node.start()
      await node.waitUp()
      await eventually(async () => (await node.value('SELECT @@read_only')) === '1', `${node.name} is closed`)
      await cluster.opens('ERR00026')
      expect((await cluster.explain()).wouldFailOver).to.equal(false)
    }
    primary.start()
    await primary.waitUp()
    await expectWhole(cluster, primary)
    expect(await writers.missingOn(primary)).to.deep.equal([])
    expect(await begunIn(cluster), cluster.manager.log()).to.not.include('failover')
    const later = load(cluster, { count: 4, first: 4 })
    await progress(later, 50)
    await later.stop()
    await cluster.closes('ERR00026')
  })
})
