// Servers of MySQL on hosts over SSH: made there from nothing, then one is made anew by the clone plugin, although the
// manager is killed in the middle of it.
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { Row } from '../../lib/connect/sql/session.js'
import { eventually } from '../support/databases/database.js'
import type { Engine } from '../support/databases/engine.js'
import { findVersion, programOf } from '../support/databases/versions.js'
import { whyNoHosts } from '../support/hosts/host-root.js'
import { type SshRoot, type SshRoots, startSshRoots } from '../support/hosts/ssh-root.js'
import { freePorts } from '../support/machine/ports.js'
import { ManagerProcess } from '../support/manager/manager-process.js'

const C = '/api/clusters/story'
const addresses = ['127.0.3.6', '127.0.3.7']
const password = "it's a $ecret"
const PATIENCE_MS = 180_000
const mysql = await findVersion('mysql-9')

interface Run {
  readonly phase: string
  readonly message?: string
}

interface Member {
  readonly host: string
  readonly state: string
  readonly isMaintenance: boolean
}

/** A host knows its server by the name of the process. */
async function install({ root }: SshRoot, engine: Engine): Promise<void> {
  const [loader = ''] = engine.bare('')
  await root.tell('rm -f /usr/sbin/mariadbd /usr/bin/mariadb-install-db /usr/bin/mysql_install_db /usr/sbin/mysqld')
  await root.tell(`mkdir -p /opt/loader && ln -s ${loader} /opt/loader/mysqld`)
  root.write('/usr/sbin/mysqld', programOf(engine, '/opt/loader/mysqld'), 0o755)
}

if (!mysql.available) console.warn(`not available here: ${mysql.reason}`)
else
  describe('reprovision of MySQL on hosts over SSH', function () {
    this.timeout(480_000)
    let roots: SshRoots
    let manager: ManagerProcess
    let ports: readonly number[]

    const log = () => manager.log().slice(-8_000)
    const members = () => manager.get<readonly Member[]>(`${C}/topology/servers`)
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
    const uuid = async (address: string) => (await ask(address, 'SELECT @@server_uuid AS uuid')).uuid
    const asides = ({ root }: SshRoot) =>
      root.tell('for each in /var/lib/mysql.* /etc/mysql.*; do if [ -e "$each" ]; then printf "%s " "$each"; fi; done')

    before(async function () {
      const reason = await whyNoHosts()
      if (reason !== undefined) {
        process.stderr.write(`      skipped: ${reason}\n`)
        return this.skip()
      }
      ports = await freePorts(addresses.length)
      roots = await startSshRoots(addresses)
      for (const host of roots.hosts) await install(host, mysql.engine)
      manager = await ManagerProcess.create({
        clusters: {
          story: {
            'db-servers-hosts': addresses.map((address) => `${address}:${portOf(address)}`).join(','),
            'db-servers-credential': `monitor:${password}`,
            'replication-credential': 'repl:replicates',
            'prov-orchestrator': 'onpremise',
            'prov-db-docker-img': 'mysql:9.7',
            'prov-db-tags': 'semisync,row,innodb,readonly,gtidstrict,linux',
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
      const made = await manager.post(`${C}/services/actions/provision`)
      expect(made.status, `${made.body}\n${log()}`).to.equal(200)
      const formed = await manager.post(`${C}/actions/replication/bootstrap/master-slave`)
      expect(formed.status, formed.body).to.equal(200)
      await isWhole()
    })
    after(async () => {
      await manager?.destroy()
      await roots?.end()
    })

    it('locks the root that has no password', async () => {
      const locked = await ask(await primary(), "SELECT account_locked AS locked FROM mysql.user WHERE User = 'root'")
      expect(locked).to.deep.equal({ locked: 'Y' })
    })

    it('fills a server anew by what the plugin copies, although the manager is killed meanwhile', async () => {
      await ask(
        await primary(),
        `CREATE DATABASE story; CREATE TABLE story.kept (id INT PRIMARY KEY, word VARCHAR(20));
         INSERT INTO story.kept VALUES (1, 'żółw 🐢')`,
      )
      const victim = await replica()
      const before = await uuid(victim.address)
      const server = encodeURIComponent(`${victim.address}:${portOf(victim.address)}`)
      let reply = { status: 0, body: '' }
      const begins = async () => {
        reply = await manager.post(`${C}/servers/${server}/actions/reprovision?force=true`)
        return reply.status === 200
      }
      await eventually(begins, () => `it begins: ${reply.body}`, PATIENCE_MS)
      await eventually(
        async () => (await asides(victim)) !== '',
        () => `old data lie aside\n${log()}`,
        PATIENCE_MS,
      )
      await manager.end('SIGKILL')
      manager.start()
      await manager.alive()
      let ended: Run | undefined
      const hasEnded = async () => {
        ended = await manager.get<Run>(`${C}/rolling`)
        return ended.phase !== 'running'
      }
      await eventually(hasEnded, () => `the run ends\n${log()}`, PATIENCE_MS)
      expect(ended?.phase, `${ended?.message}\n${log()}`).to.equal('succeeded')
      await isWhole()
      expect(await uuid(victim.address)).to.not.equal(before)
      expect(await ask(victim.address, 'SELECT word FROM story.kept')).to.deep.equal({ word: 'żółw 🐢' })
      expect(await asides(victim)).to.equal('')
      expect(victim.root.exists('/var/lib/mysql/.made-by-manager')).to.equal(true)
      expect(victim.root.exists('/var/lib/mysql/.filled-by-manager')).to.equal(false)
      expect(manager.log()).to.not.contain('ecret')
    })
  })
