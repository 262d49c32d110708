// What servers need, asked as hosts ask: raised by changed settings, kept over a killed manager, settled by a restart.
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { type Jobs, tasksOf } from '../../bin/cli/answer/jobs.js'
import { type Databases, startDatabases } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { Client } from '../support/http/client.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { eventually } from '../support/wait.js'

describe('the needs of a server', () => {
  let databases: Databases
  let node: Node
  let manager: ManagerProcess
  let client: Client

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
    client = new Client({ port: manager.apiPort, user: 'admin', password: 'spec-password' })
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
  const allBecome = (word: string, answer: string) =>
    eventually(async () => (await line(word)) === answer, `${word} says ${answer}`)
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

  /** Every action that only the host can carry out, on all of the cluster and on the server. */
  const acts = () => {
    const server = `servers/127.0.0.1:${node.port}/actions`
    return [
      ...['provision', 'unprovision', 'apply'].map((action) => `services/actions/${action}`),
      ...['provision', 'unprovision', 'start', 'restart', 'apply-config'].map((action) => `${server}/${action}`),
    ].map((target) => `/api/clusters/shop/${target}`)
  }
  /** No action succeeds or begins a job, whether its end is waited for or not, and the plan says the same. */
  const expectNoSuccess = async (refusal: {
    readonly status: number
    readonly text: string
    readonly exit: number
  }) => {
    const jobs = async () => (await manager.get<{ servers: object }>('/api/clusters/shop/jobs')).servers
    // That of a configuration is raised by each archive that is built, too.
    const flags = () => ['prov', 'unprov', 'waitstart', 'restart'].filter(flag)
    const before = { jobs: await jobs(), flags: flags() }
    for (const target of acts()) {
      const plan = await manager.post(`${target}?plan=true`)
      expect([plan.status, JSON.parse(plan.body).possible], target).to.deep.equal([200, false])
      for (const query of ['', '?wait=false', '?force=true&wait=false']) {
        const { status, body } = await manager.post(`${target}${query}`)
        expect(status, `${target}${query} ${body}`).to.equal(refusal.status)
        expect(body).to.contain(refusal.text)
      }
    }
    const name = `127.0.0.1:${node.port}`
    for (const words of ['provision', 'apply', `provision ${name}`, `start ${name}`, `unprovision ${name} --yes`]) {
      const { status, stdout, stderr } = await client.run(...words.split(' '))
      expect([status, stdout], `${words}: ${stderr}`).to.deep.equal([refusal.exit, ''])
      expect(stderr).to.contain(refusal.text)
    }
    expect({ jobs: await jobs(), flags: flags() }).to.deep.equal(before)
  }

  it('are no success of an action while no host asks for them', async () => {
    // Only the manager's own flags are asked for by this story; the file that remembers it is taken away.
    rmSync(path.join(manager.dataDirectory, 'shop', `127.0.0.1_${node.port}`, '.polled'), { force: true })
    const text = 'nothing would act: its host has not asked for its needs'
    await expectNoSuccess({ status: 409, text, exit: 3 })
  })

  it('are no success of an action where only a person, the whole cluster, or a start has asked', async () => {
    const server = `servers/127.0.0.1/${node.port}`
    for (const word of ['need-restart', 'need-start', 'need-prov']) {
      const { ok } = await manager.session.call('GET', `/api/clusters/shop/${server}/${word}`)
      expect(ok, word).to.equal(true)
    }
    await line('need-rolling-restart')
    await ask('need-config-fetch')
    expect(existsSync(path.join(manager.dataDirectory, 'shop', `127.0.0.1_${node.port}`, '.polled'))).to.equal(false)
    await expectNoSuccess({ status: 409, text: 'nothing would act: its host has not asked for its needs', exit: 3 })
  })

  it('are no success of an action with an orchestrator that is not supported', async () => {
    await set('prov-orchestrator', 'kube')
    const text = 'services of the orchestrator kube cannot be acted on'
    await expectNoSuccess({ status: 501, text, exit: 3 })
    expect((await manager.post(`/api/clusters/shop/servers/127.0.0.1:${node.port}/actions/stop`)).status).to.equal(501)
    expect(await node.value('SELECT 1'), 'it runs').to.equal('1')
    await set('prov-orchestrator', 'onpremise')
  })

  it('are raised by an action once a host asks for them', async () => {
    expect(await ask('need-start')).to.equal('500 500 -No start needed!')
    const target = `/api/clusters/shop/servers/127.0.0.1:${node.port}/actions/start`
    await eventually(async () => (await manager.post(target)).status === 200, 'the flag is raised')
    const { servers } = await manager.get<Jobs>('/api/clusters/shop/jobs')
    const jobs = tasksOf({ servers })
    expect(jobs.find(({ task }) => task === 'start')?.result).to.equal(
      'left to the host: it acts when it asks for need-start',
    )
    expect(await ask('need-start')).to.equal('200 200 -Need start!')
  })

  it('are a restart and a configuration after a changed tag, the configuration reported once', async () => {
    await set('prov-db-tags', 'innodb,row')
    await becomes('need-restart', '200 200 -Need restart!')
    await allBecome('need-rolling-restart', '200 200 -Need rolling restart!')
    expect(await ask('need-reprov')).to.equal('503 503 -No reprov needed!')
    await becomes('need-config-change', '200 200 -Need config change!')
    // Each archive that is built raises it, that of the orchestrator before perhaps, too: it is settled by being asked for.
    await becomes('need-config-change', '500 500 -No config change needed!')
  })

  it('outlive a killed manager', async () => {
    await killManager()
    await becomes('need-restart', '200 200 -Need restart!')
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
    await allBecome('need-rolling-reprov', '200 200 -Need rolling reprov!')
    expect(await ask('need-restart')).to.equal('503 503 -No restart needed!')
  })

  it('say whether a start is to fetch, and keep it as a flag', async () => {
    expect(await ask('need-config-fetch')).to.equal('200 200 -Need config fetch!')
    await set('prov-db-start-fetch-config', 'false')
    await eventually(async () => flag('noconfigfetch'), 'the flag stands before a host asks')
    await killManager()
    await becomes('need-config-fetch', '500 500 -No config fetch needed!')
    await set('prov-db-start-fetch-config', 'true')
    await eventually(async () => !flag('noconfigfetch'), 'the flag is gone')
    await becomes('need-config-fetch', '200 200 -Need config fetch!')
  })
})
