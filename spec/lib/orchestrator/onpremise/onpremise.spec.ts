// The on-premise orchestrator on real sshd hosts, each with a separate root: guards, scripts, failures by name.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { sharePath } from '../../../../lib/base/package-root.js'
import { fail, ok, type Result, unwrap } from '../../../../lib/base/result.js'
import { KnownHosts } from '../../../../lib/connect/ssh/known-hosts.js'
import { createSshPool, type SshPool } from '../../../../lib/connect/ssh/ssh.js'
import type { ServiceSpec } from '../../../../lib/model/operation/services.js'
import type { Orchestrator, Reprovision } from '../../../../lib/orchestrator/index.js'
import { createOnPremiseOrchestrator, type OnPremiseOptions } from '../../../../lib/orchestrator/onpremise/index.js'
import { type Databases, startDatabases } from '../../../support/databases/database.js'
import { accounts } from '../../../support/databases/node.js'
import { type SshHosts, startSshHosts } from '../../../support/hosts/sshd.js'
import { alarm } from '../../../support/machine/alarm.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { freePorts } from '../../../support/machine/ports.js'
import { eventually, next } from '../../../support/wait.js'

const codeOf = (result: Result<unknown>) => (result.ok ? 'ok' : result.failure.code)
const messageOf = (result: Result<unknown>) => (result.ok ? '' : result.failure.message)

const deadlineMs = 90_000

describe('createOnPremiseOrchestrator', () => {
  let sshd: SshHosts
  let databases: Databases
  let pool: SshPool
  let lines: string[] = []
  const directory = newDirectory('onpremise')
  const run = { signal: new AbortController().signal, log: (line: string) => void lines.push(line), force: false }
  const filling = { ...run, donor: { host: '127.0.0.1', port: 1, flavour: 'mariadb' as const } }
  /** A database that runs already, as the host's; its data folder is played by a folder of the spec. */
  const service = (port = databases.nodes[0]?.port ?? 0): ServiceSpec => ({
    ...{ kind: 'database', id: 'db1', name: `127.0.0.1:${port}`, host: '127.0.0.1', port },
  })
  const dataDir = (name: string) => path.join(directory, name)
  /** A script that records its environment. */
  const scripts: Record<string, string> = {
    'debian-bootstrap':
      'mkdir -p "$SPEC_DATA/mysql"; echo "made $MANAGER_HOST_NAME:$MANAGER_HOST_PORT at $MANAGER_URL"',
    'debian-start': 'echo "started by $MANAGER_CLUSTER_NAME"',
    'package-start': 'echo "fetch: $MANAGER_FETCH"',
  }

  const orchestrator = (name: string, more: Partial<OnPremiseOptions> = {}): Orchestrator =>
    createOnPremiseOrchestrator({
      ...{ cluster: 'demo', pool, sudo: false, login: accounts.monitor },
      account: async () => ok({ user: sshd.user, port: sshd.port, privateKey: sshd.key }),
      environment: async ({ host, port }, client) =>
        ok({
          ...{ MANAGER_URL: `https://${client}:10005`, MANAGER_CLUSTER_NAME: 'demo' },
          ...{ MANAGER_HOST_NAME: host, MANAGER_HOST_PORT: `${port}`, SPEC_DATA: dataDir(name) },
        }),
      dataDir: () => dataDir(name),
      configDir: () => `${dataDir(name)}/etc`,
      baseDir: () => '',
      tlsFiles: () => ({ ca: '', cert: '', key: '' }),
      builtIn: async (script) =>
        script === 'host'
          ? ok(await readFile(sharePath('scripts/onpremise/host.sh'), 'utf8'))
          : scripts[script] === undefined
            ? fail('file-unreadable', script)
            : ok(scripts[script]),
      ...{ startScript: '', stopScript: '', deadlineMs, fillMs: deadlineMs },
      ...more,
    })

  before(async () => {
    sshd = await startSshHosts({ addresses: ['127.0.0.1'] })
    databases = await startDatabases({ count: 1 })
    const knownHosts = new KnownHosts(path.join(directory, 'known_hosts'))
    pool = createSshPool({ knownHosts, firstUse: 'accept', connectMs: 30_000, maxHosts: 4, idleMs: 60_000 })
  })
  beforeEach(() => {
    lines = []
  })
  after(async () => {
    pool.close()
    await Promise.all([sshd.stop(), databases.teardown()])
  })

  it('makes a server on an empty host with the bootstrap script of its family and marks the data as its own', async () => {
    unwrap(await orchestrator('new').provision(service(), run))
    expect(lines).to.include(`made 127.0.0.1:${service().port} at https://127.0.0.1:10005`)
    expect(await readdir(dataDir('new'))).to.have.members(['mysql', '.made-by-manager'])
  })

  it('only starts what it made before: provisioning twice keeps the data', async () => {
    await writeFile(path.join(dataDir('new'), 'kept'), '')
    unwrap(await orchestrator('new').provision(service(), run))
    expect(lines.join('\n')).to.contain('is started as it is').and.to.contain('started by demo')
    expect(await readdir(dataDir('new'))).to.include('kept')
  })

  it('refuses to provision over or to remove data that it did not create', async () => {
    await mkdir(path.join(dataDir('old'), 'mysql'), { recursive: true })
    const one = orchestrator('old')
    for (const result of [await one.provision(service(), run), await one.unprovision(service(), run)]) {
      expect(codeOf(result)).to.equal('data-exists')
      expect(messageOf(result)).to.contain(`${dataDir('old')} on the host holds data that the manager did not create`)
    }
    expect(await readdir(dataDir('old'))).to.deep.equal(['mysql'])
  })

  it('keeps such data beside the new server when forced', async () => {
    const stopScript = path.join(directory, 'stop.sh')
    await writeFile(stopScript, 'echo stopped by hand\n')
    await writeFile(path.join(dataDir('old'), 'mysql/table'), '')
    unwrap(await orchestrator('old', { stopScript }).provision(service(), { ...run, force: true }))
    const kept = (await readdir(directory)).find((name) => name.startsWith('old.kept-')) ?? ''
    expect(await readdir(dataDir(`${kept}/mysql`))).to.deep.equal(['table'])
    expect(await readdir(dataDir('old'))).to.have.members(['mysql', '.made-by-manager'])
  })

  it('runs scripts of the operator in place of the built-in ones', async () => {
    const startScript = path.join(directory, 'start.sh')
    await writeFile(startScript, '#!/bin/sh\necho "own start of $MANAGER_HOST_PORT"\n')
    unwrap(await orchestrator('new', { startScript }).start(service(), run))
    expect(lines).to.include(`own start of ${service().port}`)
    const missing = await orchestrator('new', { startScript: '/no/such/script' }).start(service(), run)
    expect(messageOf(missing)).to.contain('/no/such/script: ENOENT')
  })

  it('delivers a configuration without waiting for the database', async () => {
    const [closed = 0] = await freePorts(1)
    unwrap(await orchestrator('new').apply(service(closed), run))
    expect(lines).to.include('started by demo')
  })

  it('says which script failed, how, and its last line', async () => {
    const startScript = path.join(directory, 'broken.sh')
    await writeFile(startScript, 'echo all is well\necho the disk is full >&2\nexit 3\n')
    const result = await orchestrator('new', { startScript }).start(service(), run)
    expect(codeOf(result)).to.equal('script-failed')
    expect(messageOf(result)).to.contain(`${startScript} ended with status 3: the disk is full`)
  })

  it('ends a script that takes too long, on the host too', async () => {
    const mark = `sleep 47.${process.pid}`
    const startScript = path.join(directory, 'slow.sh')
    await writeFile(startScript, `echo started\n${mark}\n`)
    const { timer, ring } = alarm()
    const log = (line: string) => line === 'started' && ring(deadlineMs)
    const result = await orchestrator('new', { startScript, timer }).start(service(), { ...run, log })
    expect(codeOf(result)).to.equal('deadline-passed')
    expect(messageOf(result)).to.match(/its last line: started/)
    const left = () => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).includes(mark)
    await eventually(() => !left(), 'nothing of it is left')
  })

  it('waits until the database answers, at most as long as the deadline says', async () => {
    const [closed = 0] = await freePorts(1)
    const { timer, ring } = alarm()
    const starting = orchestrator('new', { timer }).start(service(closed), run)
    await eventually(() => lines.includes('waiting until the database answers'), 'it waits')
    expect(ring(deadlineMs)).to.equal(true)
    const result = await starting
    expect(codeOf(result)).to.equal('deadline-passed')
    expect(messageOf(result)).to.contain('does not answer yet')
  })

  it('takes a port without a database for one that is stopped', async () => {
    const [closed = 0] = await freePorts(1)
    unwrap(await orchestrator('new').stop(service(closed), run))
    expect(lines).to.include('connection refused: it is already down')
  })

  it('needs scripts for proxies on hosts', async () => {
    const proxy: ServiceSpec = { kind: 'proxy', id: 'px1', name: 'lb1', host: '127.0.0.1', port: 1999 }
    expect(codeOf(await orchestrator('new').start(proxy, run))).to.equal('unsupported')
  })

  describe('renewal', () => {
    const place = async (file: string, text = ''): Promise<void> => {
      await mkdir(path.dirname(dataDir(file)), { recursive: true })
      await writeFile(dataDir(file), text)
    }
    /** Of servers with a separate folder: the units of this machine are not theirs. */
    const renewalOf = (name: string): Reprovision => {
      const { renewal } = orchestrator(name, {
        configDir: () => dataDir(`${name}-etc`),
        baseDir: () => dataDir('base'),
      })
      if (!renewal) throw new Error('it rebuilds nothing')
      return renewal
    }
    const named = async (name: string) => (await readdir(directory)).filter((each) => each.startsWith(name)).toSorted()

    it('is derived from the folders beside the data folder, which are removed at the end', async () => {
      const renewal = renewalOf('rebuilt')
      const probe = async () => unwrap(await renewal.probe(service(), run))
      await place('rebuilt/mysql/table')
      expect(await probe()).to.equal('none')
      await place('rebuilt.before-20260101T000000Z/mysql/table')
      await place('rebuilt-etc.before-20260101T000000Z/my.cnf')
      expect(await probe()).to.equal('started')
      await place('rebuilt/.filled-by-manager')
      expect(await probe()).to.equal('filled')
      unwrap(await renewal.finish(service(), run))
      expect(lines).to.include('the old data were removed')
      unwrap(await renewal.finish(service(), run))
      expect(await probe()).to.equal('none')
      expect(await named('rebuilt')).to.deep.equal(['rebuilt'])
      expect(await readdir(dataDir('rebuilt'))).to.deep.equal(['mysql'])
    })

    it('is undone whatever works on the new data: that is killed, and the old data run on their configuration', async () => {
      const renewal = renewalOf('back')
      await place('back/mysql/new')
      await place('back/.filled-by-manager')
      await place('back-etc/my.cnf', 'new')
      await place('back-etc/rc.d/new.cnf')
      await place('back.before-20260101T000000Z/mysql/old')
      await place('back-etc.before-20260101T000000Z/my.cnf', 'old')
      const stubborn = spawn('sh', ['-c', 'trap "" TERM; echo ready; while :; do sleep 1; done'], {
        cwd: dataDir('back'),
      })
      const ended = once(stubborn, 'exit')
      try {
        await next(stubborn.stdout, 'data', 'the first bytes')
        unwrap(await renewal.undo(service(), run))
        expect(await ended).to.deep.equal([null, 'SIGKILL'])
      } finally {
        stubborn.kill('SIGKILL')
      }
      expect(lines).to.include('the old data were restored').and.to.include('fetch: false')
      expect(await named('back')).to.deep.equal(['back', 'back-etc'])
      expect(await readdir(dataDir('back/mysql'))).to.deep.equal(['old'])
      expect(await readdir(dataDir('back-etc'))).to.deep.equal(['my.cnf'])
      expect(await readFile(dataDir('back-etc/my.cnf'), 'utf8')).to.equal('old')
      unwrap(await renewal.undo(service(), run))
      expect(await readdir(dataDir('back/mysql'))).to.deep.equal(['old'])
    })

    it('is not started where the old data could not be restored, while the database still runs', async () => {
      await place('stranger/mysql/table')
      expect(codeOf(await renewalOf('stranger').begin(service(), filling))).to.equal('data-exists')
      await place('real/mysql/table')
      await place('real/.made-by-manager')
      await symlink(dataDir('real'), dataDir('linked'))
      expect(messageOf(await renewalOf('linked').begin(service(), filling))).to.contain(
        'is a link and cannot be moved aside',
      )
      await place('half/mysql/table')
      await place('half.before-20260101T000000Z/mysql/table')
      expect(codeOf(await renewalOf('half').begin(service(), filling))).to.equal('wrong-state')
      expect(lines).to.not.include('SHUTDOWN')
    })

    it('ends when the server is provisioned manually: the old data are kept permanently', async () => {
      const one = orchestrator('hand', { configDir: () => dataDir('hand-etc') })
      await place('hand/mysql/half')
      await place('hand/.made-by-manager')
      await place('hand/.filled-by-manager')
      await place('hand.before-20260101T000000Z/mysql/old')
      await place('hand-etc.before-20260101T000000Z/my.cnf', 'old')
      unwrap(await one.provision(service(), run))
      expect(lines.join('\n')).to.match(/hand\.before-\S+, left by .* was renamed to \S+hand\.kept-20260101T000000Z:/)
      expect(await named('hand')).to.deep.equal([
        ...['hand', 'hand-etc.kept-20260101T000000Z', 'hand.kept-20260101T000000Z'],
      ])
      expect(await readdir(dataDir('hand.kept-20260101T000000Z/mysql'))).to.deep.equal(['old'])
      expect(unwrap((await one.renewal?.probe(service(), run)) ?? fail('internal', ''))).to.equal('none')
      unwrap((await one.renewal?.undo(service(), run)) ?? fail('internal', ''))
      expect(await readdir(dataDir('hand/mysql'))).to.deep.equal(['half'])
    })

    it('is not there where scripts of the operator start or stop servers', () => {
      expect(orchestrator('new', { startScript: '/own/start' }).renewal).to.equal(undefined)
      expect(orchestrator('new', { stopScript: '/own/stop' }).renewal).to.equal(undefined)
    })
  })

  describe('unprovision', () => {
    it('shuts a running database down over SQL and removes it with its data', async () => {
      const [node] = databases.nodes
      unwrap(await orchestrator('new').unprovision(service(), run))
      expect(lines).to.include('SHUTDOWN')
      await eventually(() => node?.pid === 0, 'its process has ended')
      expect(await readdir(dataDir('new'))).to.deep.equal([])
    })
  })
})
