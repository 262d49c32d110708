// The registration of a real manager at a hosted service: typed at a terminal, the manager killed while it waits.
import path from 'node:path'
import { expect } from 'chai'
import { generateKeyFile } from '../../lib/settings/index.js'
import { HostedService } from '../support/hosted/hosted-service.js'
import { Client } from '../support/http/client.js'
import { newDirectory } from '../support/machine/directories.js'
import { textsBelow } from '../support/machine/texts-below.js'
import { WebSink } from '../support/machine/web-sink.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { eventually } from '../support/wait.js'

const EMAIL = 'dba@acme.example'
const URI = 'acme.paris.a'
const PASSWORD = 'of-the-git-host-4711'

interface Status {
  readonly state: string
  readonly message: string
  readonly result?: { readonly plan?: string }
}

describe('the registration of a manager', () => {
  const service = new HostedService()
  const web = new WebSink()
  let manager: ManagerProcess
  let client: Client
  /** What the terminal has shown. */
  let shown = ''

  const status = () => manager.get<Status>('/api/register/status')
  const account = { email: EMAIL, password: PASSWORD, uri: URI }
  const settings = async () => {
    const list = await manager.get<{ name: string; value: unknown }[]>('/api/settings')
    return Object.fromEntries(list.map(({ name, value }) => [name, value]))
  }

  before(async () => {
    await Promise.all([service.open(), web.open()])
    const key = path.join(newDirectory('registration-key'), 'key')
    await generateKeyFile(key)
    manager = await ManagerProcess.create({
      settings: {
        'monitoring-key-path': key,
        'hosted-crm-api-url': service.url,
        'hosted-alert-slack-url': web.url('/hosted'),
      },
      clusters: { shop: { 'db-servers-hosts': '127.0.0.1:1', 'db-servers-credential': 'root:none' } },
    })
    manager.start()
    await manager.alive()
    client = new Client({ port: manager.apiPort, user: 'admin', ...passwordOf(manager) })
  })
  after(async () => {
    await manager?.destroy()
    await Promise.all([service.close(), web.close()])
  })

  it('asks nothing of the service before someone asks for it, and is for administrators', async () => {
    expect((await status()).state).to.equal('idle')
    expect(service.requests).to.deep.equal([])
    const refused = await fetch(`http://127.0.0.1:${manager.httpPort}/api/register`, { method: 'POST' })
    expect(refused.status).to.equal(401)
    expect(await manager.post('/api/register', { ...account, uri: 'Acme' })).to.include({ status: 400 })
    expect(await manager.post('/api/register', { ...account, password: 'short' })).to.include({ status: 400 })
    expect(await manager.post('/api/register/confirm', account)).to.include({ status: 404 })
  })

  it('begins at a terminal with a password that is not shown', async () => {
    const running = client.startOnTerminal('register', '--email', EMAIL, '--uri', URI)
    await running.said('at the git host: ')
    running.child.stdin?.write(`${PASSWORD}\r`)
    await running.said('Open the link in the mail')
    shown = running.heard()
    running.child.kill('SIGKILL')
    expect((await status()).state).to.equal('pending')
    expect(await manager.post('/api/register', account)).to.include({ status: 409 })
    expect(await manager.post('/api/register/confirm', account)).to.include({ status: 400 })
  })

  it('goes on after the manager was killed while it waited, and connects without a restart', async () => {
    await manager.end('SIGKILL')
    service.confirmMail(EMAIL)
    manager.start()
    await manager.alive()
    await eventually(
      async () => /connected\.$/.test((await status()).message),
      () => `a connection\n${manager.log().slice(-4_000)}`,
    )
    expect([service.projects.size, service.count('POST /api/register')]).to.deep.equal([2, 1])
    expect(await settings()).to.include({
      ...{ hosted: true, 'hosted-domain': 'acme', 'hosted-sub-domain': 'paris', 'hosted-sub-domain-zone': 'a' },
      ...{ 'hosted-gitlab-user': EMAIL, 'hosted-gitlab-password': '*:*' },
    })
    expect(await manager.post('/api/register/confirm', account)).to.include({ status: 409 })
  })

  it('forwards alerts as soon as the plan does', async () => {
    expect(await manager.post('/api/clusters/shop/alerts/test/hosted')).to.include({ status: 400 })
    expect(await client.json('subscription', 'choose', URI, 'support')).to.deep.equal({ uri: URI, plan: 'support' })
    await eventually(
      async () => (await manager.post('/api/clusters/shop/alerts/test/hosted')).status === 200,
      () => `a test that arrives\n${manager.log().slice(-4_000)}`,
    )
    expect(web.bodies<{ text: string }>('/hosted')[0]?.text).to.include('(acme.paris.a)')
  })

  it('answers 502 while the service is away, and unregisters when it is back', async () => {
    service.faults.set('POST /api/unregister', 'gone')
    expect(await manager.post('/api/register/unregister', { uri: URI })).to.include({ status: 502 })
    expect((await settings()).hosted).to.equal(true)
    service.faults.clear()
    expect(await manager.post('/api/register/unregister', { uri: URI })).to.include({ status: 200 })
    expect(await settings()).to.include({ hosted: false, 'hosted-domain': '', 'hosted-gitlab-user': '' })
    expect([(await status()).state, service.projects.size]).to.deep.equal(['idle', 0])
  })

  it('has the password in no file, no line and no answer', async () => {
    const files = [...textsBelow(manager.directory)].filter(([, text]) => text.includes(PASSWORD))
    expect(files.map(([file]) => file)).to.deep.equal([])
    expect(`${shown}${JSON.stringify(await status())}`).not.to.include(PASSWORD)
  })
})

const passwordOf = (manager: ManagerProcess) => ({ password: manager.clientEnvironment().MANAGER_PASSWORD ?? '' })
