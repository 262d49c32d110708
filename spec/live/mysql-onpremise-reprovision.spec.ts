// Servers of MySQL on hosts over SSH: created there from nothing, then one is recreated by the clone plugin, although the
// manager is killed in the middle of it.
import { expect } from 'chai'
import type { Engine } from '../support/databases/engine.js'
import { findVersion, programOf } from '../support/databases/versions.js'
import { whyNoHosts } from '../support/hosts/host-root.js'
import { SshPair } from '../support/hosts/ssh-pair.js'
import type { SshRoot } from '../support/hosts/ssh-root.js'
import { absent } from '../support/run/absent.js'

const addresses = ['127.0.3.6', '127.0.3.7']
/** What a rebuild of a MySQL server over SSH may take: longer than others. */
const STEP_MS = 180_000
const mysql = await findVersion('mysql-9')

/** A host knows its server by the name of the process. */
async function install({ root }: SshRoot, engine: Engine): Promise<void> {
  const [loader = ''] = engine.bare('')
  await root.outputOf('rm -f /usr/sbin/mariadbd /usr/bin/mariadb-install-db /usr/bin/mysql_install_db /usr/sbin/mysqld')
  await root.outputOf(`mkdir -p /opt/loader && ln -s ${loader} /opt/loader/mysqld`)
  root.write('/usr/sbin/mysqld', programOf(engine, '/opt/loader/mysqld'), 0o755)
}

if (!mysql.available) absent('reprovision of MySQL on hosts over SSH', mysql.reason)
else
  describe('reprovision of MySQL on hosts over SSH', function () {
    this.timeout(900_000)
    let pair: SshPair

    const uuid = async (address: string) => (await pair.ask(address, 'SELECT @@server_uuid AS uuid')).uuid
    before(async function () {
      const reason = await whyNoHosts()
      if (reason !== undefined) {
        process.stderr.write(`      skipped: ${reason}\n`)
        return this.skip()
      }
      pair = await SshPair.start({
        addresses,
        patienceMs: STEP_MS,
        prepare: (host) => install(host, mysql.engine),
        settings: {
          'prov-db-docker-img': 'mysql:9.7',
          'prov-db-tags': 'semisync,row,innodb,readonly,gtidstrict,linux',
        },
      })
      await pair.form()
    })
    after(() => pair?.destroy())

    it('locks the root that has no password', async () => {
      const locked = await pair.ask(
        await pair.primary(),
        "SELECT account_locked AS locked FROM mysql.user WHERE User = 'root'",
      )
      expect(locked).to.deep.equal({ locked: 'Y' })
    })

    it('fills a server again with what the plugin copies, although the manager is killed meanwhile', async () => {
      await pair.ask(
        await pair.primary(),
        `CREATE DATABASE story; CREATE TABLE story.kept (id INT PRIMARY KEY, word VARCHAR(20));
         INSERT INTO story.kept VALUES (1, 'żółw 🐢')`,
      )
      const victim = await pair.replica()
      const before = await uuid(victim.address)
      await pair.begin(victim)
      await pair.eventually(async () => (await pair.asides(victim)) !== '', 'old data lie aside')
      await pair.manager.end('SIGKILL')
      pair.manager.start()
      await pair.manager.alive()
      await pair.ends('succeeded')
      await pair.isWhole()
      expect(await uuid(victim.address)).to.not.equal(before)
      expect(await pair.ask(victim.address, 'SELECT word FROM story.kept')).to.deep.equal({ word: 'żółw 🐢' })
      expect(await pair.asides(victim)).to.equal('')
      expect(victim.root.exists('/var/lib/mysql/.made-by-manager')).to.equal(true)
      expect(victim.root.exists('/var/lib/mysql/.filled-by-manager')).to.equal(false)
      expect(pair.manager.log()).to.not.contain('ecret')
    })
  })
