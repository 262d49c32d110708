// A replica is cut from the source that the plan knows, and from no other that a person gave it meanwhile.
import { expect } from 'chai'
import { now, SECOND } from '../../../../lib/base/time.js'
import type { EffectServer } from '../../../../lib/effect/kit/server.js'
import { type Databases, replicate, startDatabases } from '../../../support/databases/database.js'
import { effectServer, type TestEffects, testEffects } from '../../../support/databases/effects.js'

describe('promote', () => {
  let databases: Databases
  let effects: TestEffects
  let suspendedMs = 0
  before(async () => {
    databases = await startDatabases({ count: 3 })
    const [old, candidate, third] = [databases.node(0), databases.node(1), databases.node(2)]
    await replicate(old, [candidate])
    const servers = new Map<string, EffectServer>()
    for (const node of databases.nodes) {
      const others = [old, candidate, third].filter((other) => other !== node)
      const members = others.map(({ name, host, port }) => ({ id: name, host, port }))
      servers.set(node.name, {
        ...(await effectServer(node)),
        replication: { channel: '', foreign: [], others: members },
      })
    }
    effects = await testEffects(databases.nodes, { server: (id) => servers.get(id), now: () => now() + suspendedMs })
  })
  after(async () => {
    effects?.close()
    await databases?.teardown()
  })

  const promote = (...sources: readonly string[]) =>
    effects.perform({ type: 'promote', server: 'db2', sources }, new AbortController().signal)
  const source = async () => (await databases.node(1).sql('SHOW SLAVE STATUS'))[0]

  it('leaves a server with the source that it was given since the plan was made', async () => {
    const refused = await promote('db3')
    expect(refused).to.have.nested.property('failure.code', 'step-failed')
    expect(refused).to.have.nested.property('failure.message', 'db2 follows db1 by now: it is not cut from it')
    expect(await source()).to.include({ Slave_IO_Running: 'Yes', Slave_SQL_Running: 'Yes' })
  })

  it('asks again whom it follows where the last reading is not of this moment: a suspended manager gets its answer late', async () => {
    const [, candidate, third] = databases.nodes
    await effects.run({ type: 'catch-up', server: 'db2', source: 'db1' })
    await candidate?.sql(`STOP SLAVE; CHANGE MASTER TO MASTER_PORT=${third?.port}; START SLAVE`)
    suspendedMs = SECOND
    const refused = await promote('db1')
    expect(refused).to.have.nested.property('failure.message', 'db2 follows db3 by now: it is not cut from it')
    expect(await source()).to.have.property('Master_Port', third?.port)
  })

  it('cuts a server from the source that the plan knows', async () => {
    expect(await promote('db1', 'db3')).to.deep.equal({ ok: true, value: 'db2 has no source' })
    expect(await source()).to.equal(undefined)
  })
})
