// The health agent beside a primary: what it answers, and that an isolated primary stops accepting writes when it is configured so.
import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../../lib/base/package-root.js'
import { type Node, replicate } from '../support/databases/database.js'
import { prepareWrites, type Writers } from '../support/databases/writers.js'
import { newDirectory } from '../support/machine/directories.js'
import { freePorts } from '../support/machine/ports.js'
import { TcpGate } from '../support/machine/tcp-gate.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end, load, progress } from '../support/stories/story.js'
import { switchable } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

describe('the health agent of a primary', () => {
  let cluster: ProtectedCluster
  let primary: Node
  /** Between the manager and the primary. */
  let toDatabase: TcpGate
  /** Between the agent and the manager. */
  let toManager: TcpGate
  let agent: ChildProcess | undefined
  let port = 0
  let writers: Writers
  const directory = newDirectory('agent')
  const output = path.join(directory, 'agent.log')

  before(async () => {
    toDatabase = await TcpGate.create()
    toManager = await TcpGate.create()
    cluster = await startProtectedCluster({
      arrange: async (nodes) => {
        const [first, ...replicas] = nodes
        if (!first) throw new Error('there are three nodes')
        await prepareWrites(first)
        await replicate(first, replicas)
      },
      addresses: ([first, ...others]) => {
        void toDatabase.lead(first?.port ?? 0)
        return [toDatabase.address, ...others.map(({ host, port: own }) => `${host}:${own}`)]
      },
      settings: { 'failover-limit': 0 },
    })
    await cluster.ready()
    primary = cluster.databases.node(0)
    await toManager.lead(cluster.manager.httpPort)
    ;[port = 0] = await freePorts(1)
    writeFileSync(path.join(directory, 'password'), `${primary.target('monitor', 1_000).password}\n`)
    writeFileSync(
      path.join(directory, 'agent.toml'),
      [
        ...['cluster = "story"', `server = "${toDatabase.address}"`, `managers = ["${toManager.address}"]`],
        `statement-key = "${path.join(cluster.manager.dataDirectory, 'statement.pub')}"`,
        ...[`listen = "127.0.0.1:${port}"`, `database = "127.0.0.1:${primary.port}"`],
        `database-user = "${primary.target('monitor', 1_000).user}"`,
        `database-password-file = "${path.join(directory, 'password')}"`,
        ...[
          'isolated = "close"',
          'validity = 3',
          'interval = 0.2',
          `state-file = "${path.join(directory, 'state.json')}"`,
        ],
      ].join('\n'),
    )
    start()
  })
  after(async () => {
    await end(cluster)
    await stop()
    await toDatabase?.close()
    await toManager?.close()
  })

  const start = () => {
    agent = spawn(path.join(packageRoot, 'bin/manager-agent'), [path.join(directory, 'agent.toml')])
    const log = createWriteStream(output, { flags: 'a' })
    agent.stdout?.pipe(log, { end: false })
    agent.stderr?.pipe(log, { end: false })
  }
  const stop = async () => {
    const ended = agent
    agent = undefined
    if (!ended || ended.exitCode !== null) return
    const gone = new Promise((resolve) => ended.once('exit', resolve))
    ended.kill('SIGKILL')
    await gone
  }
  const said = () => readFileSync(output, 'utf8')
  const status = (target: string): Promise<number> =>
    fetch(`http://127.0.0.1:${port}${target}`).then(
      (reply) => reply.status,
      () => 0,
    )
  const line = (text: string): Promise<string> =>
    new Promise((resolve) => {
      let answer = ''
      const socket = net.connect(port, '127.0.0.1', () => socket.write(`${text}\n`))
      socket.on('data', (bytes) => {
        answer += String(bytes)
      })
      socket.on('error', () => resolve('error'))
      socket.on('close', () => resolve(answer))
    })
  const isPrimary = (wanted: 200 | 503) =>
    eventually(
      async () => (await status('/primary')) === wanted,
      () => `/primary is ${wanted}: ${said()}`,
    )

  it('answers load balancers by a signed statement of the manager', async () => {
    await isPrimary(200)
    // While this machine is suspended a statement ends, and the next one comes a moment later.
    const says = (asked: string, wanted: string) =>
      eventually(
        async () => (await line(asked)) === wanted,
        () => `${asked}: ${wanted}${said()}`,
      )
    await says('primary', 'ready up\n')
    await says(`primary story ${toDatabase.address}`, 'ready up\n')
    expect(await line('primary story other:1')).to.equal('')
    await says('replica 5', 'down\n')
    expect([await status('/replica'), await status('/replica?lag=x')]).to.deep.equal([503, 400])
    await eventually(async () => (await status('/health')) === 200, 'it is well')
  })

  it('closes the primary when it is isolated with its clients, although it was killed meanwhile', async () => {
    writers = load(cluster, { count: 2, account: 'writer' })
    await progress(writers, 10)
    await Promise.all([toDatabase.set('hang'), toManager.set('hang')])
    await eventually(
      async () => (await primary.value('SELECT @@read_only')) === '1',
      () => `it is closed: ${said()}`,
    )
    await isPrimary(503)
    await eventually(() => /closed for writes \d+ ms after the last statement ended/.test(said()), said)
    await stop()
    start()
    await eventually(async () => (await status('/health')) === 200, 'it is back')
    expect(await status('/primary')).to.equal(503)
    expect(await primary.value('SELECT @@read_only')).to.equal('1')
  })

  it('opens it again when it can be confirmed', async () => {
    await Promise.all([toDatabase.set('open'), toManager.set('open')])
    await isPrimary(200)
    await progress(writers, 10)
    await writers.stop()
    const check = `http://127.0.0.1:${cluster.manager.httpPort}/api/clusters/story/servers/${toDatabase.address}/is-master`
    await eventually(async () => (await fetch(check)).status === 200, 'the manager sees it, too')
  })

  it('refuses to call it primary when a later statement names another', async () => {
    await cluster.ready()
    await switchable(cluster)
    const { status: answered, body } = await cluster.manager.post('/api/clusters/story/actions/switchover')
    expect(answered, body).to.equal(200)
    await isPrimary(503)
    await eventually(async () => (await line('replica 60')) === 'ready up\n', 'it may be read from')
    await eventually(() => said().includes('is the primary'), said)
    await stop()
    await toManager.set('refuse')
    start()
    await eventually(async () => (await status('/health')) === 200, 'it is back')
    expect(await status('/primary'), 'it remembers over a restart').to.equal(503)
  })
})
