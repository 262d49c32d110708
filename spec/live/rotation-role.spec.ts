// What the account of the manager may do by a role counts where a new session has the role: a session that is kept has what
// was active when it logged in.
import { expect } from 'chai'
import { replicate } from '../support/databases/database.js'
import { findVersion, type VersionName } from '../support/databases/versions.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { absent } from '../support/run/absent.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'
const ACCOUNT = "member@'127.0.0.1'"

interface Flavour {
  readonly software?: VersionName
  /** What the account has itself: all but what the rotation needs. */
  readonly own: readonly string[]
  /** What it has by its role. */
  readonly role: string
  readonly activate: string
  readonly deactivate: string
  /** The statement that the refusal names. */
  readonly advice: string
}

const flavours: Readonly<Record<string, Flavour>> = {
  MariaDB: {
    own: [
      'GRANT SELECT, RELOAD, PROCESS, SUPER, REPLICATION SLAVE, REPLICATION CLIENT, BINLOG MONITOR, SLAVE MONITOR, ' +
        'READ_ONLY ADMIN, REPLICATION SLAVE ADMIN, REPLICATION MASTER ADMIN, CONNECTION ADMIN, BINLOG ADMIN ' +
        `ON *.* TO ${ACCOUNT}`,
    ],
    role: 'CREATE USER',
    activate: `SET DEFAULT ROLE operator FOR ${ACCOUNT}`,
    deactivate: `SET DEFAULT ROLE NONE FOR ${ACCOUNT}`,
    advice: 'SET DEFAULT ROLE `operator` FOR `member`@`127.0.0.1`;',
  },
  MySQL: {
    software: 'mysql-9',
    own: [`GRANT ALL ON *.* TO ${ACCOUNT}`, `REVOKE CREATE USER, SYSTEM_USER ON *.* FROM ${ACCOUNT}`],
    role: 'CREATE USER, SYSTEM_USER',
    activate: `SET DEFAULT ROLE operator TO ${ACCOUNT}`,
    deactivate: `SET DEFAULT ROLE NONE TO ${ACCOUNT}`,
    advice: 'SET DEFAULT ROLE `operator`@`%` TO `member`@`127.0.0.1`;',
  },
}

for (const [flavour, { software, own, role, activate, deactivate, advice }] of Object.entries(flavours)) {
  const found = software && (await findVersion(software))
  if (found && !found.available) absent(`a rotation of passwords by a role on ${flavour}`, found.reason)
  else
    describe(`a rotation of passwords by a role on ${flavour}`, () => {
      let cluster: ProtectedCluster
      before(async () => {
        cluster = await startProtectedCluster({
          count: 2,
          ...(software ? { software } : {}),
          arrange: async ([primary, ...replicas]) => {
            if (!primary) throw new Error('there are two nodes')
            await replicate(primary, replicas)
            await primary.sql(`CREATE USER ${ACCOUNT} IDENTIFIED BY 'member'`)
            await primary.sql('CREATE ROLE operator')
            for (const statement of [
              ...own,
              `GRANT ${role} ON *.* TO operator`,
              `GRANT operator TO ${ACCOUNT}`,
              activate,
            ])
              await primary.sql(statement)
          },
          settings: { 'db-servers-credential': 'member:member' },
        })
        await cluster.ready()
      })
      after(() => cluster?.destroy())

      const plan = async () => {
        const { body } = await cluster.manager.post(`${C}/actions/rotate-passwords?plan=true`)
        return JSON.parse(body) as { readonly possible: boolean; readonly refusal?: string }
      }
      const planned = async (): Promise<void> => {
        let refusal: string | undefined = ''
        await eventually(
          async () => {
            const answer = await plan()
            refusal = answer.refusal
            return answer.possible
          },
          () => `it may begin: ${refusal}`,
        )
      }

      it('may begin while the role is active at login', planned)

      it('is refused where a new session would not have it, though the one that is kept has, with the statement', async () => {
        const primary = await cluster.primary()
        await primary.sql(deactivate)
        expect(await plan())
          .to.have.property('refusal')
          .that.contains(advice)
        const { status, body } = await cluster.manager.post(`${C}/actions/rotate-passwords`)
        expect(status, body).to.equal(409)
        await primary.sql(advice.replace(';', ''))
        await planned()
      })

      if (flavour === 'MySQL')
        it('is refused where only a role has SYSTEM_USER, is not active, and an account to change has it', async () => {
          const primary = await cluster.primary()
          await primary.sql(`GRANT CREATE USER ON *.* TO ${ACCOUNT}`)
          await primary.sql("GRANT SYSTEM_USER ON *.* TO repl@'127.0.0.1'")
          await planned()
          await primary.sql(deactivate)
          expect(await plan())
            .to.have.property('refusal')
            .that.contains('`repl`@`127.0.0.1` has SYSTEM_USER')
          // Its own account has it by a role only, which does not guard it.
          await primary.sql("REVOKE SYSTEM_USER ON *.* FROM repl@'127.0.0.1'")
          await planned()
        })
    })
}
