// A server forgets whom it followed and what it logged, but not while it also replicates from another cluster.
import { expect } from 'chai'
import type { EffectServer } from '../../../../lib/effect/kit/server.js'
import {
  caughtUp,
  channelsOf,
  type Databases,
  followOver,
  replicate,
  startDatabases,
} from '../../../support/databases/database.js'
import { effectServer, type TestEffects, testEffects } from '../../../support/databases/effects.js'
import { eventually } from '../../../support/wait.js'

describe('forgetHistory', () => {
  let databases: Databases
  let effects: TestEffects
  let foreign: readonly string[] = ['x']
  const source = () => databases.node(0)
  const server = () => databases.node(1)
  const other = () => databases.node(2)

  before(async () => {
    databases = await startDatabases({ count: 3 })
    await other().sql('SET GLOBAL gtid_domain_id=7')
    await replicate(source(), [server()])
    await followOver(server(), other(), 'x')
    await source().sql('CREATE DATABASE app')
    await caughtUp(source(), server())
    const { name, host, port } = source()
    const members = [{ id: name, host, port }]
    const known = await effectServer(server())
    const current = (): EffectServer => ({ ...known, replication: { channel: '', foreign, others: members } })
    effects = await testEffects(databases.nodes, { server: (id) => (id === server().name ? current() : undefined) })
  })
  after(async () => {
    effects?.close()
    await databases?.teardown()
  })

  const forget = () => effects.perform({ type: 'forget-history', server: 'db2' }, new AbortController().signal)
  const running = async () => (await channelsOf(server())).map(({ name, runs }) => `${name} ${runs}`)
  const history = () => server().value('SELECT CONCAT(@@gtid_binlog_state, @@gtid_slave_pos)')

  it('leaves everything as it is where a channel to another cluster is there, and names it', async () => {
    await eventually(async () => (await running()).join() === ' Yes Yes,x Yes Yes', 'both channels run')
    const before = await history()
    const refused = await forget()
    expect(refused).to.have.nested.property('failure.code', 'wrong-state')
    expect(refused).to.have.nested.property('failure.message', 'db2 also replicates from another cluster: channel x')
    expect(await running()).to.deep.equal([' Yes Yes', 'x Yes Yes'])
    expect(await history()).to.equal(before)
    expect(before).to.not.equal('')
  })

  it('forgets its sources and its binary logs where there is none', async () => {
    await server().sql("STOP SLAVE 'x'; RESET SLAVE 'x' ALL")
    foreign = []
    expect(await forget()).to.deep.equal({ ok: true, value: 'db2 has no source and has no binary logs of before' })
    expect(await running()).to.deep.equal([])
    expect(await history()).to.equal('')
    expect(await server().value("SELECT COUNT(*) FROM information_schema.SCHEMATA WHERE SCHEMA_NAME='app'")).to.equal(
      '1',
    )
  })
})
