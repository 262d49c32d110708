// Users and API tokens of a running manager: added, changed, mailed, dropped, kept over restarts, and all of it logged.
import { readFile, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { SMTPServer } from 'smtp-server'
import { send } from '../support/http/test-gateway.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { eventually, next } from '../support/wait.js'

const C = '/api/clusters/shop'

describe('Users of a cluster', () => {
  const mails: string[] = []
  let sink: SMTPServer
  let manager: ManagerProcess

  before(async () => {
    sink = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData: (stream, _session, done) => {
        let text = ''
        stream.on('data', (chunk) => {
          text += chunk
        })
        stream.on('end', () => {
          mails.push(text)
          done()
        })
      },
    })
    sink.listen(0, '127.0.0.1')
    await next(sink.server, 'listening', 'the server listens')
    const { port } = sink.server.address() as AddressInfo
    manager = await ManagerProcess.create({
      settings: { 'mail-smtp-addr': `127.0.0.1:${port}`, 'mail-from': 'manager@example.com' },
      clusters: {
        shop: { 'db-servers-hosts': '127.0.0.1:1' },
        lab: { 'db-servers-hosts': '127.0.0.1:2', 'mail-to': 'dba@example.com' },
      },
    })
    manager.start()
    await manager.alive()
  })
  after(async () => {
    sink?.close()
    await manager?.destroy()
  })

  const login = async (username: string, password: string) => {
    const body = JSON.stringify({ username, password })
    const headers = { 'Content-Type': 'application/json' }
    const answer = await send('/api/login', { port: manager.apiPort, method: 'POST', headers, body })
    return answer.status === 200 ? (JSON.parse(answer.body).token as string) : undefined
  }
  const read = async (token: string | undefined, target: string, method = 'GET') =>
    send(target, { port: manager.apiPort, method, headers: { Authorization: `Bearer ${token}` } })
  /** Of a mail in quoted-printable text. */
  const tokenIn = (mail = '') => /token=(once_[\w-]+)/.exec(mail.replace(/=\r?\n/g, '').replaceAll('=3D', '='))?.[1]
  const redeemed = async (token: string | undefined) => {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ token })
    const answer = await send('/api/one-time-credentials', { port: manager.apiPort, method: 'POST', headers, body })
    return `${answer.status} ${answer.body.trim()}`
  }
  const ann = { username: 'ann@example.com', password: 'first-password', roles: '', grants: 'show db-show' }

  const securityLog = () => path.join(manager.dataDirectory, 'security.log')
  /** Of the security log; a line that is written at this moment is not counted. */
  const events = async () =>
    (await readFile(securityLog(), 'utf8'))
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).event as string)
  const logged = (event: string) =>
    eventually(async () => (await events()).includes(event), `${event} is in the security log`)

  it('come with exactly their grants, and may make tokens of them', async () => {
    expect(await manager.post(`${C}/users/add`, ann)).to.include({ status: 200, body: '' })
    const token = await login(ann.username, ann.password)
    expect((await read(token, `${C}/topology/servers`)).status).to.equal(200)
    expect((await read(token, '/api/clusters/lab')).status).to.equal(403)
    expect((await read(token, `${C}/actions/failover`, 'POST')).status).to.equal(403)
    expect(JSON.parse((await read(token, '/api/clusters')).body)).to.have.length(1)
  })

  it('are listed with what they may do, and where they come from, and no password', async () => {
    const { status, body } = await read(await login('admin', 'spec-password'), `${C}/users`)
    expect(status).to.equal(200)
    const users = JSON.parse(body) as readonly { readonly user: string; readonly grants: readonly string[] }[]
    expect(users.map(({ user }) => user)).to.deep.equal(['admin', ann.username])
    expect(users[0]).to.include({ access: 'cluster db proxy prov global grant show', added: false, signOn: false })
    expect(users[1]).to.include({ access: 'show db-show', added: true, signOn: false })
    expect(users[1]?.grants).to.include.members(['show', 'db-show-process']).and.not.include('db-start')
    expect(body).to.not.match(/(first|spec)-password/)
    expect((await read(await login(ann.username, ann.password), `${C}/users`)).status).to.equal(403)
  })

  it('are not added twice, and by no user that holds less', async () => {
    const twice = await manager.post(`${C}/users/add`, ann)
    expect([twice.status, JSON.parse(twice.body).code]).to.deep.equal([500, 'user-exists'])
    expect(await manager.post(`${C}/users/add`, { ...ann, username: 'x', grants: 'sales' })).to.include({ status: 403 })
    expect(await manager.post(`${C}/users/add`, { ...ann, username: 'x', grants: 'nonsense' })).to.include({
      status: 400,
    })
  })

  it('get their account by mail: it sets another password, and shows none', async () => {
    expect(await manager.post(`${C}/users/send-credentials`, { username: ann.username, type: 'sys' })).to.include({
      status: 200,
    })
    expect(mails).to.have.length(1)
    expect(mails[0]).to.include(`To: ${ann.username}`)
    expect(mails[0]).to.not.include(ann.password)
    const token = tokenIn(mails[0])
    const answer = await redeemed(token)
    expect(answer)
      .to.match(/^200 \{"user":"ann@example\.com","password":"[\w-]{32}"\}$/)
      .and.not.include(ann.password)
    expect(await login(ann.username, ann.password)).to.equal(undefined)
    expect(await login(ann.username, JSON.parse(answer.slice('200 '.length)).password)).to.be.a('string')
    expect(await redeemed(token), 'once').to.match(/^404 /)
    expect(await redeemed('once_guessed')).to.match(/^404 /)
    const unknown = await manager.post(`${C}/users/send-credentials`, { username: 'nobody' })
    expect([unknown.status, JSON.parse(unknown.body).code]).to.deep.equal([500, 'unknown-user'])
    expect(await manager.post(`${C}/users/update`, ann)).to.include({ status: 200 })
  })

  it('are logged out by another password', async () => {
    const token = await login(ann.username, ann.password)
    const change = { ...ann, password: 'second-password', grants: 'show' }
    expect(await manager.post(`${C}/users/update`, change)).to.include({ status: 200 })
    expect((await read(token, '/api/clusters')).status).to.equal(401)
    expect(await login(ann.username, ann.password)).to.equal(undefined)
    expect(await login(ann.username, 'second-password')).to.be.a('string')
  })

  it('survive a restart with their API tokens, until they are dropped', async () => {
    const session = await login(ann.username, 'second-password')
    const made = await send('/api/tokens', {
      port: manager.apiPort,
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${session}` },
      body: JSON.stringify({ label: 'report' }),
    })
    const { token } = JSON.parse(made.body)
    // Its lines are written in the background.
    await logged('api_token_created')
    await manager.end('SIGKILL')
    manager.start()
    await manager.alive()
    expect((await read(session, '/api/clusters')).status).to.equal(401)
    expect((await read(token, `${C}/topology/servers`)).status).to.equal(200)
    expect(await login(ann.username, 'second-password')).to.be.a('string')

    expect(await manager.post(`${C}/users/drop`, { username: ann.username })).to.include({ status: 200 })
    expect((await read(token, '/api/clusters')).status).to.equal(401)
    expect(await login(ann.username, 'second-password')).to.equal(undefined)
    const again = await manager.post(`${C}/users/drop`, { username: ann.username })
    expect([again.status, JSON.parse(again.body).code]).to.deep.equal([500, 'unknown-user'])

    const namesake = { ...ann, password: 'third-password' }
    expect(await manager.post(`${C}/users/add`, namesake)).to.include({ status: 200 })
    expect(await login(ann.username, 'third-password')).to.be.a('string')
    expect((await read(token, '/api/clusters')).status).to.equal(401)
    expect(await manager.post(`${C}/users/drop`, { username: ann.username })).to.include({ status: 200 })
  })

  it('find no traffic and no end of waiting where no database answers', async () => {
    const token = await login('admin', 'spec-password')
    const line = async (word: string) => {
      const { status, body } = await read(token, `${C}/actions/${word}`, 'POST')
      return `${status} ${body.trim()}`
    }
    expect(await line('start-traffic')).to.equal('500 shop has no master to write on')
    expect(await line('waitdatabases?seconds=1')).to.match(/^500 not within 1 s: .*there is no primary/)
  })

  it("are mailed the vault's token where the files name them in mail-to, and only there", async () => {
    const token = await login('admin', 'spec-password')
    const send = async (cluster: string) => {
      const { status, body } = await read(token, `/api/clusters/${cluster}/send-vault-token`, 'POST')
      return `${status} ${body.trim()}`
    }
    const set = async (name: string, value: string, cluster = 'lab') =>
      expect(await manager.post(`/api/clusters/${cluster}/settings/actions/set/${name}`, { value })).to.have.property(
        'status',
        200,
      )
    expect(await send('shop')).to.equal('404 mail-to is empty: there is no recipient')
    await set('mail-to', 'other@example.com', 'shop')
    expect(await send('shop')).to.match(/^409 mail-to of shop was set at run time/)
    expect(await send('lab')).to.equal('404 no vault is configured: vault-server-addr is empty')
    await set('vault-server-addr', 'https://vault.example.com:8200')
    await set('vault-token', 'hvs.kept-apart')
    expect(await send('lab')).to.equal('200 ')
    const mail = mails.at(-1)
    expect(mail)
      .to.match(/^To: dba@example\.com/m)
      .and.not.match(/hvs\./)
    expect(await redeemed(tokenIn(mail))).to.include('hvs.kept-apart')
  })

  it('leave everything that was done in the security log, and no secret', async () => {
    const file = securityLog()
    const expected = [
      'user-added',
      'credentials-sent',
      'user-updated',
      'user-dropped',
      'api_token_created',
      'vault-token-sent',
    ]
    await logged('vault-token-sent')
    expect(await events()).to.include.members([...expected, 'login', 'login-failed', 'refused', 'action'])
    expect(await readFile(file, 'utf8')).to.not.match(/(first|second|third)-password|spec-password|mat_|hvs\./)
    expect((await stat(file)).mode & 0o777).to.equal(0o600)
  })
})
