// A server that has a source is not opened, whatever the plan believes: the server itself refuses.
import { expect } from 'chai'
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
