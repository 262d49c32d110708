// A server made anew on its host over SSH, each host with a root of its own: a page size that only a new data folder takes
// up, a filling that fails, one that is cancelled, and one whose manager is killed.
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { Row } from '../../lib/connect/sql/session.js'
import { eventually } from '../support/databases/database.js'
import { whyNoHosts } from '../support/hosts/host-root.js'
import { type SshRoot, type SshRoots, startSshRoots } from '../support/hosts/ssh-root.js'
import { freePorts } from '../support/machine/ports.js'
import { ManagerProcess } from '../support/manager/manager-process.js'

const C = '/api/clusters/story'
const addresses = ['127.0.3.4', '127.0.3.5']
const tags = ['semisync', 'row', 'innodb', 'noquerycache', 'readonly', 'gtidstrict', 'linux']
const password = "it's a $ecret"
/** A host that is away, and a database that is started, take their time on a busy machine. */
const PATIENCE_MS = 120_000
/** The first word of a copy; put in its place, a program that never ends plays a copy that takes long. */
const DUMP = '/usr/bin/mariadb-dump'
const DUMPING = '/run/dumping'

interface Run {
  readonly id: string
  readonly phase: string
  readonly message?: string
  readonly servers: readonly { readonly name: string; readonly state: string }[]
}

interface Member {
  readonly id: string
  readonly host: string
  readonly state: string
  readonly isMaintenance: boolean
}

describe('reprovision on hosts over SSH', function () {
  this.timeout(480_000)
  let roots: SshRoots
  let manager: ManagerProcess
  let ports: readonly number[]
  let begun = ''

  const log = () => manager.log().slice(-8_000)
  const members = () => manager.get<readonly Member[]>(`${C}/topology/servers`)
  const run = () => manager.get<Run>(`${C}/rolling`)
  const isWhole = () =>
    eventually(
      async () => {
        const all = await members()
        const states = all.map(({ state }) => state).toSorted()
        return states.join() === 'Master,Slave' && all.every(({ isMaintenance }) => !isMaintenance)
      },
      () => `one primary, one replica, none in maintenance\n${log()}`,
      PATIENCE_MS,
    )
  const portOf = (address: string) => ports[addresses.indexOf(address)] ?? 0
  const ask = async (address: string, sql: string): Promise<Row> => {
    const place = { host: address, port: portOf(address) }
    const session = unwrap(await openSession({ ...place, user: 'monitor', password, connectTimeoutMs: 5_000 }))
    // A commit waits ten seconds for its only replica when that is away.
    const answer = await session.run(sql, [], PATIENCE_MS)
    session.close()
    return unwrap(answer).at(-1)?.[0] ?? {}
  }
  const primary = async () => (await members()).find(({ state }) => state === 'Master')?.host ?? ''
  const replica = async (): Promise<SshRoot> => {
    const not = await primary()
    const found = roots.hosts.find(({ address }) => address !== not)
    if (!found) throw new Error('there is no replica')
    return found
  }
  const pageSize = async ({ address }: SshRoot) =>
    Number((await ask(address, 'SELECT @@innodb_page_size AS size')).size)
  /** What lies beside the data and the configuration. */
  const asides = ({ root }: SshRoot) =>
    root.tell('for each in /var/lib/mysql.* /etc/mysql.*; do if [ -e "$each" ]; then printf "%s " "$each"; fi; done')
  const isComplete = async ({ address }: SshRoot) =>
    expect(await ask(address, 'SELECT HEX(bytes) AS bytes, word FROM story.kept WHERE id = 1')).to.deep.equal({
      ...{ bytes: '00FF27225C', word: 'żółw 🐢' },
    })

  /** Of two servers one is emptied only by force. */
  const begin = async ({ address }: SshRoot): Promise<void> => {
    const server = encodeURIComponent(`${address}:${portOf(address)}`)
    let reply = { status: 0, body: '' }
    const begins = async () => {
      reply = await manager.post(`${C}/servers/${server}/actions/reprovision?force=true`)
      return reply.status === 200
    }
    await eventually(begins, () => `it begins: ${reply.body}`, PATIENCE_MS)
    begun = (JSON.parse(reply.body) as Run).id
  }
  const ends = async (phase: string): Promise<Run> => {
    let ended = await run()
    const hasEnded = async () => {
      ended = await run()
      return ended.id === begun && ended.phase !== 'running'
    }
    await eventually(hasEnded, () => `the run ends\n${log()}`, PATIENCE_MS)
    expect(ended.phase, `${ended.message}\n${log()}`).to.equal(phase)
    return ended
  }
  const cancel = async () => {
    const reply = await manager.post(`${C}/actions/cancel-rolling-reprov`)
    expect(reply.status, reply.body).to.equal(200)
  }

  /** Not by the file, whose word would hold again after a restart. */
  const setTags = async (words: readonly string[]) => {
    const reply = await manager.post(`${C}/settings/actions/set/prov-db-tags/${encodeURIComponent(words.join(','))}`)
    expect(reply.status, reply.body).to.equal(200)
  }

  /** From now on a copy onto this host does not end; `mend` makes the next one a real one. */
  const stall = async ({ root }: SshRoot): Promise<void> => {
    await root.tell(`mv ${DUMP} ${DUMP}.real`)
    root.write(DUMP, `#!/bin/sh\necho $$ >${DUMPING}\nexec sleep 3600\n`, 0o755)
  }
  const mend = async ({ root }: SshRoot): Promise<void> => void (await root.tell(`mv ${DUMP}.real ${DUMP}`))
  /** The process of the stalled copy, once it has begun. */
  const stalled = async ({ root }: SshRoot): Promise<number> => {
    const begun = () => root.exists(DUMPING) && root.read(DUMPING).endsWith('\n')
    await eventually(begun, () => `the copy begins\n${log()}`, PATIENCE_MS)
    const pid = Number(root.read(DUMPING))
    await root.tell(`rm ${DUMPING}`)
    return pid
  }
  /** A process that nobody asked after has an entry, but no command line. */
  const runs = async ({ root }: SshRoot, pid: number): Promise<boolean> =>
    (await root.tell(`tr '\\0' ' ' 2>/dev/null </proc/${pid}/cmdline || :`)).includes('sleep')

  before(async function () {
    const reason = await whyNoHosts()
    if (reason !== undefined) {
      process.stderr.write(`      skipped: ${reason}\n`)
      return this.skip()
    }
    ports = await freePorts(addresses.length)
    roots = await startSshRoots(addresses)
    manager = await ManagerProcess.create({
      clusters: {
        story: {
          'db-servers-hosts': addresses.map((address) => `${address}:${portOf(address)}`).join(','),
          'db-servers-credential': `monitor:${password}`,
          'replication-credential': 'repl:replicates',
          'prov-orchestrator': 'onpremise',
          'onpremise-ssh': true,
          'onpremise-ssh-port': roots.port,
          'onpremise-ssh-private-key': roots.keyFile,
          'api-credentials-secure-config': true,
          'prov-db-memory': 128,
          'force-slave-heartbeat-time': 1,
        },
      },
    })
    manager.start()
    await manager.alive()
    await setTags(tags)
    const made = await manager.post(`${C}/services/actions/provision`)
    expect(made.status, `${made.body}\n${log()}`).to.equal(200)
    const formed = await manager.post(`${C}/actions/replication/bootstrap/master-slave`)
    expect(formed.status, formed.body).to.equal(200)
    await isWhole()
    await ask(
      await primary(),
      `CREATE DATABASE story;
       CREATE TABLE story.kept (id INT PRIMARY KEY, bytes BLOB, word VARCHAR(20) CHARACTER SET utf8mb4);
       INSERT INTO story.kept VALUES (1, x'00FF27225C', 'żółw 🐢')`,
    )
    await setTags([...tags, 'innodbpage8k'])
  })
  after(async () => {
    await manager?.destroy()
    await roots?.end()
  })

  it('puts the old data and the configuration they ran on back when the copy breaks off', async () => {
    const victim = await replica()
    await ask(await primary(), 'CREATE TABLE story.loose (id INT) ENGINE = MyISAM')
    const arrived = async (address: string) =>
      Object.keys(await ask(address, "SHOW TABLES IN story LIKE 'loose'")).length > 0
    for (const address of addresses) await eventually(() => arrived(address), `the table is on ${address}`)
    await begin(victim)
    const { message } = await ends('stopped')
    expect(message, log()).to.match(/was not made anew: .*story\.loose \(MyISAM\).*it is on its old data$/)
    await isWhole()
    expect(await pageSize(victim)).to.equal(16_384)
    expect(await asides(victim)).to.equal('')
    await isComplete(victim)
    await ask(await primary(), 'DROP TABLE story.loose')
    for (const address of addresses)
      await eventually(async () => !(await arrived(address)), `the table is gone from ${address}`)
    await cancel()
  })

  it('ends the copy on its host when it is cancelled, and shows nobody the password', async () => {
    const victim = await replica()
    await stall(victim)
    await begin(victim)
    const pid = await stalled(victim)
    expect(await runs(victim, pid)).to.equal(true)
    expect(await asides(victim)).to.match(/^\/var\/lib\/mysql\.before-\S+ \/etc\/mysql\.before-\S+$/)
    const shown = await victim.root.tell("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '")
    expect(shown).to.contain('sleep 3600').and.to.not.contain('ecret')
    expect(await victim.root.tell('grep -rlsF ecret /tmp /run || :')).to.equal('')
    await cancel()
    await ends('cancelled')
    expect(await runs(victim, pid)).to.equal(false)
    await mend(victim)
    await isWhole()
    expect(await pageSize(victim)).to.equal(16_384)
    expect(await asides(victim)).to.equal('')
    await isComplete(victim)
    expect(manager.log()).to.not.contain('ecret')
  })

  it('takes up by force what a host that went away has kept, and puts its old data back first', async () => {
    const victim = await replica()
    await stall(victim)
    await begin(victim)
    const pid = await stalled(victim)
    await victim.close()
    const { message } = await ends('stopped')
    expect(message).to.match(/its old data, which are kept, could not be put back: .*force=true tries that again$/)
    await victim.open()
    expect(await asides(victim)).to.match(/^\/var\/lib\/mysql\.before-/)
    await ask(await primary(), 'CREATE TABLE story.loose (id INT) ENGINE = MyISAM')
    await cancel()
    await begin(victim)
    // What is refused comes after the old data are back: nothing was copied from the half-filled folder.
    const again = await ends('stopped')
    expect(again.message).to.match(/story\.loose \(MyISAM\).*it is on its old data$/)
    expect(await runs(victim, pid)).to.equal(false)
    await ask(await primary(), 'DROP TABLE story.loose')
    await mend(victim)
    await isWhole()
    expect(await pageSize(victim)).to.equal(16_384)
    expect(await asides(victim)).to.equal('')
    await cancel()
  })

  it('ends what a killed manager left on the host, and makes the server anew on its new page size', async () => {
    const victim = await replica()
    await stall(victim)
    await begin(victim)
    const pid = await stalled(victim)
    await manager.end('SIGKILL')
    await mend(victim)
    manager.start()
    await manager.alive()
    const ended = await ends('succeeded')
    expect(ended.servers.filter(({ state }) => state === 'done').map(({ name }) => name)).to.deep.equal([
      victim.address,
    ])
    expect(await runs(victim, pid)).to.equal(false)
    await isWhole()
    expect(await pageSize(victim)).to.equal(8_192)
    expect(await asides(victim)).to.equal('')
    expect(victim.root.exists('/var/lib/mysql/.filled-by-manager')).to.equal(false)
    expect(victim.root.exists('/var/lib/mysql/.made-by-manager')).to.equal(true)
    await isComplete(victim)
  })
})
