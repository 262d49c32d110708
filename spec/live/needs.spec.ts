// What servers need, asked as hosts ask: raised by changed settings, kept over a killed manager, settled by a restart.
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { type Databases, eventually, startDatabases } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { ManagerProcess } from '../support/manager/manager-process.js'

describe('the needs of a server', () => {
  let databases: Databases
  let node: Node
  let manager: ManagerProcess

  before(async () => {
    databases = await startDatabases({ count: 1 })
    node = databases.node(0)
    manager = await ManagerProcess.create({
      clusters: {
        shop: {
          'db-servers-hosts': `127.0.0.1:${node.port}`,
          'db-servers-credential': 'monitor:monitor',
          'replication-credential': 'repl:repl',
        },
      },
    })
    manager.start()
    await manager.alive()
    await eventually(async () => (await ask('config')).startsWith('200 '), 'the archive is there')
  })
  after(async () => {
    await manager?.destroy()
    await databases?.teardown()
  })

  const line = async (target: string): Promise<string> => {
    const reply = await fetch(`http://127.0.0.1:${manager.httpPort}/api/clusters/shop/${target}`)
    const text = reply.headers.get('content-type')?.startsWith('text/') ? await reply.text() : ''
    return `${reply.status} ${text.trimEnd()}`
  }
  const ask = (word: string) => line(`servers/127.0.0.1/${node.port}/${word}`)
  const becomes = (word: string, answer: string) =>
    eventually(async () => (await ask(word)) === answer, `${word} says ${answer}`)
  const set = async (name: string, value: string): Promise<void> => {
    const { status, body } = await manager.post(`/api/clusters/shop/settings/actions/set/${name}/${value}`)
    expect(status, body).to.equal(200)
  }
  const flag = (name: string): boolean =>
    existsSync(path.join(manager.dataDirectory, 'shop', `127.0.0.1_${node.port}`, `@cookie_${name}`))
  const killManager = async (): Promise<void> => {
    await manager.end('SIGKILL')
    manager.start()
    await manager.alive()
  }

  it('are none at first', async () => {
    expect(await ask('need-restart')).to.equal('503 503 -No restart needed!')
    expect(await ask('need-reprov')).to.equal('503 503 -No reprov needed!')
    expect(await ask('need-start')).to.equal('500 500 -No start needed!')
    expect(await line('need-rolling-restart')).to.equal('500 503 -No rolling restart needed!')
  })

  it('are no success of an action while no host asks for them', async () => {
    // Only the manager's own flags are asked for by this story; the file that remembers it is taken away.
    rmSync(path.join(manager.dataDirectory, 'shop', `127.0.0.1_${node.port}`, '.polled'), { force: true })
    for (const target of ['services/actions/provision', `servers/127.0.0.1:${node.port}/actions/start`]) {
      const plan = await manager.post(`/api/clusters/shop/${target}?plan=true`)
      expect([plan.status, JSON.parse(plan.body).possible]).to.deep.equal([200, false])
      const { status, body } = await manager.post(`/api/clusters/shop/${target}`)
      expect(status, body).to.equal(409)
      expect(body).to.contain('nothing would act: its host has not asked for its needs')
    }
    expect([flag('prov'), flag('waitstart')]).to.deep.equal([false, false])
  })

  it('are raised by an action once a host asks for them', async () => {
    expect(await ask('need-start')).to.equal('500 500 -No start needed!')
    const target = `/api/clusters/shop/servers/127.0.0.1:${node.port}/actions/start`
    await eventually(async () => (await manager.post(target)).status === 200, 'the flag is raised')
    expect(await ask('need-start')).to.equal('200 200 -Need start!')
  })

  it('are a restart and a configuration after a changed tag, the configuration reported once', async () => {
    await set('prov-db-tags', 'innodb,row')
    await becomes('need-restart', '200 200 -Need restart!')
    expect(await line('need-rolling-restart')).to.equal('200 200 -Need rolling restart!')
    expect(await ask('need-reprov')).to.equal('503 503 -No reprov needed!')
    await becomes('need-config-change', '200 200 -Need config change!')
    expect(await ask('need-config-change')).to.equal('500 500 -No config change needed!')
  })

  it('outlive a killed manager', async () => {
    await killManager()
    expect(await ask('need-restart')).to.equal('200 200 -Need restart!')
  })

  it('are settled when the server has restarted', async () => {
    await node.stop()
    node.start()
    await node.waitUp()
    await becomes('need-restart', '503 503 -No restart needed!')
    expect(flag('restart')).to.equal(false)
  })

  it('are a new provisioning after another disk', async () => {
    await set('prov-db-disk', '40')
    await becomes('need-reprov', '200 200 -Need reprov!')
    expect(await line('need-rolling-reprov')).to.equal('200 200 -Need rolling reprov!')
    expect(await ask('need-restart')).to.equal('503 503 -No restart needed!')
  })

  it('say whether a start is to fetch, and keep it as a flag', async () => {
    expect(await ask('need-config-fetch')).to.equal('200 200 -Need config fetch!')
    await set('prov-db-start-fetch-config', 'false')
    await eventually(async () => flag('noconfigfetch'), 'the flag stands before a host asks')
    await killManager()
    expect(await ask('need-config-fetch')).to.equal('500 500 -No config fetch needed!')
    await set('prov-db-start-fetch-config', 'true')
    await eventually(async () => !flag('noconfigfetch'), 'the flag is gone')
    expect(await ask('need-config-fetch')).to.equal('200 200 -Need config fetch!')
  })
})
