// The role is taken back only from a server that shows that it does not have it.
import { expect } from 'chai'
import { fail } from '../../../../lib/base/result.js'
import { openSession } from '../../../../lib/connect/sql/mysql2-session.js'
import { createSessions } from '../../../../lib/effect/index.js'
import { caughtUp, type Databases, replicate, startDatabases } from '../../../support/databases/database.js'
import { type TestEffects, testEffects } from '../../../support/databases/effects.js'

describe('take-back', () => {
  let databases: Databases
  let effects: TestEffects
  before(async () => {
    databases = await startDatabases({ count: 2, options: ['--log-slave-updates'] })
    const [old, candidate] = [databases.node(0), databases.node(1)]
    await old.sql('CREATE DATABASE spec; CREATE TABLE spec.t (id INT AUTO_INCREMENT PRIMARY KEY)')
    await replicate(old, [candidate])
    await caughtUp(old, candidate)
    effects = await testEffects(databases.nodes)
    await effects.run({ type: 'promote', server: 'db2' })
  })
  after(async () => {
    effects?.close()
    await databases?.teardown()
  })

  const takeBack = (by = effects) =>
    by.perform({ type: 'take-back', server: 'db2', oldPrimary: 'db1' }, new AbortController().signal)
  const isClosed = () => databases.node(1).value('SELECT @@read_only')

  it('closes one that was not opened', async () => {
    expect(await takeBack()).to.deep.equal({ ok: true, value: 'db2 is read-only and has taken no writes' })
    expect(await isClosed()).to.equal('1')
  })

  it('leaves one open that takes writes without an order', async () => {
    await databases.node(1).sql('SET GLOBAL read_only=OFF')
    expect(await takeBack()).to.have.nested.property('failure.message', 'db2 takes writes: it keeps the role')
    expect(await isClosed()).to.equal('0')
  })

  it('fails where it is closed, and has taken writes that the old primary is missing', async () => {
    await databases.node(1).sql('INSERT INTO spec.t VALUES (NULL)')
    await databases.node(1).sql('SET GLOBAL read_only=ON')
    expect(await takeBack()).to.have.nested.property(
      'failure.message',
      'db2 has taken writes that db1 is missing: it keeps the role',
    )
  })

  it('closes one that was sent the order to take writes, and asks what it has taken', async () => {
    await effects.run({ type: 'make-writable', server: 'db2' })
    expect(await takeBack())
      .to.have.nested.property('failure.message')
      .that.includes('has taken writes')
    expect(await isClosed()).to.equal('1')
  })

  it('does not take one refusal for the end of a server that was sent the order', async () => {
    let refusals = 0
    const refused = fail('sql-refused', '127.0.0.1:3306: connect ECONNREFUSED 127.0.0.1:3306')
    const sessions = createSessions({
      open: async (target) => (refusals-- > 0 ? refused : openSession(target)),
      server: (id) => effects.context.server(id),
    })
    const doubted = await testEffects(databases.nodes, { sessions })
    await doubted.run({ type: 'make-writable', server: 'db2' })
    sessions.forget('db2')
    // A text is sent again once, over another session.
    refusals = 2
    expect(await takeBack(doubted))
      .to.have.nested.property('failure.message')
      .that.includes('has taken writes')
    expect(await isClosed()).to.equal('1')
    doubted.close()
  })

  it('passes over one that is down', async () => {
    await databases.node(1).kill()
    expect(await takeBack())
      .to.have.property('value')
      .that.includes('db2 does not answer')
  })
})
