// What the pages for users say to write and to run, as it stands there: accounts, cluster files and options, on real servers.
import { execFileSync, spawnSync } from 'node:child_process'
import { createCipheriv, generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { readAgentOptions } from '../../bin/agent/options.js'
import { readArbitratorOptions } from '../../bin/arbitration/options.js'
import { runDoctor } from '../../bin/doctor/doctor.js'
import type { Verdict } from '../../bin/doctor/verdict.js'
import { packageRoot } from '../../lib/base/package-root.js'
import { loadConfiguration } from '../../lib/settings/index.js'
import { type Databases, type Node, startDatabases } from '../support/databases/database.js'
import { findVersion } from '../support/databases/versions.js'
import { newDirectory } from '../support/machine/directories.js'
import { absent } from '../support/run/absent.js'

/** The blocks of a page in one language, below a heading where one is named. */
function blocksOf(page: string, language: string, heading = ''): readonly string[] {
  const text = readFileSync(path.join(packageRoot, page), 'utf8')
  const from = heading === '' ? 0 : text.indexOf(`\n${heading}\n`)
  const part = from < 0 ? '' : text.slice(from)
  const blocks = [...part.matchAll(/^( *)```([\w-]*)\n([\s\S]*?)^ *```/gm)].filter(([, , word]) => word === language)
  return blocks.map(([, indent = '', , inner = '']) => inner.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
}

function firstOf(page: string, language: string, heading?: string): string {
  const [block] = blocksOf(page, language, heading)
  if (block === undefined) throw new Error(`${page} has no block ${language} below ${heading}`)
  return block
}

const statementsOf = (block: string): readonly string[] =>
  block
    .split(/;\s*\n/)
    .map((text) => text.trim())
    .filter((text) => text !== '')

async function run(node: Node, block: string): Promise<void> {
  for (const statement of statementsOf(block)) await node.sql(statement)
}

interface Login {
  readonly user: string
  readonly password: string
}

/** Accounts that a block of statements creates: the manager's, then that of replication. */
const loginsOf = (block: string): readonly Login[] =>
  [...block.matchAll(/CREATE USER (\w+)@\S+ IDENTIFIED BY '([^']+)'/g)].map(([, user = '', password = '']) => ({
    user,
    password,
  }))

const program = path.join(packageRoot, 'bin/manager')

/** A key file, and what is encrypted with it. */
interface Locks {
  make(file: string): void
  seal(file: string, password: string): string
}

const ownLocks: Locks = {
  make: (file) => execFileSync(program, ['keygen', file], { stdio: 'ignore' }),
  seal: (file, password) => execFileSync(program, ['encrypt', file], { input: password, encoding: 'utf8' }).trim(),
}

/** Those of the existing system: AES-128-CFB as hexadecimal digits; since some version with a prefix. */
const locksBefore = (prefix: string): Locks => ({
  make: (file) => writeFileSync(file, randomBytes(16), { mode: 0o600 }),
  seal: (file, password) => {
    const start = randomBytes(16)
    const cipher = createCipheriv('aes-128-cfb', readFileSync(file), start)
    return prefix + Buffer.concat([start, cipher.update(password, 'utf8'), cipher.final()]).toString('hex')
  },
})

/** The cluster file of the first hour for this server, its passwords encrypted by `manager encrypt`, read by the doctor. */
async function examine(
  { host, port }: Node,
  [own, replication]: readonly Login[],
  { more = '', locks = ownLocks }: { readonly more?: string; readonly locks?: Locks } = {},
): Promise<readonly Verdict[]> {
  const place = newDirectory('pages')
  const key = path.join(place, 'key')
  locks.make(key)
  const sealed = (login: Login | undefined) => locks.seal(key, login?.password ?? '')
  const [server, credential, second] = ['db-servers-hosts', 'db-servers-credential', 'replication-credential']
  const cluster = firstOf('share/doc/running/first-hour.md', '')
    .replace(new RegExp(`^${server} = .+$`, 'm'), `${server} = "${host}:${port}"`)
    .replace(/^(db-servers-credential = )"\w+:aes256gcm:…"$/m, `$1"${own?.user}:${sealed(own)}"`)
    .replace(/^(replication-credential = )"\w+:aes256gcm:…"$/m, `$1"${replication?.user}:${sealed(replication)}"`)
  expect(cluster).to.contain(credential).and.contain(second).and.not.contain('…')
  const head = `[Default]\nmonitoring-datadir = "${place}/data"\nmonitoring-key-path = "${key}"\napi-port = 0\nhttp-port = 0\n`
  const file = path.join(place, 'config.toml')
  writeFileSync(file, `${head}${cluster}${more}`, { mode: 0o600 })
  const { text } = await runDoctor({ file, flags: ['--output=json'] })
  return JSON.parse(text) as readonly Verdict[]
}

const statesOf = (verdicts: readonly Verdict[]) =>
  verdicts
    .filter(({ check }) => check === 'server' || check === 'accounts')
    .map(({ check, state, fact, remedy }) => (state === 'ok' ? `${check} ok` : `${check} ${state}: ${fact} ${remedy}`))

const sound = ['server ok', 'accounts ok']

describe('accounts of the pages on MariaDB', () => {
  let databases: Databases
  before(async () => {
    databases = await startDatabases({ count: 1 })
    // Those of the harness have the same names and would be taken first.
    await databases.node(0).sql("DROP USER monitor@'127.0.0.1', repl@'127.0.0.1'")
  })
  after(() => databases.teardown())

  for (const [page, heading] of [
    ['share/doc/accounts.md', '## MariaDB'],
    ['README.md', '## Your first cluster'],
  ] as const)
    it(`have every privilege with the statements of ${page}, their passwords encrypted in the cluster file`, async () => {
      const block = firstOf(page, 'sql', heading)
      await run(databases.node(0), block)
      expect(statesOf(await examine(databases.node(0), loginsOf(block)))).to.deep.equal(sound)
    })

  it('log in with what the existing system encrypted, as migration.md says: with its key file, and hash_ before digits alone', async () => {
    const [node, logins] = [databases.node(0), loginsOf(firstOf('README.md', 'sql', '## Your first cluster'))]
    expect(statesOf(await examine(node, logins, { locks: locksBefore('hash_') }))).to.deep.equal(sound)
    const bare = await examine(node, logins, { locks: locksBefore('') })
    expect(statesOf(bare).join()).to.contain('error 1045')
    expect(JSON.stringify(bare)).to.contain('write hash_ before it')
  })

  it('are created for the health agent by the statements of its page', async () => {
    await run(databases.node(0), firstOf('share/doc/own-proxies.md', 'sql'))
    const [login] = loginsOf(firstOf('share/doc/own-proxies.md', 'sql'))
    expect(login?.user).to.equal('agent')
  })
})

const mysql = await findVersion('mysql-9')
if (!mysql.available) absent('accounts of the pages on MySQL', mysql.reason)
else
  describe('accounts of the pages on MySQL', () => {
    let databases: Databases
    before(async () => {
      databases = await startDatabases({ count: 1, software: 'mysql-9' })
    })
    after(() => databases.teardown())

    it('have every privilege with the statements of share/doc/accounts.md', async () => {
      const block = firstOf('share/doc/accounts.md', 'sql', '## MySQL')
      const node = databases.node(0)
      await run(node, block)
      // As mysql.md says: before the manager has met the server, the doctor sends a password for a pinned key only.
      const keys = `db-servers-public-keys = "${path.join(node.dir, 'data/public_key.pem')}"\n`
      expect(statesOf(await examine(node, loginsOf(block), { more: keys }))).to.deep.equal(sound)
    })

    it('belong to a server with the options of share/doc/running/mysql.md', async () => {
      const options = [...firstOf('share/doc/running/mysql.md', 'ini').matchAll(/^(\w+) *= *(\S+)/gm)]
      expect(options).to.have.length.above(5)
      for (const [, name = '', value = ''] of options) {
        const [row] = await databases.node(0).sql(`SHOW GLOBAL VARIABLES LIKE '${name}'`)
        expect(row, name).to.have.property('Variable_name', name)
        if (name === 'gtid_mode' || name.startsWith('log_replica')) expect(row).to.have.property('Value', value)
      }
    })
  })

describe('configurations of the pages', () => {
  const first = firstOf('README.md', 'toml')
  const shop = first.slice(first.indexOf('[orders]'))
  const [store = '', arbitrator = '', arbitration = ''] = blocksOf('share/doc/running/several-managers.md', 'toml')
  for (const [title, text] of [
    ['README.md', first],
    ['several-managers.md, etcd', `[Default]\n${store}${shop}`],
    ['several-managers.md, an arbitrator', `[Default]\n${arbitration.replace('…', 'sixteen-characters')}${shop}`],
  ] as const)
    it(`${title} are valid, without a name that has no effect`, async () => {
      const file = path.join(newDirectory('pages'), 'config.toml')
      writeFileSync(file, text, { mode: 0o600 })
      const loaded = await loadConfiguration({ file })
      expect(loaded.ok ? [] : loaded.faults).to.deep.equal([])
      expect(loaded.warnings).to.deep.equal([])
      expect(loaded.recognised).to.deep.equal([])
    })

  it('are read by the arbitrator and by the health agent', async () => {
    const place = newDirectory('pages')
    const here = (text: string) => text.replaceAll(/\/etc\/manager|\/var\/lib\/manager-arbitrator/g, place)
    writeFileSync(path.join(place, 'arbitrator.secrets'), `${'0123456789abcdef'.repeat(4)}\n`, { mode: 0o600 })
    writeFileSync(path.join(place, 'arbitrator.toml'), here(arbitrator))
    expect(await readArbitratorOptions(path.join(place, 'arbitrator.toml'))).to.have.property('ok', true)
    const agent = here(firstOf('share/doc/own-proxies.md', 'toml'))
    writeFileSync(path.join(place, 'agent.toml'), agent)
    writeFileSync(path.join(place, 'agent.password'), 'choose-a-password\n')
    const { publicKey } = generateKeyPairSync('ed25519')
    writeFileSync(path.join(place, 'statement.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
    expect(await readAgentOptions(path.join(place, 'agent.toml'))).to.have.property('ok', true)
  })
})

/** The lines of a unit with this name, with the programs of this checkout in place of those of the package. */
const unitOf = (name: string): string =>
  readFileSync(path.join(packageRoot, 'share/package/systemd', name), 'utf8')
    .replaceAll(/\/usr\/bin\/(manager[\w-]*)/g, (_, called: string) =>
      path.join(packageRoot, 'bin', programs[called] ?? called),
    )
    .replace(/^Documentation=.*\n/m, '')

/** By the names that the package gives them. */
const programs: Readonly<Record<string, string>> = { 'manager-arbitrator': 'arbitrator' }

describe('units of the packages', () => {
  for (const name of ['manager.service', 'manager-agent.service', 'manager-arbitrator.service'])
    it(`${name} is valid, and its command ends with status 2 where its file is missing or damaged: no start after that`, () => {
      const place = newDirectory('unit')
      const unit = path.join(place, name)
      writeFileSync(unit, unitOf(name))
      execFileSync('systemd-analyze', ['verify', unit], { stdio: 'pipe' })
      const [, command = ''] = /^ExecStart=(.+)$/m.exec(unitOf(name)) ?? []
      const [called = '', ...words] = command.replace(/\/etc\/manager/, place).split(' ')
      // Whatever is read: nothing is written to the usual place.
      const env = { ...process.env, MANAGER_MONITORING_DATADIR: path.join(place, 'data') }
      const status = () => spawnSync(called, words, { timeout: 60_000, env }).status
      expect(unitOf(name)).to.include('RestartPreventExitStatus=2')
      expect(status(), 'missing').to.equal(2)
      writeFileSync(words.at(-1) ?? '', '[Default]\nnonsense = [\n\n', { mode: 0o600 })
      expect(status(), 'damaged').to.equal(2)
    })
})

describe('the container of the packages', () => {
  const read = (file: string) => readFileSync(path.join(packageRoot, 'share/package/container', file), 'utf8')

  it('gets a configuration that is valid with its environment, and is asked at the ports that are open', async () => {
    const compose = read('compose.yaml')
    const [, inner = ''] = /content: \|\n((?: {6}.*\n)+)/.exec(compose) ?? []
    const file = path.join(newDirectory('container'), 'config.toml')
    writeFileSync(file, inner.replaceAll(/^ {6}/gm, '').replaceAll(/\$\{DATABASE_PASSWORD\}/g, 'choose'), {
      mode: 0o600,
    })
    const environment = Object.fromEntries(
      [...compose.matchAll(/^ {6}(MANAGER_\w+): (.+)$/gm)].map(([, name = '', value = '']) => [
        name,
        value.replace(/\$\{\w+:\?[^}]*\}/, 'choose'),
      ]),
    )
    expect(Object.keys(environment)).to.have.length(2)
    const loaded = await loadConfiguration({ file, environment })
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults))
    expect(loaded.warnings).to.deep.equal([])
    const { settings } = loaded.configuration.server
    const ports = [...compose.matchAll(/127\.0\.0\.1:(\d+):(\d+)/g)].map(([, , inside]) => Number(inside))
    expect(ports).to.deep.equal([settings['api-port'], settings['http-port']])
    expect(settings['api-bind']).to.equal('0.0.0.0')
    expect(settings['http-bind-address']).to.equal('0.0.0.0')
    expect(read('Dockerfile')).to.include(`http://127.0.0.1:${settings['http-port']}/api/status`)
    expect(loaded.configuration.clusters.get('demo')?.settings['db-servers-hosts']).to.deep.equal(['db1', 'db2', 'db3'])
  })
})
