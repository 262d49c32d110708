// The daemon as a process: what it says about its configuration, its ports and its files, where it prints, how it ends.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { versionText } from '../../lib/base/package-root.js'
import { newDirectory } from '../support/machine/directories.js'
import { freePorts } from '../support/machine/ports.js'
import { runDaemon } from '../support/manager/daemon-run.js'
import { ManagerProcess } from '../support/manager/manager-process.js'

const directory = newDirectory('daemon')
const [api = 0, http = 0] = await freePorts(2)
const ports = { api, http }

/** Writes a file of the spec's directory; answers its path. */
function write(name: string, lines: readonly string[]): string {
  const file = path.join(directory, name)
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  return file
}

/** A sound configuration of a cluster whose servers do not exist. */
const sound = (...lines: readonly string[]): string =>
  write('sound.toml', [
    '[Default]',
    `monitoring-datadir = "${directory}/data"`,
    'api-bind = "127.0.0.1"',
    `api-port = ${ports.api}`,
    `http-port = ${ports.http}`,
    ...lines,
    '[shop]',
    'db-servers-hosts = "127.0.0.1:1,127.0.0.1:2"',
  ])

describe('bin/manager', () => {
  it('names every fault of a configuration with file, line, what is allowed and the nearest name, and exits with 2', async () => {
    const included = path.join(directory, 'cluster.d')
    mkdirSync(included)
    writeFileSync(path.join(included, 'books.toml'), '[books]\ndb-servers-hosts = "db1:99999"\n')
    const file = write('broken.toml', [
      '[Default]',
      `include = "${included}"`,
      'api-port = 99999',
      'failover-mod = "automatic"',
      '[shop]',
      'failover-mode = "sometimes"',
      'autorejoin = "perhaps"',
      'db-servers-credential = "only-a-user',
    ])
    const { status, out, err } = await runDaemon(['--config', file, '--failover-limit=many'], {
      environment: { MANAGER_FAILOVER_TIME_LIMIT: 'soon' },
    })
    expect(status).to.equal(2)
    expect(out).to.equal('')
    const lines = err.trim().split('\n')
    for (const [start, end] of [
      [`${file}:3: [Default] api-port = 99999`, 'from 0 to 65535'],
      [`${file}:4: [Default] failover-mod = "automatic"`, 'did you mean failover-mode?'],
      [`${file}:6: [shop] failover-mode = "sometimes"`, 'allowed: manual, automatic'],
      [`${file}:7: [shop] autorejoin = "perhaps"`, 'allowed: true or false'],
      [`${file}:8: `, ''],
      [`${path.join(included, 'books.toml')}:2: [books] db-servers-hosts = "db1:99999"`, ''],
      ['MANAGER_FAILOVER_TIME_LIMIT', 'a whole number'],
      ['flag', 'a whole number'],
    ] as const)
      expect(
        lines.some((line) => line.includes(start) && line.includes(end)),
        `${start} … ${end} in\n${err}`,
      ).to.equal(true)
    expect(lines).to.have.lengthOf(8)
    expect(err).to.not.contain('only-a-user')
  })

  it('names a configuration file that is not there, and exits with 2', async () => {
    const file = path.join(directory, 'nowhere.toml')
    const { status, err } = await runDaemon(['--config', file])
    expect({ status, err }).to.deep.equal({ status: 2, err: `${file}: no such file or directory\n` })
  })

  for (const which of ['api', 'http'] as const)
    it(`names the ${which} port that another process has, and exits with 1`, async () => {
      const other = net.createServer()
      await new Promise((resolve) => other.listen(ports[which], '127.0.0.1', () => resolve(undefined)))
      const { status, out, err } = await runDaemon(['--config', sound('http-bind-address = "127.0.0.1"')])
      other.close()
      expect({ status, out }).to.deep.equal({ status: 1, out: '' })
      expect(err).to.contain(`${which}-port ${ports[which]} of 127.0.0.1: the port is in use`)
      expect(err.trim().split('\n')).to.have.lengthOf(1)
    })

  it('names a working directory that cannot be written, and exits with 1', async () => {
    const file = write('plain-file', [])
    for (const datadir of [path.join(file, 'data'), '/proc/manager', '/dev/null']) {
      const { status, out, err } = await runDaemon(['--config', sound(), `--monitoring-datadir=${datadir}`])
      expect({ status, out }, err).to.deep.equal({ status: 1, out: '' })
      expect(err).to.match(new RegExp(`^monitoring-datadir ${datadir}: `))
      expect(err.trim().split('\n'), err).to.have.lengthOf(1)
    }
  })

  it('prints one JSON object a line where the output is no terminal', async () => {
    const { status, out, err } = await runDaemon(['--config', sound()], { until: 'ERR00012' })
    expect({ status, err }).to.deep.equal({ status: 0, err: '' })
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    for (const line of lines) expect(line).to.include.keys('time', 'level', 'msg')
    expect(lines.map(({ msg }) => msg)).to.include.members(['manager-started', 'manager-stopping'])
    expect(lines.find(({ msg }) => String(msg).includes('ERR00012'))).to.include({ cluster: 'shop' })
  })

  it('prints lines for people on a terminal', async () => {
    const { out } = await runDaemon(['--config', sound()], {
      until: 'ERR00012',
      terminal: true,
      environment: { NO_COLOR: '1', TERM: 'xterm' },
    })
    const lines = out.trim().split(/\r?\n/)
    expect(lines[0]).to.match(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: manager-started clusters=\["shop"\]/)
    expect(lines.find((line) => line.includes('ERR00012'))).to.match(/^\[\d\d:\d\d:\d\d\.\d{3}\] ERROR: shop: OPENED/)
  })

  it('prints its version and its words', async () => {
    expect((await runDaemon(['version'])).out).to.equal(`${versionText()}\n`)
    const { status, out } = await runDaemon(['--help'])
    expect(status).to.equal(0)
    for (const word of ['--config', 'keygen', 'configurator check']) expect(out).to.contain(word)
  })
})

describe('bin/manager keygen and encrypt', () => {
  const key = () => path.join(directory, 'key')
  const sealed = async (text: string) => (await runDaemon(['encrypt', key()], { input: `${text}\n` })).out.trim()

  it('make a key that only its owner may read, and never replace one', async () => {
    expect((await runDaemon(['keygen', key()])).status).to.equal(0)
    expect(statSync(key()).mode & 0o777).to.equal(0o600)
    const before = readFileSync(key(), 'utf8')
    const again = await runDaemon(['keygen', key()])
    expect(again.status).to.equal(1)
    expect(again.err).to.contain(key()).and.contain('exists already')
    expect(readFileSync(key(), 'utf8')).to.equal(before)
  })

  it('make a secret that the daemon reads, and that it never prints', async () => {
    const manager = await ManagerProcess.create({
      settings: { 'monitoring-key-path': key(), 'api-credentials': await sealed('admin:spec-password') },
      clusters: {},
    })
    manager.start()
    try {
      await manager.alive()
      expect(await manager.get<readonly unknown[]>('/api/clusters')).to.deep.equal([])
      expect(manager.log()).to.not.contain('spec-password')
    } finally {
      await manager.destroy()
    }
  })

  it('make a secret that is a fault where its key is missing', async () => {
    const file = sound(
      `api-credentials = "${await sealed('admin:spec-password')}"`,
      `monitoring-key-path = "${directory}/other-key"`,
    )
    const { status, err } = await runDaemon(['--config', file])
    expect(status).to.equal(2)
    expect(err).to.contain('api-credentials').and.contain('monitoring-key-path')
  })
})

describe('bin/manager configurator check', () => {
  it('counts the rules that are shipped', async () => {
    const { status, out } = await runDaemon(['configurator', 'check'])
    expect(status).to.equal(0)
    const counts = [...out.matchAll(/^(\d+) rules in .* are sound$/gm)].map(([, count]) => Number(count))
    expect(counts).to.have.length(2)
    for (const count of counts) expect(count).to.be.greaterThan(10)
  })

  it('names the faults of a rule file by line, and exits with 1', async () => {
    const rules = path.join(directory, 'rules')
    mkdirSync(rules)
    writeFileSync(path.join(rules, 'wrong.yaml'), 'nothing: right\n')
    const { status, err } = await runDaemon(['configurator', 'check', rules])
    expect(status).to.equal(1)
    expect(err).to.contain('rules/wrong.yaml:1: ')
  })
})
