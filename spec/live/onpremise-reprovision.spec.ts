// A server recreated on its host over SSH, each host with a root of its own: a page size that only a new data folder takes
// up, a filling that fails, one that is cancelled, and one whose manager is killed.
import { expect } from 'chai'
import { whyNoHosts } from '../support/hosts/host-root.js'
import { SshPair } from '../support/hosts/ssh-pair.js'
import type { SshRoot } from '../support/hosts/ssh-root.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'
const addresses = ['127.0.3.4', '127.0.3.5']
const tags = ['semisync', 'row', 'innodb', 'noquerycache', 'readonly', 'gtidstrict', 'linux']
/** A host that is away, and a database that is started, take their time on a busy machine. */
/** The first word of a copy; put in its place, a program that never ends plays a copy that takes long. */
const DUMP = '/usr/bin/mariadb-dump'
const DUMPING = '/run/dumping'

describe('reprovision on hosts over SSH', function () {
  this.timeout(900_000)
  let pair: SshPair

  const pageSize = async ({ address }: SshRoot) =>
    Number((await pair.ask(address, 'SELECT @@innodb_page_size AS size')).size)
  const isComplete = async ({ address }: SshRoot) =>
    expect(await pair.ask(address, 'SELECT HEX(bytes) AS bytes, word FROM story.kept WHERE id = 1')).to.deep.equal({
      ...{ bytes: '00FF27225C', word: 'żółw 🐢' },
    })

  /** Its drift as text, or why there is none. */
  const driftOf = ({ address }: SshRoot): Promise<string> =>
    pair.manager
      .get(`${C}/servers/${encodeURIComponent(`${address}:${pair.portOf(address)}`)}/variables-drift`)
      .then(JSON.stringify, String)

  const cancel = async () => {
    const reply = await pair.manager.post(`${C}/actions/cancel-rolling-reprov`)
    expect(reply.status, reply.body).to.equal(200)
  }

  /** Not by the file, whose word would hold again after a restart. */
  const setTags = async (words: readonly string[]) => {
    const reply = await pair.manager.post(
      `${C}/settings/actions/set/prov-db-tags/${encodeURIComponent(words.join(','))}`,
    )
    expect(reply.status, reply.body).to.equal(200)
  }

  /** From now on a copy onto this host does not end; `repair` makes the next one a real one. */
  const stall = async ({ root }: SshRoot): Promise<void> => {
    await root.outputOf(`mv ${DUMP} ${DUMP}.real`)
    root.write(DUMP, `#!/bin/sh\necho $$ >${DUMPING}\nexec sleep 3600\n`, 0o755)
  }
  const repair = async ({ root }: SshRoot): Promise<void> => void (await root.outputOf(`mv ${DUMP}.real ${DUMP}`))
  /** The process of the stalled copy, once it has begun. */
  const stalled = async ({ root }: SshRoot): Promise<number> => {
    const begun = () => root.exists(DUMPING) && root.read(DUMPING).endsWith('\n')
    await pair.eventually(begun, 'the copy begins')
    const pid = Number(root.read(DUMPING))
    await root.outputOf(`rm ${DUMPING}`)
    return pid
  }
  /** Nothing of it is left on the host. */
  const isGone = (host: SshRoot, pid: number) =>
    pair.eventually(async () => !(await runs(host, pid)), `process ${pid} has ended`)
  /** A process whose status was not collected has an entry, but no command line. */
  const runs = async ({ root }: SshRoot, pid: number): Promise<boolean> =>
    (await root.outputOf(`tr '\\0' ' ' 2>/dev/null </proc/${pid}/cmdline || :`)).includes('sleep')

  before(async function () {
    const reason = await whyNoHosts()
    if (reason !== undefined) {
      process.stderr.write(`      skipped: ${reason}\n`)
      return this.skip()
    }
    pair = await SshPair.start({ addresses })
    await setTags(tags)
    await pair.form()
    await pair.ask(
      await pair.primary(),
      `CREATE DATABASE story;
       CREATE TABLE story.kept (id INT PRIMARY KEY, bytes BLOB, word VARCHAR(20) CHARACTER SET utf8mb4);
       INSERT INTO story.kept VALUES (1, x'00FF27225C', 'żółw 🐢')`,
    )
    // Compared with their tags once: from then on another page size is a changed tag that they wait for, no drift.
    for (const host of pair.roots.hosts) expect(await driftOf(host)).to.contain('"watched":true')
    await setTags([...tags, 'innodbpage8k'])
  })
  after(() => pair?.destroy())

  it('puts the old data and the configuration they ran on back when the copy breaks off', async () => {
    const victim = await pair.replica()
    await pair.ask(await pair.primary(), 'CREATE TABLE story.loose (id INT) ENGINE = MyISAM')
    const arrived = async (address: string) =>
      Object.keys(await pair.ask(address, "SHOW TABLES IN story LIKE 'loose'")).length > 0
    for (const address of addresses) await eventually(() => arrived(address), `the table is on ${address}`)
    await pair.begin(victim)
    const { message } = await pair.ends('stopped')
    expect(message, pair.log()).to.match(/was not rebuilt: .*story\.loose \(MyISAM\).*it is on its old data$/)
    await pair.isWhole()
    expect(await pageSize(victim)).to.equal(16_384)
    expect(await pair.asides(victim)).to.equal('')
    await isComplete(victim)
    await pair.ask(await pair.primary(), 'DROP TABLE story.loose')
    for (const address of addresses)
      await eventually(async () => !(await arrived(address)), `the table is gone from ${address}`)
    await cancel()
  })

  it('ends the copy on its host when it is cancelled, and shows the password nowhere', async () => {
    const victim = await pair.replica()
    await stall(victim)
    await pair.begin(victim)
    const pid = await stalled(victim)
    expect(await runs(victim, pid)).to.equal(true)
    // It runs on what it is rebuilt with: compared now, its old page size would be a drift afterwards, and be kept.
    expect(await driftOf(victim)).to.contain('is being rebuilt')
    expect(await pair.asides(victim)).to.match(/^\/var\/lib\/mysql\.before-\S+ \/etc\/mysql\.before-\S+$/)
    const shown = await victim.root.outputOf("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '")
    expect(shown).to.contain('sleep 3600').and.to.not.contain('ecret')
    expect(await victim.root.outputOf('grep -rlsF ecret /tmp /run || :')).to.equal('')
    await cancel()
    await pair.ends('cancelled')
    let drift = ''
    await pair.eventually(
      async () => {
        drift = await driftOf(victim)
        return /"name":"innodb_page_size"[^}]*"state":"pending"/.test(drift)
      },
      () => `its page size is pending: ${drift}`,
    )
    await isGone(victim, pid)
    await repair(victim)
    await pair.isWhole()
    expect(await pageSize(victim)).to.equal(16_384)
    expect(await pair.asides(victim)).to.equal('')
    await isComplete(victim)
    expect(pair.manager.log()).to.not.contain('ecret')
  })

  it('takes up by force what a host that went away has kept, and puts its old data back first', async () => {
    const victim = await pair.replica()
    await stall(victim)
    await pair.begin(victim)
    const pid = await stalled(victim)
    await victim.close()
    const { message } = await pair.ends('stopped')
    expect(message).to.match(/its old data, which are kept, could not be restored: .*force=true tries that again$/)
    await victim.open()
    expect(await pair.asides(victim)).to.match(/^\/var\/lib\/mysql\.before-/)
    await pair.ask(await pair.primary(), 'CREATE TABLE story.loose (id INT) ENGINE = MyISAM')
    await cancel()
    await pair.begin(victim)
    // What is refused comes after the old data are back: nothing was copied from the half-filled folder.
    const again = await pair.ends('stopped')
    expect(again.message).to.match(/story\.loose \(MyISAM\).*it is on its old data$/)
    await isGone(victim, pid)
    await pair.ask(await pair.primary(), 'DROP TABLE story.loose')
    await repair(victim)
    await pair.isWhole()
    expect(await pageSize(victim)).to.equal(16_384)
    expect(await pair.asides(victim)).to.equal('')
    await cancel()
  })

  it('ends what a killed manager left on the host, and recreates the server on its new page size', async () => {
    const victim = await pair.replica()
    await stall(victim)
    await pair.begin(victim)
    const pid = await stalled(victim)
    await pair.manager.end('SIGKILL')
    await repair(victim)
    pair.manager.start()
    await pair.manager.alive()
    const ended = await pair.ends('succeeded')
    expect(ended.servers.filter(({ state }) => state === 'done').map(({ name }) => name)).to.deep.equal([
      victim.address,
    ])
    await isGone(victim, pid)
    await pair.isWhole()
    expect(await pageSize(victim)).to.equal(8_192)
    expect(await pair.asides(victim)).to.equal('')
    expect(victim.root.exists('/var/lib/mysql/.filled-by-manager')).to.equal(false)
    expect(victim.root.exists('/var/lib/mysql/.made-by-manager')).to.equal(true)
    await isComplete(victim)
  })
})
