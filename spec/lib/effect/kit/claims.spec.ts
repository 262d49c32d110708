// Two owners of one cluster on a real database: the later one ends what the earlier one left, and nothing of it comes back.
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { openSession } from '../../../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../../../lib/connect/sql/session.js'
import { Claims } from '../../../../lib/effect/kit/claims.js'
import { type Databases, startDatabases } from '../../../support/databases/database.js'
import { accounts } from '../../../support/databases/node.js'
import { eventually } from '../../../support/wait.js'

describe('Claims', () => {
  let databases: Databases
  const opened: SqlSession[] = []
  before(async () => {
    databases = await startDatabases({ count: 1, prefix: 'claims' })
  })
  after(() => databases?.teardown())
  afterEach(() => {
    for (const session of opened.splice(0)) session.close()
  })

  const open = async () => {
    const { host, port } = databases.node(0)
    const session = await openSession({ host, port, ...accounts.monitor, connectTimeoutMs: 10_000 })
    if (session.ok) opened.push(session.value)
    return session
  }
  const instance = () => {
    const proof = { owner: true, asked: 0, endsAfter: Number.POSITIVE_INFINITY }
    const claims = new Claims({
      isOwner: () => {
        proof.asked += 1
        return proof.owner && proof.asked <= proof.endsAfter
      },
      own: () => [],
    })
    const admitted = async () => {
      const session = unwrap(await open())
      return { session, result: await claims.admit('db1', session, open) }
    }
    return { proof, claims, admitted }
  }

  it('lets sessions of one owner change the server, side by side', async () => {
    const one = instance()
    for (const { result } of [await one.admitted(), await one.admitted()]) expect(result.ok).to.equal(true)
    one.claims.close()
  })

  it('ends the sessions of the earlier owner, with what they hold', async () => {
    const [earlier, later] = [instance(), instance()]
    const { session: frozen } = await earlier.admitted()
    unwrap(await frozen.run('FLUSH TABLES WITH READ LOCK', [], 10_000))
    expect((await later.admitted()).result.ok).to.equal(true)
    await eventually(() => !frozen.open, 'the session is ended')
    expect((await frozen.run('SET GLOBAL read_only=1', [], 5_000)).ok).to.equal(false)
    expect((await databases.node(0).value('SELECT @@global.read_only')) ?? '').to.equal('0')
    later.claims.close()
  })

  it('refuses the earlier owner when it wakes, although it still believes itself the owner in that moment', async () => {
    const [earlier, later] = [instance(), instance()]
    expect((await earlier.admitted()).result.ok).to.equal(true)
    const before = unwrap(await open())
    expect((await later.admitted()).result.ok).to.equal(true)
    // It was stopped after it had proven itself, before it took the lock of a session; its term has ended by now.
    earlier.proof.endsAfter = earlier.proof.asked + 1
    const woken = await earlier.claims.admit('db1', before, open)
    expect(!woken.ok && woken.failure.code).to.equal('not-owner')
    expect((await later.admitted()).result.ok).to.equal(true)
    later.claims.close()
  })

  it('never ends a later owner: what it read before it was stopped is of no use after', async () => {
    const [earlier, later] = [instance(), instance()]
    const { session } = await later.admitted()
    earlier.proof.endsAfter = 1
    const { result } = await earlier.admitted()
    expect(!result.ok && result.failure.code).to.equal('not-owner')
    expect(session.open).to.equal(true)
    expect(unwrap(await session.run('SELECT 1 AS one', [], 5_000))).to.deep.equal([[{ one: 1 }]])
    later.claims.close()
  })
})
