// A server that has a source is not opened, whatever the plan believes: the server itself refuses.
import { expect } from 'chai'
import { fail } from '../../../../lib/base/result.js'
import { MINUTE, SECOND } from '../../../../lib/base/time.js'
import { openSession } from '../../../../lib/connect/sql/mysql2-session.js'
import type { OpenSession } from '../../../../lib/connect/sql/session.js'
import { createSessions } from '../../../../lib/effect/index.js'
import { caughtUp, type Databases, replicate, startDatabases } from '../../../support/databases/database.js'
import { type TestEffects, testEffects } from '../../../support/databases/effects.js'
import { eventually } from '../../../support/wait.js'

describe('make-writable', () => {
  let databases: Databases
  let effects: TestEffects
  before(async () => {
    databases = await startDatabases({ count: 2 })
    await replicate(databases.node(0), [databases.node(1)])
    await caughtUp(databases.node(0), databases.node(1))
    effects = await testEffects(databases.nodes)
  })
  after(async () => {
    await effects?.close()
    await databases?.teardown()
  })

  const stateOf = () => databases.node(1).value('SELECT @@read_only')
  const perform = (command: Parameters<TestEffects['perform']>[0]) =>
    effects.perform(command, new AbortController().signal)

  it('is refused while the server replicates', async () => {
    const opened = await perform({ type: 'make-writable', server: 'db2' })
    expect(opened).to.have.nested.property('failure.message', 'db2 replicates from a source again and stays read-only')
    const released = await perform({ type: 'unfreeze', server: 'db2', writable: true })
    expect(released).to.have.nested.property(
      'failure.message',
      'db2 replicates from a source again and stays read-only',
    )
    expect(await stateOf()).to.equal('1')
  })

  it('is done where it keeps its source on purpose, and where it has none', async () => {
    expect(await perform({ type: 'make-writable', server: 'db2', replicating: true })).to.have.property('ok', true)
    expect(await stateOf()).to.equal('0')
    expect(await perform({ type: 'make-read-only', server: 'db2' })).to.have.property('ok', true)
    expect(await perform({ type: 'promote', server: 'db2' })).to.have.property('ok', true)
    expect(await perform({ type: 'make-writable', server: 'db2' })).to.have.property('ok', true)
    await eventually(async () => (await stateOf()) === '0', 'it takes writes')
  })
})

describe('fence', () => {
  let databases: Databases
  before(async () => {
    databases = await startDatabases({ count: 1 })
  })
  after(() => databases?.teardown())

  /** What a fence says where the first `lost` logins are cut off. */
  const fence = async (lost: number, open: OpenSession = openSession, timeoutMs = MINUTE) => {
    let logins = 0
    const plain = await testEffects(databases.nodes)
    const cut = fail('sql-refused', '127.0.0.1:3306: read ECONNRESET')
    const sessions = createSessions({
      open: async (target) => (logins++ < lost ? cut : open(target)),
      server: (id) => plain.context.server(id),
    })
    const effects = await testEffects(databases.nodes, { sessions })
    try {
      return await effects.perform({ type: 'fence', server: 'db1', timeoutMs }, new AbortController().signal)
    } finally {
      effects.close()
      plain.close()
    }
  }
  const isClosed = () => databases.node(0).value('SELECT @@read_only')

  it('does not count a server as down that loses every session', async () => {
    await databases.node(0).sql('SET GLOBAL read_only=OFF')
    expect(await fence(Number.POSITIVE_INFINITY, openSession, SECOND)).to.have.nested.property(
      'failure.message',
      'db1 ended every session, and is not proven down: 127.0.0.1:3306: read ECONNRESET',
    )
    expect(await isClosed()).to.equal('0')
  })

  it('closes one that lost more sessions than a text is sent again', async () => {
    expect(await fence(6)).to.deep.equal({ ok: true, value: 'db1 is read-only' })
    expect(await isClosed()).to.equal('1')
  })

  it('is not needed where nothing listens, also after sessions that were cut off', async () => {
    const refused: OpenSession = async () => fail('sql-refused', '127.0.0.1:3306: connect ECONNREFUSED 127.0.0.1:3306')
    for (const lost of [0, 6])
      expect(await fence(lost, refused)).to.deep.equal({
        ok: true,
        value: 'db1 is down (connection refused); fencing not needed',
      })
  })
})
