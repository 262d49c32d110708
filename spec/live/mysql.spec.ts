// The same watch on MySQL 9, where statements and columns have other names: formed, read, acted on.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import { accounts } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { findVersion } from '../support/databases/versions.js'
import { prepareWrites } from '../support/databases/writers.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, sourceOf, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { type Logins, opens, RotationDesk } from '../support/manager/rotation.js'
import { absent } from '../support/run/absent.js'
import { durable, end } from '../support/stories/story.js'
import { eventually, PATIENCE_MS } from '../support/wait.js'

const C = '/api/clusters/story'
/** Of an account that keeps two passwords. */
const SECOND = "User_attributes->>'$.additional_password' IS NOT NULL"
const mysql = await findVersion('mysql-9')

if (!mysql.available) absent('a cluster of MySQL 9', mysql.reason)
else
  describe('a cluster of MySQL 9', () => {
    let cluster: ProtectedCluster
    let admin: ApiUser
    before(async () => {
      cluster = await startProtectedCluster({
        count: 2,
        gated: true,
        software: 'mysql-9',
        // A replica is killed right after an account was changed: without these its binary log would keep what its tables lose.
        options: [...durable, '--performance-schema-digests-size=200', '--log-output=TABLE'],
        arrange: async () => undefined,
      })
      admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
    })
    after(() => end(cluster))

    let opened: RotationDesk | undefined
    const rotations = async (): Promise<RotationDesk> => {
      opened ??= await RotationDesk.open(cluster.manager, cluster.gates)
      return opened
    }
    const node = (index: number): Node => cluster.databases.node(index)
    const S = (index: number): string => `${C}/servers/${cluster.addressOf(node(index))}`
    /** By which the manager and its servers know it. */
    const portOf = (index: number): number => cluster.gateTo(node(index)).port
    const becomes = (index: number, state: string) =>
      eventually(
        async () => (await cluster.stateOf(node(index))) === state,
        () => `${node(index).name} becomes ${state}\n${cluster.manager.log().slice(-2_000)}`,
      )
    const does = async (target: string): Promise<void> => {
      expect(await admin.line(target, { method: 'POST' }), target).to.equal('200 ')
    }

    it('is formed of empty servers', async () => {
      await becomes(0, 'StandAlone')
      await becomes(1, 'StandAlone')
      await does(`${C}/actions/replication/bootstrap/master-slave`)
      await becomes(0, 'Master')
      await becomes(1, 'Slave')
      await prepareWrites(node(0))
      await cluster.convergesOn(node(0))
      expect(await node(1).value('SELECT @@super_read_only')).to.equal('1')
    })

    it('is shown with its sets of transactions', async () => {
      const [primary, replica] = await admin.json<readonly Readonly<Record<string, unknown>>[]>(`${C}/topology/servers`)
      expect(primary?.dbVersion).to.include({ flavor: 'MySQL', major: 9 })
      expect(primary).to.include({ haveMysqlGtid: true, haveMariadbGtid: false, readOnly: 'OFF' })
      const uuid = await node(0).value('SELECT @@server_uuid')
      await eventually(async () => {
        const [, shown] = await admin.json<readonly { gtidExecuted: string }[]>(`${C}/topology/servers`)
        return shown?.gtidExecuted.startsWith(`${uuid}:`) === true
      }, 'the replica has what the primary wrote')
      expect(replica?.replications).to.have.lengthOf(1)
    })

    it('answers live reads', async () => {
      const [channel] = await admin.json<readonly object[]>(`${S(1)}/all-slaves-status`)
      expect(channel).to.deep.include({
        slaveIoRunning: { String: 'Yes', Valid: true },
        slaveSqlRunning: { String: 'Yes', Valid: true },
        masterPort: { String: String(portOf(0)), Valid: true },
      })
      expect(await admin.json(`${S(0)}/master-status`)).to.include.keys('file', 'position')
      const variables = await admin.json<readonly { variableName: string; value: string }[]>(`${S(0)}/variables`)
      expect(variables.find(({ variableName }) => variableName === 'GTID_MODE')?.value).to.equal('ON')
      expect((await admin.json<readonly object[]>(`${S(0)}/processlist`)).length).to.be.greaterThan(0)
    })

    it('answers every other read in the shape that clients know', async () => {
      await node(0).sql('SELECT COUNT(*) FROM spec.acknowledged')
      const filled = ['status', 'status-innodb', 'tables', 'schemas', 'query-response-time']
      for (const word of [...filled, 'digest-statements-pfs'])
        expect((await admin.json<readonly object[]>(`${S(0)}/${word}`)).length, word).to.be.greaterThan(0)
      for (const word of ['slow-queries', 'digest-statements-slow', 'status-delta', 'vtables', 'meta-data-locks'])
        expect((await admin.ask(`${S(0)}/${word}`)).text, word).to.match(/^[[{]/)
      const { len } = await admin.json<{ len: number }>(`${S(0)}/errorlog`)
      expect(len).to.be.greaterThan(0)
    })

    it('does what it is asked', async () => {
      await does(`${S(1)}/actions/stop-slave`)
      expect(await sourceOf(node(1))).to.equal(`${portOf(0)} No No`)
      await does(`${S(1)}/actions/start-slave`)
      await eventually(async () => (await sourceOf(node(1))) === `${portOf(0)} Yes Yes`, 'it replicates')
      await does(`${S(0)}/actions/toogle-read-only`)
      expect(await node(0).value('SELECT @@read_only')).to.equal('1')
      await does(`${S(0)}/actions/toogle-read-only`)
      expect(await node(0).value('SELECT @@read_only')).to.equal('0')
      await does(`${S(1)}/actions/stop`)
      await eventually(() => node(1).pid === 0, 'the replica ends')
      // Its state is another one by then: what is waited for below is not that of before.
      await eventually(async () => (await cluster.stateOf(node(1))) !== 'Slave', 'the manager has noticed')
      node(1).start()
      await node(1).waitUp()
      await becomes(1, 'Slave')
      await cluster.convergesOn(node(0))
    })

    it('gives its accounts new passwords, while replication goes on', async () => {
      const ended = await admin.json<{ phase: string; message?: string }>(`${C}/actions/rotate-passwords?wait=true`)
      expect(ended.phase, `${ended.message}\n${cluster.manager.log().slice(-4_000)}`).to.equal('succeeded')
      const file = path.join(cluster.manager.dataDirectory, 'story', 'story.toml')
      const [, password = ''] = /db-servers-credential = "monitor:([^"]*)"/.exec(readFileSync(file, 'utf8')) ?? []
      for (const at of [node(0), node(1)]) {
        expect(await opens(at, 'monitor', password), `${at.name}: new`).to.equal(true)
        for (const { user, password: old } of [accounts.monitor, accounts.replication])
          expect(await opens(at, user, old), `${at.name}: the former one of ${user}`).to.equal(false)
        expect(
          await at.value(`SELECT COUNT(*) FROM mysql.user WHERE ${SECOND}`),
          `${at.name}: second passwords`,
        ).to.equal('0')
      }
      // What the source definition holds shows when the connection is opened again.
      await does(`${S(1)}/actions/stop-slave`)
      await does(`${S(1)}/actions/start-slave`)
      await eventually(async () => (await sourceOf(node(1))) === `${portOf(0)} Yes Yes`, 'it replicates')
      await becomes(0, 'Master')
      await becomes(1, 'Slave')
      await cluster.convergesOn(node(0))
    })

    it('does not begin where an account has SYSTEM_USER and that of the manager has not, and gives the GRANT', async () => {
      const seconds = () => node(0).value(`SELECT COUNT(*) FROM mysql.user WHERE ${SECOND}`)
      const refusal = async (): Promise<string> => {
        let refused = { status: 0, body: '' }
        await eventually(
          async () => {
            refused = await cluster.manager.post(`${C}/actions/rotate-passwords`)
            return refused.body.includes('SYSTEM_USER')
          },
          () => `it is refused: ${refused.status} ${refused.body}`,
        )
        expect(refused.status).to.equal(409)
        return refused.body
      }
      const before = await (await rotations()).rotation()
      await node(0).sql("REVOKE SYSTEM_USER ON *.* FROM monitor@'127.0.0.1'")
      await node(0).sql("GRANT SYSTEM_USER ON *.* TO repl@'127.0.0.1'")
      expect(await refusal()).to.contain('GRANT SYSTEM_USER ON *.* TO `monitor`@`127.0.0.1`;')
      await node(0).sql("REVOKE SYSTEM_USER ON *.* FROM repl@'127.0.0.1'")
      // What has it by a role is changed without it: the server itself permits that.
      await node(0).sql("CREATE ROLE guarded; GRANT SYSTEM_USER ON *.* TO guarded; GRANT guarded TO repl@'127.0.0.1'")
      await eventually(async () => {
        const plan = await cluster.manager.post(`${C}/actions/rotate-passwords?plan=true`)
        return (JSON.parse(plan.body) as { possible: boolean }).possible
      }, 'it may begin')
      expect((await (await rotations()).rotation())?.id, 'none began').to.equal(before?.id)
      expect(await seconds()).to.equal('0')
      await node(0).sql("DROP ROLE guarded; GRANT SYSTEM_USER ON *.* TO monitor@'127.0.0.1'")
    })

    it('goes back when it is cancelled while one server has both passwords: nothing is left of it', async function () {
      this.timeout(900_000)
      const desk = await rotations()
      const old = desk.saved()
      const holder = unwrap(await openSession(node(1).target()))
      try {
        unwrap(await holder.run('LOCK TABLES spec.acknowledged READ', [], PATIENCE_MS))
        await node(0).sql('INSERT INTO spec.acknowledged VALUES (98, 1)')
        await desk.begin(false)
        await desk.waits('has not applied yet')
        expect(await node(0).value(`SELECT COUNT(*) FROM mysql.user WHERE ${SECOND}`)).to.equal('2')
        const cancelled = await cluster.manager.post(`${C}/actions/cancel-rotate-passwords`)
        expect(cancelled.status, cancelled.body).to.equal(200)
        await eventually(
          async () => (await desk.rotation())?.phase === 'cancelled',
          () => `it ends\n${desk.log()}`,
        )
        expect(await node(0).value(`SELECT COUNT(*) FROM mysql.user WHERE ${SECOND}`)).to.equal('0')
      } finally {
        holder.close()
      }
      for (const file of readdirSync(path.dirname(desk.recordFile)).filter((name) => name.startsWith('rotation.json')))
        expect(readFileSync(path.join(path.dirname(desk.recordFile), file), 'utf8'), file).to.not.contain('secrets')
      expect(desk.saved()).to.deep.equal(old)
      for (const at of [node(0), node(1)]) {
        await eventually(
          async () => (await at.value(`SELECT COUNT(*) FROM mysql.user WHERE ${SECOND}`)) === '0',
          () => `${at.name} has one password for each account`,
        )
        expect(await opens(at, 'monitor', old.monitor), at.name).to.equal(true)
        expect(await opens(at, 'repl', old.replication), at.name).to.equal(true)
      }
      await eventually(async () => {
        const { warnings } = await admin.json<{ warnings: { number: string }[] }>(`${C}/topology/alerts`)
        return !warnings.some(({ number }) => ['WARN0321', 'WARN0322', 'WARN0392'].includes(number))
      }, 'no finding is left of it')
      // It may be asked for again.
      expect((await desk.begin(true)).phase, desk.log()).to.equal('succeeded')
      expect(await opens(node(1), 'monitor', old.monitor)).to.equal(false)
    })

    it('waits for a replica that lags, which would take the old ones away as it replays', async function () {
      this.timeout(900_000)
      const desk = await rotations()
      const { monitor } = desk.saved()
      const holder = unwrap(await openSession(node(1).target()))
      try {
        unwrap(await holder.run('LOCK TABLES spec.acknowledged READ', [], PATIENCE_MS))
        await node(0).sql('INSERT INTO spec.acknowledged VALUES (99, 1)')
        await desk.begin(false)
        const waits = async () => (await desk.rotation())?.waitsFor?.includes('has not applied yet') === true
        await eventually(waits, () => `it waits\n${desk.log()}`)
      } finally {
        holder.close()
      }
      await desk.succeeds()
      for (const at of [node(0), node(1)]) expect(await opens(at, 'monitor', monitor), at.name).to.equal(false)
    })

    it('gives them room for new ones automatically after a rotation that was cancelled', async function () {
      this.timeout(900_000)
      const desk = await rotations()
      const first = await leaveTwoPasswords(desk)
      const second = desk.saved()
      const kept = () => node(0).value(`SELECT COUNT(*) FROM mysql.user WHERE ${SECOND}`)
      expect(await kept()).to.equal('2')
      expect(await opens(node(0), 'repl', first.replication), 'the replica may use it').to.equal(true)
      node(1).start()
      await node(1).waitUp()
      await becomes(1, 'Slave')
      const ended = await desk.begin(true)
      expect(ended.phase, `${ended.message}\n${desk.log()}`).to.equal('succeeded')
      const third = desk.saved()
      for (const at of [node(0), node(1)]) {
        for (const [user, name] of [
          ['monitor', 'monitor'],
          ['repl', 'replication'],
        ] as const) {
          expect(await opens(at, user, third[name]), `${at.name}: the new one of ${user}`).to.equal(true)
          for (const old of [first, second])
            expect(await opens(at, user, old[name]), `${at.name}: a former one of ${user}`).to.equal(false)
        }
        await eventually(async () => (await kept()) === '0', 'no account keeps a second password')
      }
      await node(1).sql('STOP REPLICA; START REPLICA')
      await eventually(async () => (await sourceOf(node(1))) === `${portOf(0)} Yes Yes`, 'it replicates')
      await cluster.convergesOn(node(0))
    })

    it('leaves a second password alone that a person gave an account', async () => {
      await node(0).sql("ALTER USER 'monitor'@'127.0.0.1' IDENTIFIED BY 'of a person' RETAIN CURRENT PASSWORD")
      let refused = { status: 0, body: '' }
      await eventually(
        async () => {
          refused = await cluster.manager.post(`${C}/actions/rotate-passwords`)
          return refused.body.includes('DISCARD OLD PASSWORD')
        },
        () => `it is refused: ${refused.status} ${refused.body}`,
      )
      expect(refused.body).to.contain('monitor@127.0.0.1 has two passwords already, and no rotation left them')
    })

    /** The passwords from before a rotation that was cancelled when the accounts accepted both, the replica being down. */
    async function leaveTwoPasswords(desk: RotationDesk): Promise<Logins> {
      const before = desk.saved()
      let gone: Promise<void> | undefined
      await desk.cut(
        ({ phase }) => phase === 'renewing',
        () => {
          gone = node(1).kill('SIGKILL')
        },
      )
      await gone
      await desk.waits('does not answer')
      const cancelled = await cluster.manager.post(`${C}/actions/cancel-rotate-passwords`)
      expect(cancelled.status, cancelled.body).to.equal(200)
      const isEnded = async () => (await desk.rotation())?.phase === 'stopped'
      await eventually(isEnded, () => `it ends\n${desk.log()}`)
      return before
    }
  })
