import { expect } from 'chai'
import { sleep } from '../../../lib/base/time.js'
import type { Command } from '../../../lib/model/operation/command.js'
import { caughtUp, type Databases, type Node, replicate, startDatabases } from '../../support/databases/database.js'
import { type TestEffects, testEffects } from '../../support/databases/effects.js'
import { eventually } from '../../support/wait.js'

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
  /** The signal takes a moment to reach every thread. */
  const hang = async (node: Node) => {
    node.pause()
    await sleep(50)
  }
  const readOnly = (node: Node) => node.value('SELECT @@GLOBAL.read_only')

  it('fences a primary the moment it wakes up', async () => {
    await hang(db1)
    expect(await perform({ type: 'fence', server: 'db1', timeoutMs: 200 })).to.have.nested.property(
      'failure.code',
      'sql-silent',
    )
    db1.resume()
    await eventually(async () => (await readOnly(db1)) === '1', 'db1 is read-only')
    await effects.run({ type: 'make-writable', server: 'db1' })
  })

  it('leaves no statement behind that would open a server when it wakes up', async () => {
    await effects.run({ type: 'make-read-only', server: 'db2' })
    await hang(db2)
    const result = await perform({ type: 'make-writable', server: 'db2', timeoutMs: 200 })
    expect(result).to.have.nested.property('failure.code', 'sql-silent')
    await sleep(100)
    db2.resume()
    await sleep(200)
    expect(await readOnly(db2)).to.equal('1')
  })

  it('leaves no statement behind that would cut a replica from its source', async () => {
    await hang(db2)
    expect(await perform({ type: 'promote', server: 'db2', timeoutMs: 200 })).to.have.property('ok', false)
    await sleep(100)
    db2.resume()
    await sleep(200)
    expect(await db2.sql('SHOW SLAVE STATUS')).to.have.length(1)
  })

  it('stops the receiver of a hung semi-synchronous primary within its time', async () => {
    await caughtUp(db1, db2)
    await hang(db1)
    await effects.run({ type: 'stop-receiving', server: 'db2' })
    await effects.run({ type: 'apply-received', server: 'db2' })
    db1.resume()
    await effects.run({ type: 'start-replication', server: 'db2' })
  })

  it('is given up on request', async () => {
    await hang(db2)
    const ending = new AbortController()
    const stopped = effects.perform({ type: 'stop-replication', server: 'db2' }, ending.signal)
    await sleep(50)
    ending.abort()
    expect(await stopped).to.have.property('ok', false)
  })
})
