import { expect } from 'chai'
import type { Command } from '../../../lib/model/operation/command.js'
import { caughtUp, type Databases, type Node, replicate, startDatabases } from '../../support/databases/database.js'
import { type TestEffects, testEffects } from '../../support/databases/effects.js'
import { unreadOf } from '../../support/databases/unread.js'
import { eventually } from '../../support/wait.js'

/** A server that hangs does not answer within any time. */
const timeoutMs = 500

describe('effects on a server that hangs', () => {
  let databases: Databases
  let db1: Node
  let db2: Node
  let effects: TestEffects

  before(async () => {
    databases = await startDatabases({ count: 2 })
    db1 = databases.node(0)
    db2 = databases.node(1)
    await replicate(db1, [db2], { semiSync: true })
    effects = await testEffects(databases.nodes)
  })
  beforeEach(() => effects.context.sessions.warm(['db1', 'db2']))
  afterEach(() => {
    db1.resume()
    db2.resume()
  })
  after(async () => {
    effects.close()
    await databases.teardown()
  })

  const perform = (command: Command) => effects.perform(command, new AbortController().signal)
  const readOnly = (node: Node) => node.value('SELECT @@GLOBAL.read_only')
  /** Wakes it up; its sessions with the manager, `ids`, have executed what they had been sent and have ended. */
  const wakeUp = async (node: Node, ids: readonly number[]) => {
    node.resume()
    const left = `SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID IN (${ids.join()})`
    await eventually(async () => (await node.value(left)) === '0', 'the sessions with the manager have ended')
  }

  it('fences a primary the moment it wakes up', async () => {
    db1.pause()
    expect(await perform({ type: 'fence', server: 'db1', timeoutMs })).to.have.nested.property(
      'failure.code',
      'sql-silent',
    )
    db1.resume()
    await eventually(async () => (await readOnly(db1)) === '1', 'db1 is read-only')
    await effects.run({ type: 'make-writable', server: 'db1' })
  })

  it('leaves no statement behind that would open a server when it wakes up', async () => {
    await effects.run({ type: 'make-read-only', server: 'db2' })
    const ids = effects.context.sessions.own('db2')
    db2.pause()
    const result = await perform({ type: 'make-writable', server: 'db2', replicating: true, timeoutMs })
    expect(result).to.have.nested.property('failure.code', 'sql-silent')
    await wakeUp(db2, ids)
    expect(await readOnly(db2)).to.equal('1')
  })

  it('leaves no statement behind that would cut a replica from its source', async () => {
    const ids = effects.context.sessions.own('db2')
    db2.pause()
    expect(await perform({ type: 'promote', server: 'db2', timeoutMs })).to.have.property('ok', false)
    await wakeUp(db2, ids)
    expect(await db2.sql('SHOW SLAVE STATUS')).to.have.length(1)
  })

  it('stops the receiver of a hung semi-synchronous primary within its time', async () => {
    await caughtUp(db1, db2)
    db1.pause()
    await effects.run({ type: 'stop-receiving', server: 'db2' })
    await effects.run({ type: 'apply-received', server: 'db2' })
    db1.resume()
    await effects.run({ type: 'start-replication', server: 'db2' })
  })

  it('is given up on request', async () => {
    const unread = await unreadOf(db2, effects.context.sessions.own('db2')[0])
    db2.pause()
    const ending = new AbortController()
    const stopped = effects.perform({ type: 'stop-replication', server: 'db2' }, ending.signal)
    await eventually(() => unread() > 0, 'db2 was sent a statement')
    ending.abort()
    expect(await stopped).to.have.property('ok', false)
  })
})
