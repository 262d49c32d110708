// The threat model walked, second half: strangers, users without grants, web pages, and one user against the others.
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import { expect } from 'chai'
import { defaultLimits } from '../../http/gateway/kit/options.js'
import { CarbonSink } from '../support/machine/carbon-sink.js'
import { ApiUser } from '../support/manager/api-user.js'
import type { ManagerProcess } from '../support/manager/manager-process.js'
import { startOwnedClusters } from '../support/manager/owned-clusters.js'
import { eventually } from '../support/wait.js'

const LAB = '/api/clusters/lab'
/** So many slow answers a user may wait for at once. */
const SHARE = defaultLimits.slowEach

describe('Strangers and users', () => {
  let manager: ManagerProcess
  let guest: ApiUser
  let owner: ApiUser
  let admin: ApiUser
  const login = (address: string, username: string, password: string) =>
    new ApiUser(manager).ask('/api/login', {
      body: { username, password },
      headers: { 'x-forwarded-for': address },
    })

  before(async () => {
    manager = await startOwnedClusters({ nodes: [] }, { 'api-trusted-proxies': '127.0.0.0/8,::1' })
    guest = await ApiUser.login(manager, 'guest', 'guest-password')
    owner = await ApiUser.login(manager, 'eve', 'eve-password')
    admin = await ApiUser.login(manager, 'admin', 'spec-password')
  })
  after(() => manager?.destroy())

  it('without a grant read nothing of the machine and its settings', async () => {
    const shown = await guest.json<Readonly<Record<string, unknown>>>('/api/monitor')
    expect(shown).to.deep.include({ config: {}, hostname: '', clusters: [], findings: [], servicePlans: [] })
    expect(shown.osUser).to.deep.include({ username: '', homeDir: '' })
    expect(JSON.stringify(shown)).to.not.include(manager.directory)
    expect(JSON.stringify(await owner.json('/api/monitor'))).to.include(manager.dataDirectory)
  })

  it('get no echo of what they sent', async () => {
    for (const target of ['/api/status', '/api/monitor', '/api/clusters/lab/is-master'])
      expect(await trace(target)).to.deep.equal([405, ''])
  })

  it('are read by no web page: not what is public, not archives, not tokens', async () => {
    const origin = { origin: 'https://evil.example.com' }
    for (const target of [
      '/api/status',
      `${LAB}/servers/127.0.0.1/1/config`,
      '/api/autologin',
      '/api/dashboard-token',
    ]) {
      const { headers } = await new ApiUser(manager).ask(target, { headers: origin })
      expect(headers.get('access-control-allow-origin'), target).to.equal(null)
    }
  })

  it('name clusters and servers that exist as names only', async () => {
    for (const name of ['__proto__', 'CON', 'constructor', 'prototype', 'default.toml'])
      expect(await admin.line(`/api/clusters/actions/add/${name}`, { method: 'POST' }), name).to.match(/^400 /)
    for (const host of [
      ...['127.0.0.1%3A99999', '300.1.1.1', '-oProxyCommand=id', `${'x'.repeat(70)}`],
      ...['__proto__', 'constructor', 'CON'],
    ])
      expect(await owner.line(`${LAB}/actions/addserver/${host}/3306`, { method: 'POST' }), host).to.match(/^400 /)
    expect(
      await owner.line(`${LAB}/settings/actions/set/db-servers-hosts`, { body: { value: '127.0.0.1:99999' } }),
    ).to.match(/^400 .*is not a host/)
  })

  it('of one cluster reload that cluster alone, and nothing of what the files say of others', async () => {
    const limits = () =>
      Promise.all(
        ['lab', 'shop'].map(async (cluster) => {
          const target = `/api/clusters/${cluster}/settings?detail=true&name=failover-limit`
          const all = await admin.json<readonly { name: string; value: unknown }[]>(target)
          return all.find(({ name }) => name === 'failover-limit')?.value
        }),
      )
    const text = readFileSync(manager.configFile, 'utf8')
    writeFileSync(manager.configFile, text.replace(/^\[(lab|shop)\]$/gm, '$&\nfailover-limit = 9'))
    expect(await owner.line(`${LAB}/settings/actions/reload`, { method: 'POST' })).to.equal('200 ')
    expect(await limits(), 'after the owner').to.deep.equal([9, 5])
    expect(await admin.line(`${LAB}/settings/actions/reload`, { method: 'POST' })).to.equal('200 ')
    expect(await limits(), 'after the administrator').to.deep.equal([9, 9])
  })

  it('of api-credentials get their password there, and nowhere else without effect', async () => {
    const user = (password: string) => ({ body: { username: 'guest', password, roles: '', grants: 'show' } })
    expect(await admin.line(`${LAB}/users/add`, user(''))).to.equal('200 ')
    expect(await admin.line(`${LAB}/users/update`, user('another-password'))).to.match(
      /^409 .*in api-credentials: change it there/,
    )
    expect(await admin.line(`${LAB}/users/drop`, { body: { username: 'guest' } })).to.equal('200 ')
  })

  it('are warned of where every address counts as a proxy', async () => {
    const set = (value: string) =>
      admin.line('/api/clusters/settings/actions/set/api-trusted-proxies', { body: { value } })
    const codes = async () =>
      (await admin.json<{ findings: readonly { code: string }[] }>('/api/monitor')).findings.map(({ code }) => code)
    expect(await codes()).to.not.include('WARN0253')
    expect(await set('0.0.0.0/1,128.0.0.0/1')).to.match(/^200 /)
    expect(await codes()).to.include('WARN0253')
    expect(await set('127.0.0.0/8,::1')).to.match(/^200 /)
    expect(await codes()).to.not.include('WARN0253')
  })

  it('lock no other user out by guessing, also through a proxy', async () => {
    for (let guess = 0; guess < 36; guess += 1) await login('192.0.2.1', 'admin', `wrong-${guess}`)
    expect((await login('192.0.2.1', 'admin', 'spec-password')).status, 'who guessed').to.equal(429)
    expect((await login('192.0.2.2', 'admin', 'spec-password')).status, 'another client').to.equal(200)
    for (let guess = 0; guess < 12; guess += 1) await login('192.0.2.3', `user-${guess}`, 'wrong')
    expect((await login('192.0.2.3', 'eve', 'eve-password')).status, 'from the address of a guesser').to.equal(200)
    expect(await ApiUser.login(manager, 'admin', 'spec-password'), 'on the machine').to.be.an('object')
  })

  it('wait for a share of the slow answers at most, and leave the rest to others', async () => {
    const gone = new AbortController()
    const slow = (user: ApiUser) => user.ask(`${LAB}/actions/waitdatabases?seconds=60`, { signal: gone.signal })
    // One more than its share: whichever comes last is refused, and the others wait for a minute.
    const asked = Array.from({ length: SHARE + 1 }, () => slow(owner))
    const ended = Promise.allSettled(asked)
    expect((await Promise.race(asked)).status, 'the first answer').to.equal(503)
    const other = await admin.ask(`${LAB}/actions/waitdatabases?seconds=1`)
    expect(other.status).to.equal(500)
    gone.abort()
    await ended
  })

  it('stop nothing with a list of patterns, now and after a restart', async () => {
    const sink = new CarbonSink()
    await sink.open()
    try {
      const list = { whitelist: '((\\w+))+!\n(a+)+$\n(\\w*)*(x+x+)+y\nuptime$\n' }
      expect(await admin.line(`${LAB}/settings/actions/set-graphite-filterlist/whitelist`, { body: list })).to.match(
        /^200/,
      )
      await admin.line(`/api/clusters/settings/actions/set/graphite-carbon-port/${sink.port}`, { method: 'POST' })
      await admin.line('/api/clusters/settings/actions/switch/graphite-metrics/on', { method: 'POST' })
      await admin.line(`${LAB}/settings/actions/reload-graphite-filterlist`, { method: 'POST' })
      expect(await admin.line('/api/status')).to.match(/^200 /)
      expect(readFileSync(path.join(manager.dataDirectory, 'lab/whitelist.conf'), 'utf8')).to.equal(list.whitelist)
      await manager.end('SIGKILL')
      manager.start()
      await manager.alive()
      await eventually(async () => (await new ApiUser(manager).ask('/api/status')).status === 200, 'it answers')
    } finally {
      await sink.close()
    }
  })

  const trace = (target: string) =>
    new Promise<readonly [number | undefined, string]>((resolve, reject) => {
      const sent = request({ port: manager.httpPort, path: target, method: 'TRACE' }, (reply) => {
        let text = ''
        reply.on('data', (chunk) => {
          text += chunk
        })
        reply.on('end', () => resolve([reply.statusCode, text]))
      })
      sent.on('error', reject)
      sent.end()
    })
})
