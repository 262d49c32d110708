// Tasks of the job script on two real hosts over SSH: a physical copy is streamed, and replaces the data of another server.
import { execFileSync } from 'node:child_process'
import { createCipheriv, createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, mkdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import tls from 'node:tls'
import { expect } from 'chai'
import { type HostListener, makeTransferCertificate, runHostTask } from '../../lib/backup/hosts/index.js'
import type { HostReach, HostTaskRequest } from '../../lib/backup/hosts/request.js'
import { sharePath } from '../../lib/base/package-root.js'
import { ok, unwrap } from '../../lib/base/result.js'
import { KnownHosts } from '../../lib/connect/ssh/known-hosts.js'
import { openSsh } from '../../lib/connect/ssh/session.js'
import { createSshPool } from '../../lib/connect/ssh/ssh.js'
import type { Orchestrator } from '../../lib/orchestrator/index.js'
import { createOnPremiseOrchestrator } from '../../lib/orchestrator/onpremise/index.js'
import { whyNoHosts } from '../support/hosts/host-root.js'
import { SshPair } from '../support/hosts/ssh-pair.js'
import type { SshRoot } from '../support/hosts/ssh-root.js'
import { newDirectory } from '../support/machine/directories.js'
import { freePorts } from '../support/machine/ports.js'
import { eventually, next } from '../support/wait.js'

const addresses = ['127.0.3.31', '127.0.3.32']
const password = "it's a $ecret"
const secret = 'b7d1f6a05c0e4f3a9d2c'
const sha256 = (text: string) => createHash('sha256').update(text).digest()
const md5 = (text: string) => createHash('md5').update(text).digest()

describe('tasks on the hosts of databases', function () {
  this.timeout(240_000)
  const directory = newDirectory('host-tasks')
  const file = path.join(directory, 'copy.mbstream')
  let pair: SshPair
  let orchestrator: Orchestrator
  let lines: string[] = []
  const receivers: tls.Server[] = []

  const reach = ({ address }: SshRoot): HostReach => {
    const place = { host: address, port: pair.portOf(address) }
    return {
      service: {
        kind: 'database',
        id: address as HostReach['service']['id'],
        name: `${address}:${place.port}`,
        ...place,
      },
      orchestrator,
      target: { ...place, user: 'monitor', password, connectTimeoutMs: 5_000 },
      ...{ session: true, ownScript: '', schema: 'manager_schema', batch: 5 },
    }
  }
  const hostOf = (address: string): SshRoot => {
    const host = pair.roots.hosts.find((each) => each.address === address)
    if (!host) throw new Error(`no host ${address}`)
    return host
  }
  const task = (host: SshRoot, request: Omit<HostTaskRequest, 'deadlineMs'>, more = {}) =>
    runHostTask(
      reach(host),
      { deadlineMs: 60_000, ...request },
      { signal: new AbortController().signal, log: (line) => void lines.push(line), ...more },
    )
  const row = (host: SshRoot, name: string) =>
    pair.ask(host.address, `SELECT state, done, result, payload FROM manager_schema.jobs WHERE task = '${name}'`)

  /** What a script of a host connects to: the first line must be the secret, the rest goes into the file. */
  const receive = async () => {
    const { cert, key } = await makeTransferCertificate(Date.now())
    let bytes = 0
    const server = tls.createServer({ cert, key, minVersion: 'TLSv1.2' })
    receivers.push(server)
    server.listen(0, '127.0.0.1')
    await next(server, 'listening', 'the server listens')
    const done = once(server, 'secureConnection').then(async ([socket]: readonly tls.TLSSocket[]) => {
      if (!socket) throw new Error('no connection')
      const sink = createWriteStream(file)
      let head: Buffer | undefined = Buffer.alloc(0)
      for await (const chunk of socket as AsyncIterable<Buffer>) {
        const rest: Buffer = head ? Buffer.concat([head, chunk]) : chunk
        const end = head ? rest.indexOf(10) : -1
        if (head && end === -1) head = rest
        else {
          if (head) expect(rest.subarray(0, end).toString()).to.equal(secret)
          const body = head ? rest.subarray(end + 1) : rest
          head = undefined
          bytes += body.length
          sink.write(body)
        }
      }
      sink.end()
      await next(sink, 'close', 'the end of it')
      server.close()
      return bytes
    })
    const { port } = server.address() as { port: number }
    return { stream: { host: 'localhost', port, secret, certificate: cert }, done }
  }

  before(async function () {
    const reason = await whyNoHosts()
    if (reason !== undefined) {
      process.stderr.write(`      skipped: ${reason}\n`)
      return this.skip()
    }
    const settings = { 'prov-db-tags': 'semisync,row,innodb,noquerycache,readonly,gtidstrict,linux' }
    pair = await SshPair.start({ addresses, settings })
    await pair.form()
    await pair.ask(
      await pair.primary(),
      'CREATE DATABASE story; CREATE TABLE story.kept (id INT PRIMARY KEY); INSERT INTO story.kept VALUES (1), (2); SELECT 1',
    )
    const ssh = {
      knownHosts: new KnownHosts(path.join(directory, 'known')),
      firstUse: 'accept',
      connectMs: 5_000,
    } as const
    orchestrator = createOnPremiseOrchestrator({
      ...{ cluster: 'story', sudo: false, login: { user: 'monitor', password } },
      pool: createSshPool({ ...ssh, maxHosts: 4, idleMs: 1_000 }),
      open: (target) => openSsh(target, ssh),
      account: async () =>
        ok({ user: 'root', port: pair.roots.port, privateKey: readFileSync(pair.roots.keyFile, 'utf8') }),
      environment: async () => ok({}),
      ...{ dataDir: () => '/var/lib/mysql', configDir: () => '/etc/mysql', baseDir: () => '' },
      tlsFiles: () => ({ ca: '', cert: '', key: '' }),
      builtIn: async () => ok(readFileSync(sharePath('scripts/onpremise/host.sh'), 'utf8')),
      ...{ startScript: '', stopScript: '', deadlineMs: 60_000, fillMs: 60_000 },
    })
  })
  beforeEach(() => {
    lines = []
  })
  after(async () => {
    for (const server of receivers) server.close()
    orchestrator?.close()
    await pair?.destroy()
  })

  it('streams a physical copy over TLS, with its position and as many bytes as the host counted', async () => {
    const primary = hostOf(await pair.primary())
    const { stream, done } = await receive()
    const end = unwrap(await task(primary, { task: 'mariabackup', stream }))
    expect(await done).to.equal(end.bytes)
    expect(statSync(file).size).to.equal(end.bytes).and.to.be.above(1_000_000)
    expect(end.position?.file).to.match(/^binlog\.\d+$/)
    expect(end.position?.gtid).to.match(/^0-\d+-\d+$/)
    expect(lines.join('\n')).to.contain('completed OK!').and.not.contain(secret).and.not.contain('ecret')
    expect(await row(primary, 'mariabackup')).to.include({ state: 4, done: 1, payload: null })
    const copy = path.join(directory, 'copy')
    mkdirSync(copy)
    execFileSync('mbstream', ['-x', '-C', copy], { input: readFileSync(file) })
    execFileSync('mariadb-backup', ['--prepare', `--target-dir=${copy}`], { stdio: 'ignore' })
    expect(statSync(path.join(copy, 'story/kept.ibd')).size).to.be.above(0)
  })

  it('reports a stream that nobody takes, and nothing of it is called done', async () => {
    const primary = hostOf(await pair.primary())
    const { cert } = await makeTransferCertificate(Date.now())
    const stream = { host: '127.0.0.1', port: 9, secret, certificate: cert }
    const failed = await task(primary, { task: 'mariabackup', stream })
    expect(failed.ok || failed.failure.code).to.equal('host-task-failed')
    expect(await row(primary, 'mariabackup')).to.include({ state: 5, done: 1 })
  })

  it('sends nothing to a manager with another certificate', async () => {
    const primary = hostOf(await pair.primary())
    const { stream, done } = await receive()
    const { cert } = await makeTransferCertificate(Date.now())
    void done.catch(() => undefined)
    const failed = await task(primary, { task: 'mariabackup', stream: { ...stream, certificate: cert } })
    expect(failed.ok || failed.failure.message).to.contain('the connection ended with status')
  })

  it('replaces the data of a server by a copy that it takes, and keeps the old ones', async () => {
    const replica = await pair.replica()
    await pair.ask(replica.address, 'STOP SLAVE; SET sql_log_bin = 0; CREATE DATABASE astray; SELECT 1')
    // The copy starts closed although the server is configured open.
    const open = '/etc/mysql/custom.d/open.cnf'
    replica.root.write(open, '[mysqld]\nread_only = OFF\n')
    const send = async ({ host, port, certificate }: HostListener) => {
      const connect = () => tls.connect({ host, port, ca: certificate, servername: 'manager-host' })
      const strange = connect()
      // Whether it is closed or reset depends on what the host has not read by then.
      strange.on('error', () => undefined)
      const dropped = new Promise((resolve) => strange.once('close', resolve))
      strange.end('something else\n')
      await dropped
      // The next one is heard as soon as that one is dropped.
      const socket = await eventually(async () => {
        const opened = connect()
        await next(opened, 'secureConnect', 'a connection')
        return opened
      }, 'the host takes a connection')
      socket.write(`${secret}\n`)
      return pipeline(Readable.from([readFileSync(file)]), socket)
    }
    let sent: Promise<void> | undefined
    const ended = await task(
      replica,
      { task: 'reseedmariabackup', stream: { host: '', port: 4444, secret } },
      { waiting: (listener: HostListener) => (sent = send(listener)) },
    )
    expect(ended.ok, ended.ok ? '' : `${ended.failure.message}\n${lines.join('\n')}`).to.equal(true)
    await sent
    expect(unwrap(ended).bytes).to.equal(statSync(file).size)
    expect(lines.join('\n')).to.contain('a connection without the secret of the job was dropped')
    const found = await pair.ask(
      replica.address,
      "SELECT (SELECT COUNT(*) FROM story.kept) AS n, (SELECT COUNT(*) FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = 'astray') AS astray, @@read_only AS closed",
    )
    expect(found).to.deep.equal({ n: 2, astray: 0, closed: 1 })
    expect(await replica.root.outputOf('ls /etc/mysql/custom.d')).to.not.contain('filled')
    await replica.root.outputOf(`rm ${open}`)
    expect(await pair.asides(replica)).to.match(/^\/var\/lib\/mysql\.reseeded-\S+$/)
  })

  it('keeps the data of a server to which no whole copy comes', async () => {
    const replica = await pair.replica()
    const send = ({ host, port, certificate }: HostListener) => {
      const socket = tls.connect({ host, port, ca: certificate, servername: 'manager-host' })
      // The host may give up before it has read all.
      socket.on('error', () => undefined)
      socket.end(Buffer.concat([Buffer.from(`${secret}\n`), readFileSync(file).subarray(0, 500_000)]))
    }
    const ended = await task(
      replica,
      { task: 'reseedmariabackup', stream: { host: '', port: 4444, secret } },
      { waiting: send },
    )
    expect(ended.ok || ended.failure.code).to.equal('host-task-failed')
    expect(await pair.ask(replica.address, 'SELECT COUNT(*) AS n FROM story.kept')).to.deep.equal({ n: 2 })
  })

  describe('by the manager', () => {
    const C = '/api/clusters/story'
    const serverOf = ({ address }: SshRoot) =>
      `${C}/servers/${encodeURIComponent(`${address}:${pair.portOf(address)}`)}`
    const post = async (path: string, body?: unknown) => {
      const reply = await pair.manager.post(path, body)
      expect(reply.status, `${reply.body}\n${pair.log()}`).to.equal(200)
    }
    const jobs = async (task: string) => {
      const list = await pair.manager.get<{
        servers: Record<string, { tasks: { task: string; state: number; id: number }[] }>
      }>(`${C}/jobs`)
      return Object.values(list.servers).flatMap(({ tasks }) => tasks.filter((each) => each.task === task))
    }
    const errorLog = (host: SshRoot) => pair.manager.get<{ buffer: { text: string }[] }>(`${serverOf(host)}/errorlog`)

    it('copies a server on its host, and puts that copy in the place of the data of another one', async () => {
      const [sender, one, two] = await freePorts(3)
      for (const [name, value] of [
        ['scheduler-jobs-ssh', true],
        ['scheduler-db-servers-sender-ports', sender],
        ['scheduler-db-servers-receiver-ports', `${one},${two}`],
        ['sst-send-buffer', 5_000],
      ])
        await post(`${C}/settings/actions/set/${name}/${value}`)
      const primary = hostOf(await pair.primary())
      await post(`${serverOf(primary)}/actions/backup-physical?wait=true`)
      const replica = await pair.replica()
      await post(`${serverOf(replica)}/actions/reseed/physicalbackup?wait=true`)
      await pair.isWhole()
      expect(pair.manager.log()).to.match(
        new RegExp(`its host listens on port (${one}|${two}): the copy is sent, 5000 bytes at a time`),
      )
      expect(await pair.ask(replica.address, 'SELECT COUNT(*) AS n FROM story.kept')).to.deep.equal({ n: 2 })
      await post(`${C}/settings/actions/clear/scheduler-db-servers-sender-ports`)
    })

    it('runs the job script for rows that others put into the table', async () => {
      await post(`${C}/settings/actions/set/scheduler-jobs-ssh/true`)
      const primary = hostOf(await pair.primary())
      await pair.ask(
        primary.address,
        "SET sql_log_bin = 0; DELETE FROM manager_schema.jobs; INSERT INTO manager_schema.jobs (task) VALUES ('jobs-check'), ('print-defaults'); SELECT 1",
      )
      await post(`${serverOf(primary)}/actions/run-jobs`)
      expect(await row(primary, 'jobs-check')).to.include({ state: 3, done: 1 })
      expect((await row(primary, 'print-defaults')).result).to.contain('--datadir=/var/lib/mysql')
    })

    it('fetches the logs, which go on empty, and shows them still', async () => {
      const primary = hostOf(await pair.primary())
      const before = (await errorLog(primary)).buffer.length
      expect(before).to.be.above(3)
      await post(`${serverOf(primary)}/actions/fetch-logs`)
      const file = '/var/lib/mysql/.system/logs/error.log'
      expect(primary.root.read(file)).to.not.contain('ready for connections')
      expect((await errorLog(primary)).buffer.length).to.be.at.least(before)
      expect(await primary.root.outputOf(`ls ${file}-2*`)).to.match(/error\.log-\d{8}$/)
      expect((await jobs('logs')).map(({ state }) => state)).to.deep.equal([4])
    })

    it('takes statistics and sets log tables aside, neither of which is replicated', async () => {
      const primary = hostOf(await pair.primary())
      const gtid = () => pair.ask(primary.address, 'SELECT @@gtid_binlog_pos AS at')
      const from = await gtid()
      await post(`${serverOf(primary)}/actions/analyze-tables`)
      await pair.ask(primary.address, "SET GLOBAL log_output = 'TABLE', GLOBAL general_log = ON; SELECT 1")
      await post(`${C}/settings/actions/set/scheduler-db-servers-logs-table-keep/1`)
      // The names of those that are set aside have a second.
      for (const seconds of [0, 1.1]) {
        await pair.ask(primary.address, `SELECT SLEEP(${seconds})`)
        await post(`${serverOf(primary)}/actions/rotate-log-tables`)
      }
      await pair.ask(primary.address, 'SET GLOBAL general_log = OFF; SELECT 1')
      const aside = await pair.ask(
        primary.address,
        "SELECT COUNT(*) AS n FROM information_schema.TABLES WHERE TABLE_NAME LIKE 'general_log_2%'",
      )
      expect(aside).to.deep.equal({ n: 1 })
      expect(await gtid()).to.deep.equal(from)
    })

    /** As a timer of the host would, until `ended`. */
    const runOnHost = async ({ root }: SshRoot, ended: () => boolean | Promise<boolean>, more = {}): Promise<void> => {
      const env = { MYSQL_ROOT_USER: 'monitor', MYSQL_ROOT_PASSWORD: password, ...more }
      let failed: string | undefined
      await eventually(
        async () => {
          if (await ended()) return true
          const { code, output } = await root.run('', { env, shell: ['/var/lib/mysql/init/init/dbjobs_new'] })
          if (code !== 0) failed = `its script ended with ${code}: ${output}`
          return false
        },
        'the job of the host has ended',
        { over: () => failed },
      )
    }

    it('leaves a copy to the script that the host runs itself, by the job table', async () => {
      const primary = hostOf(await pair.primary())
      const { stream, done } = await receive()
      const request = { task: 'mariabackup', stream: { ...stream, host: '127.0.0.1' }, deadlineMs: 90_000 } as const
      const run = { signal: new AbortController().signal, log: (line: string) => void lines.push(line) }
      const task = runHostTask({ ...reach(primary), session: false }, request, run)
      let ended = false
      void task.finally(() => {
        ended = true
      })
      await runOnHost(primary, () => ended)
      const end = unwrap(await task)
      expect(await done).to.equal(end.bytes)
      expect(end.position?.gtid).to.match(/^0-\d+-\d+$/)
      expect(await row(primary, 'mariabackup')).to.include({ state: 3, done: 1, payload: null })
    })

    it('takes logs of such a script over TLS, by the token of their order', async () => {
      await post(`${C}/settings/actions/set/scheduler-jobs-ssh/false`)
      const primary = hostOf(await pair.primary())
      await pair
        .ask(primary.address, "SET GLOBAL log_warnings = 4; SIGNAL SQLSTATE '01000'; SELECT 1")
        .catch(() => undefined)
      await post(`${serverOf(primary)}/actions/fetch-logs?wait=false`)
      await runOnHost(primary, async () => (await jobs('logs')).every(({ state }) => state > 1))
      expect((await jobs('logs')).map(({ state }) => state)).to.deep.equal([4, 4])
      expect(
        readFileSync(
          path.join(
            pair.manager.dataDirectory,
            'story',
            `${primary.address}_${pair.portOf(primary.address)}`,
            'logs/errorlog.log',
          ),
          'utf8',
        ),
      ).to.contain('mariadbd: ready for connections')
    })

    it('gives tasks to a script that asks for them, with its lines and its end', async () => {
      await post(`${C}/settings/actions/set/scheduler-jobs-mode/api`)
      const primary = hostOf(await pair.primary())
      await post(`${serverOf(primary)}/actions/fetch-logs?wait=false`)
      const env = {
        ...{ MANAGER_JOBS_MODE: 'api', MANAGER_URL: `http://127.0.0.1:${pair.manager.httpPort}` },
        ...{ MANAGER_CLUSTER_NAME: 'story', MANAGER_USER: 'admin', MANAGER_PASSWORD: 'spec-password' },
        ...{ MANAGER_HOST_NAME: primary.address, MANAGER_HOST_PORT: `${pair.portOf(primary.address)}` },
      }
      await runOnHost(primary, async () => (await jobs('logs')).every(({ state }) => state > 1), env)
      expect((await jobs('logs')).map(({ state }) => state)).to.deep.equal([4, 4, 4])
    })

    it('takes the lines of scripts by the cipher, and refuses all others as the contract says', async () => {
      const primary = hostOf(await pair.primary())
      const port = pair.portOf(primary.address)
      const sealed = (server: string) => {
        const cipher = createCipheriv('aes-256-cbc', sha256(password), md5(password))
        return Buffer.concat([cipher.update(JSON.stringify({ server, log: 'a line' })), cipher.final()]).toString(
          'base64',
        )
      }
      const send = async (task: string, body: unknown, address = primary.address) => {
        const url = `http://127.0.0.1:${pair.manager.httpPort}${C}/servers/${address}/${port}/write-log/${task}`
        const text = typeof body === 'string' ? body : JSON.stringify(body)
        const reply = await fetch(url, { method: 'POST', body: text, headers: { 'content-type': 'application/json' } })
        return [reply.status, (await reply.text()).trimEnd()]
      }
      const data = sealed(`${primary.address}:${port}`)
      expect(await send('mariabackup', { data })).to.deep.equal([200, 'Message logged'])
      expect(await send('error', { data })).to.deep.equal([200, 'Message logged'])
      expect(await send('nothing', { data })).to.deep.equal([400, 'Bad request: Task is not registered'])
      expect(await send('mariabackup', '{')).to.deep.equal([400, 'Decode reading body'])
      expect(await send('mariabackup', { data: '***' })).to.deep.equal([400, 'Decode body'])
      expect(await send('mariabackup', { data: 'QUJD' })).to.deep.equal([500, 'Error decrypting data'])
      expect(await send('mariabackup', { data: sealed('other:3306') })).to.deep.equal([500, 'Error decrypting data'])
      expect(await send('mariabackup', { data }, '127.0.0.99')).to.deep.equal([500, 'No server'])
      expect((await send('mariabackup', { server: `${primary.address}:${port}`, log: 'x' }))[0]).to.equal(401)
      expect((await errorLog(primary)).buffer.length).to.be.above(0)
    })

    it('shows the fetched error log of a server whose host is gone, with its age', async () => {
      const primary = hostOf(await pair.primary())
      await primary.close()
      await primary.root.outputOf('kill -KILL $(pidof mariadbd)')
      await pair.eventually(
        async () => (await errorLog(primary).catch(() => ({ buffer: [] }))).buffer.length > 3,
        'it is shown',
      )
    })
  })
})
