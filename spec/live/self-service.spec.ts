// Self-service on this machine: an identity logs in at its provider, creates a cluster, writes a row, and gives all of it back.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import type { SelfServiceStatus } from '../../actors/protocol/manager/self-service.js'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import { newDirectory } from '../support/machine/directories.js'
import { MailSink } from '../support/machine/mail-sink.js'
import { type OidcProvider, startOidcProvider } from '../support/machine/oidc.js'
import { freePorts } from '../support/machine/ports.js'
import { ApiUser } from '../support/manager/api-user.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { eventually } from '../support/wait.js'

const ANN = 'ann@shop.example'
const C = '/api/clusters/ann-shop'
const CALLBACK = 'http://127.0.0.1:1/callback'

describe('self-service', () => {
  const mail = new MailSink()
  const gate = path.join(newDirectory('self-service'), 'gate')
  let provider: OidcProvider
  let manager: ManagerProcess
  let ann: ApiUser
  let port: number

  const status = () => ann.json<SelfServiceStatus>('/api/hosted/self-service')
  const create = (name: string) => ann.line(`/api/clusters/actions/add/${name}`, { method: 'POST' })
  const post = (target: string, body?: object) =>
    ann.line(target, { method: 'POST', ...(body === undefined ? {} : { body }) })

  /** By single sign-on, as a browser does. */
  const login = async (): Promise<ApiUser> => {
    const begun = await fetch(`http://127.0.0.1:${manager.httpPort}/api/auth/login`, { redirect: 'manual' })
    const back = await provider.follow(begun.headers.get('location') ?? '')
    const { token } = await new ApiUser(manager).json<{ token: string }>(`/api/auth/callback${back.search}`)
    return new ApiUser(manager, token)
  }

  before(async () => {
    await mail.open()
    provider = await startOidcProvider(() => ({ sub: 'u1', email: ANN, email_verified: true }), CALLBACK)
    writeFileSync(gate, '#!/bin/sh\n[ "$REPMAN_SPONSORED_CLUSTERS" = 0 ] || { echo "one is enough"; exit 1; }\n', {
      mode: 0o755,
    })
    const [database = 0] = await freePorts(1)
    port = database
    manager = await ManagerProcess.create({
      settings: {
        'api-credentials': `admin:spec-password,${ANN}:`,
        'api-oauth-provider-url': provider.url,
        'api-oauth-client-id': provider.clientId,
        'api-oauth-client-secret': provider.clientSecret,
        'api-oauth-redirect-url': CALLBACK,
        hosted: true,
        'hosted-self-service-clusters': true,
        'hosted-self-service-clusters-enabled-script': gate,
        'resource-manager-infra-cpu-cores': 8,
        'prov-orchestrator': 'local',
        'prov-db-dbu': 2,
        'prov-service-plan-apu': 1,
        'prov-db-memory': 128,
        'prov-db-tags': 'semisync,row,innodb,noquerycache,gtidstrict,linux,pkg',
        'mail-smtp-addr': `127.0.0.1:${mail.port}`,
        'mail-smtp-tls-skip-verify': true,
        'mail-to': 'ops@service.example',
        'mail-from': 'manager@service.example',
      },
      clusters: {},
    })
    manager.start()
    await manager.alive()
    ann = await login()
  })
  after(async () => {
    await manager?.post(`${C}/services/actions/unprovision?force=true`).catch(() => undefined)
    await manager?.destroy()
    await provider?.close()
    await mail.close()
  })

  it('shows an identity of single sign-on what it may create, and what of the pool is free', async () => {
    expect(await status()).to.deep.include({
      ...{ enabled: true, orchestrator: 'local', identity: ANN, used: 0, remaining: 3, clusters: [] },
      ...{ neededDbu: 4, neededApu: 1, poolOk: true },
    })
    expect((await status()).pool).to.include({ known: true, usableDbu: 8, plannedDbu: 0, freeDbu: 8 })
    expect(await ann.json<readonly unknown[]>('/api/clusters')).to.deep.equal([])
  })

  it('creates a cluster, and notifies the operator by log and mail', async () => {
    expect(await create('ann-shop')).to.match(/^200 /)
    expect(await status()).to.deep.include({ enabled: false, used: 1, clusters: ['ann-shop'], reason: 'one is enough' })
    await eventually(async () => {
      const { status: answered, text } = await ann.ask(`${C}/topology/logs`)
      return answered === 200 && /WARN - [^"]*in self-service by ann@shop\.example/.test(text)
    }, 'the log of the cluster has the creation')
    await eventually(() => mail.mails.some(({ to }) => to.includes('ops@service.example')), 'the operator has a mail')
    const security = readFileSync(path.join(manager.dataDirectory, 'security.log'), 'utf8')
    expect(security).to.include('hosted_self_service_cluster')
  })

  it('gives the sponsor that cluster alone: no other, no other plan, no users, no machine', async () => {
    expect(await create('ann-lab')).to.equal('403 one is enough')
    const set = (name: string, value: string) => post(`${C}/settings/actions/set/${name}`, { value })
    for (const [name, value] of [
      ['prov-db-dbu', '0'],
      ['prov-db-memory', '100000'],
      ['prov-orchestrator', 'onpremise'],
      ['hosted-self-service-sponsor', ''],
      ['api-credentials-acl-allow-external', ''],
    ] as const)
      expect(await set(name, value), name).to.match(/^403 /)
    const form = { username: 'eve', password: 'x', roles: '', grants: 'show' }
    expect(await post(`${C}/users/add`, form)).to.match(/^403 /)
    expect(await post('/api/clusters/settings/actions/set/hosted-self-service-max-clusters-per-user/9')).to.match(
      /^403 /,
    )
    expect(await ann.line('/api/global/price')).to.match(/^403 /)
    expect(await post(`${C}/users/send-credentials`, { username: 'admin', type: 'db' })).to.match(/^403 /)
  })

  it('provisions its database, and lets the sponsor in by what is mailed to it: a row is written', async () => {
    expect(await post(`${C}/actions/addserver/127.0.0.1/${port}`)).to.match(/^200 /)
    expect(await post(`${C}/services/actions/provision`)).to.match(/^200/)
    expect(await post(`${C}/users/send-credentials`, { username: ANN, type: 'db' })).to.match(/^200/)
    const received = mail.mails.find(({ to }) => to.includes(ANN))
    const token = /token=(once_[\w-]+)/.exec(received?.text ?? '')?.[1]
    const account = await new ApiUser(manager).json<{ user: string; password: string }>('/api/one-time-credentials', {
      body: { token },
    })
    const session = unwrap(await openSession({ host: '127.0.0.1', port, ...account, connectTimeoutMs: 60_000 }))
    for (const sql of ['CREATE DATABASE shop', 'CREATE TABLE shop.carts (id INT PRIMARY KEY)'])
      unwrap(await session.run(sql, [], 60_000))
    unwrap(await session.run('INSERT INTO shop.carts VALUES (1)', [], 60_000))
    const [rows = []] = unwrap(await session.run('SELECT id FROM shop.carts', [], 60_000))
    session.close()
    expect(rows.map(({ id }) => Number(id))).to.deep.equal([1])
  })

  it('drops the cluster with its database, and gives the place back', async () => {
    expect(await ann.line('/api/clusters/actions/delete/ann-shop', { method: 'DELETE' })).to.match(/^200/)
    const refused = await openSession({ host: '127.0.0.1', port, user: 'x', password: 'x', connectTimeoutMs: 60_000 })
    expect(refused).to.nested.include({ ok: false, 'failure.code': 'sql-refused' })
    expect(await status()).to.deep.include({ enabled: true, used: 0, remaining: 3, clusters: [] })
    expect(await create('ann-shop'), 'what the earlier cluster left stays its own').to.match(/^409 .*earlier cluster/)
    expect(await create('ann-lab')).to.match(/^200 /)
    expect(await ann.line('/api/clusters/actions/delete/ann-lab', { method: 'DELETE' })).to.match(/^200/)
    expect((await status()).used).to.equal(0)
  })
})
