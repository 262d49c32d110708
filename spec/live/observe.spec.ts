// A cluster that is only observed: nothing on servers, hosts and in archives changes, also while its primary is dead; what would be done is shown.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { type Databases, replicate, startDatabases } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { prepareWrites } from '../support/databases/writers.js'
import { Client } from '../support/http/client.js'
import { newDirectory } from '../support/machine/directories.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { ProtectedCluster, sourceOf } from '../support/manager/protected-cluster.js'
import { end } from '../support/stories/story.js'
import { changes, type Portrait, portrait } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

/** What a session that only reads sends: its own session's variables besides. */
const reading = /^(SELECT|SHOW|SET SESSION|SET NAMES|EXPLAIN)\b/i

/**
 * Statements that the manager's account sent to a server since its log had this size. A server that starts again counts its
 * sessions from the beginning: a number is that of whom it connected last.
 */
function statementsOf(node: Node, from: number): readonly string[] {
  const text = readFileSync(path.join(node.dir, 'data', 'general.log'))
    .subarray(from)
    .toString()
  const own = new Set<string>()
  const entries = text.matchAll(/^(?:\d{6} [ \d:]+)?[ \t]+(\d+) (Connect|Query|Execute|Prepare)[ \t]+(.*)$/gm)
  return [...entries].flatMap(([, thread = '', command, rest = '']) => {
    if (command !== 'Connect') return own.has(thread) ? [rest.trim()] : []
    if (rest.startsWith('monitor@')) own.add(thread)
    else own.delete(thread)
    return []
  })
}

const filesOf = (node: Node): readonly string[] => readdirSync(path.join(node.dir, 'data')).sort()

describe('a cluster that is only observed', () => {
  let databases: Databases
  let cluster: ProtectedCluster
  let manager: ManagerProcess
  let first: Portrait
  let sizes: readonly number[]
  let marker = ''

  const nodes = () => databases.nodes
  const alerts = async (): Promise<Readonly<Record<string, string>>> => {
    type Alert = { readonly number: string; readonly desc: string }
    const { errors, warnings } = await manager.get<Record<'errors' | 'warnings', Alert[]>>(`${C}/topology/alerts`)
    return Object.fromEntries([...errors, ...warnings].map(({ number, desc }) => [number, desc]))
  }
  let shown: Readonly<Record<string, string>> = {}
  const opens = (code: string, pattern: RegExp) =>
    eventually(
      async () => {
        shown = await alerts()
        return pattern.test(shown[code] ?? '')
      },
      () => `${code} is open with ${pattern}: ${JSON.stringify(shown)}\n${manager.log().slice(-4_000)}`,
    )

  before(async () => {
    const log = ['--general-log=ON', '--general-log-file=general.log', '--log-output=FILE']
    databases = await startDatabases({ count: 3, options: [...log, '--sync-binlog=0'] })
    const [primary, ...replicas] = nodes() as readonly [Node, Node, Node]
    await prepareWrites(primary)
    await replicate(primary, replicas)
    // Two things that the manager would set right.
    await replicas[1]?.sql('SET GLOBAL read_only = OFF')
    marker = path.join(newDirectory('observe'), 'ran')
    const script = `${marker}.sh`
    await writeFile(script, `#!/bin/sh\necho "$@" >> ${marker}\n`)
    await chmod(script, 0o755)
    first = await portrait({ nodes: nodes() } as ProtectedCluster)
    sizes = nodes().map((node) => statSync(path.join(node.dir, 'data', 'general.log')).size)
    const addresses = nodes().map(({ host, port }) => `${host}:${port}`)
    manager = await ManagerProcess.create({
      clusters: {
        story: {
          'db-servers-hosts': addresses.join(','),
          'db-servers-credential': 'monitor:monitor',
          'replication-credential': 'repl:repl',
          'failover-mode': 'automatic',
          'monitoring-observe': true,
          'force-sync-binlog': true,
          'force-slave-readonly': true,
          'test-inject-traffic': true,
          'monitoring-open-state-script': script,
          'db-servers-state-change-script': script,
        },
      },
    })
    cluster = new ProtectedCluster({ databases, manager, addresses })
    manager.start()
    await manager.alive()
  })
  after(() => end(cluster))

  const untouched = async (): Promise<void> => {
    // The harness starts a server with a file of first statements once.
    const changed = changes(first, await portrait(cluster)).filter((line) => !/ init_file: /.test(line))
    expect(changed).to.deep.equal([])
    for (const [index, node] of nodes().entries())
      expect(
        statementsOf(node, sizes[index] ?? 0).filter((statement) => !reading.test(statement)),
        node.name,
      ).to.deep.equal([])
    expect(existsSync(marker), 'a script ran').to.equal(false)
  }

  it('shows that, and what the manager would do', async () => {
    await opens('WARN0350', /only observed/)
    await opens('WARN0353', new RegExp(`Steps: fence 127.0.0.1:${nodes()[2]?.port}`))
    await opens('WARN0353', /Steps: set-variables 127\.0\.0\.1:/)
    await opens('WARN0355', /Configuration archives/)
    const rows = (await cluster.explain()).rows.filter(({ rule }) => rule === 'monitoring-observe')
    expect(rows.map(({ state }) => state)).to.deep.equal(['closed'])
    const metrics = await manager.session.call('GET', '/api/prometheus')
    expect(metrics.ok && metrics.value.body).to.contain('manager_cluster_observed{cluster="story"} 1')
    const client = new Client({ port: manager.apiPort, user: 'admin', password: 'spec-password' })
    expect((await client.run('topology')).stdout).to.match(/failover automatic, only observed/)
    expect((await client.run('status', '--with-errors')).stdout).to.match(/WARN0353/)
    await untouched()
  })

  it('refuses every action that changes something, by name', async () => {
    const server = `${C}/servers/127.0.0.1:${nodes()[1]?.port}/actions`
    for (const target of [
      ...['switchover', 'failover', 'rolling', 'regenerate-configs', 'rotate-passwords'].map(
        (one) => `${C}/actions/${one}`,
      ),
      `${C}/settings/actions/apply-dynamic-config`,
      ...['stop-slave', 'start-slave', 'toggle-read-only', 'restart', 'optimize'].map((one) => `${server}/${one}`),
    ]) {
      const { status, body } = await manager.post(target)
      expect([target, status], body).to.deep.equal([target, 409])
      expect(JSON.parse(body).code, target).to.equal('observing')
    }
    await untouched()
  })

  it('stays untouched while its primary is dead, and shows the failover that would be done', async () => {
    const [primary, candidate, other] = nodes() as readonly [Node, Node, Node]
    const files = [candidate, other].map(filesOf)
    await primary.kill()
    await opens('WARN0351', /Steps: .*make-writable 127\.0\.0\.1:/)
    const closed = await Promise.all([candidate, other].map((node) => node.value('SELECT @@read_only')))
    expect(closed).to.deep.equal(['1', '0'])
    for (const node of [candidate, other]) expect(await sourceOf(node)).to.match(new RegExp(`^${primary.port} `))
    expect([candidate, other].map(filesOf)).to.deep.equal(files)
    primary.start()
    await primary.waitUp()
    await eventually(async () => (await alerts()).WARN0351 === undefined, 'the primary is back')
    for (const node of [candidate, other])
      await eventually(async () => (await sourceOf(node)) === `${primary.port} Yes Yes`, `${node.name} follows again`)
    await untouched()
  })

  it('has no authority, key, archive, flag or tag of it', async () => {
    const directory = path.join(manager.dataDirectory, 'story')
    const found = readdirSync(directory, { recursive: true }).map(String)
    expect(
      found.filter((file) => /tar\.gz|\.pem|\.key|\.crt|init|@cookie|cookie|software|\.cnf|ssl/.test(file)),
    ).to.deep.equal([])
    const { provDbTags } = await manager.get<Record<string, string>>(`${C}/settings`)
    expect(provDbTags).to.contain('semisync')
    expect(readFileSync(path.join(manager.dataDirectory, 'story', 'state.json'), 'utf8')).to.not.equal('')
  })

  it('is repaired as shown when it is observed no longer', async () => {
    const set = await manager.post(`${C}/settings/actions/set/monitoring-observe/false`)
    expect(set.status, set.body).to.equal(200)
    const third = nodes()[2] as Node
    await eventually(
      async () =>
        (await third.value('SELECT @@read_only')) === '1' && (await third.value('SELECT @@sync_binlog')) === '1',
      () => `${third.name} is closed\n${manager.log().slice(-4_000)}`,
    )
    await eventually(async () => !('WARN0350' in (await alerts())), 'the finding is closed')
  })
})
