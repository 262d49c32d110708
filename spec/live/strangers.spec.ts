// The threat model walked, second half: strangers, users without grants, web pages, and one user against the others.
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import path from 'node:path'
import { expect } from 'chai'
import { sharedBounds } from '../../lib/access/bound/index.js'
import { CarbonSink } from '../support/machine/carbon-sink.js'
import { ApiUser } from '../support/manager/api-user.js'
import type { ManagerProcess } from '../support/manager/manager-process.js'
import { startOwnedClusters } from '../support/manager/owned-clusters.js'
import { eventually } from '../support/wait.js'

const LAB = '/api/clusters/lab'
/** So many slow answers a user may wait for at once. */
const SHARE = sharedBounds.slowAnswers.perUser

/** More than all logins that may wait at once. */
const CROWD = sharedBounds.logins.total + 44

describe('Strangers and users', () => {
  let manager: ManagerProcess
  let guest: ApiUser
  let owner: ApiUser
  let admin: ApiUser
  /** Owns the other cluster. */
  let operator: ApiUser
  /** Users of the owner of one cluster. */
  const users = ['eve', ...['ann', 'bob', 'cal', 'dan', 'eli'].map((name) => `lab-${name}`)]
  const login = (address: string, username: string, password: string) =>
    new ApiUser(manager).ask('/api/login', {
      body: { username, password },
      headers: { 'x-forwarded-for': address },
    })

  before(async () => {
    manager = await startOwnedClusters(
      { nodes: [] },
      {
        'api-trusted-proxies': '127.0.0.0/8,::1',
        'api-credentials': 'admin:spec-password,eve:eve-password,ops:ops-password,guest:guest-password',
        'api-credentials-acl-allow':
          'admin:cluster db proxy prov global grant show token,eve:cluster db proxy prov grant show:lab,ops:cluster show:shop',
      },
    )
    guest = await ApiUser.login(manager, 'guest', 'guest-password')
    owner = await ApiUser.login(manager, 'eve', 'eve-password')
    admin = await ApiUser.login(manager, 'admin', 'spec-password')
    operator = await ApiUser.login(manager, 'ops', 'ops-password')
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
    const nothing = { ok: true, faults: [], warnings: [], recognised: [] }
    expect(await owner.line(`${LAB}/settings/actions/reload`, { method: 'POST' })).to.equal(
      `200 ${JSON.stringify(nothing)}`,
    )
    expect(await limits(), 'after the owner').to.deep.equal([9, 5])
    expect(await admin.line(`${LAB}/settings/actions/reload`, { method: 'POST' })).to.equal(
      `200 ${JSON.stringify(nothing)}`,
    )
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

  it('of one cluster, which their owner makes at will, take no silence that others need', async () => {
    for (const username of users.slice(1)) {
      const form = { username, password: 'eve-password', grants: 'cluster-alert show', roles: '' }
      expect(await owner.line(`${LAB}/users/add`, { body: form }), username).to.match(/^200 /)
    }
    const crowd = await Promise.all(users.map((name) => ApiUser.login(manager, name, 'eve-password')))
    const silence = (user: ApiUser, place: string) =>
      user.line(`${place}/silences`, { body: { reason: 'maintenance', for: '1h' } })
    const refused = await Promise.all(crowd.map((user) => firstRefusal(() => silence(user, LAB), 501)))
    expect(await silence(operator, '/api/clusters/shop'), 'another cluster').to.match(/^200 /)
    expect(await silence(admin, LAB), 'an administrator on the same cluster').to.match(/^200 /)
    const { perCluster } = sharedBounds.silences
    const why = new RegExp(
      `^409 silences: lab has all ${perCluster} of one cluster, most by (eve|lab-\\w+) \\(\\d+\\); end some`,
    )
    expect(refused[0], 'an owner, who may list the users').to.match(why)
    expect(refused[1], 'a user who may not').to.match(
      /^409 silences: lab has all \d+ of one cluster, \d+ of them by lab-ann; /,
    )
    // One that has ended makes room.
    const [first] = await owner.json<readonly { id: string }[]>(`${LAB}/silences`)
    expect(await owner.line(`${LAB}/silences/${first?.id}`, { method: 'DELETE' })).to.match(/^200 /)
    const answers = await Promise.all(crowd.map((user) => silence(user, LAB)))
    expect(answers.filter((line) => line.startsWith('200 '))).to.have.length(1)
  })

  it('of one cluster log in at will, and no login of others is refused', async () => {
    const kept = new Agent({ keepAlive: true, maxSockets: CROWD })
    const status = (username: string, password: string, agent?: Agent) =>
      new Promise<number>((resolve, reject) => {
        const headers = { 'content-type': 'application/json' }
        const place = { port: manager.httpPort, path: '/api/login', method: 'POST', headers, ...(agent && { agent }) }
        const sent = request(place, (reply) => void reply.resume().once('end', () => resolve(reply.statusCode ?? 0)))
        sent.on('error', reject)
        sent.end(JSON.stringify({ username, password }))
      })
    let [isOver, begun] = [false, 0]
    /** Each of them asks again as soon as it is answered. */
    const crowd = Array.from({ length: CROWD }, async (_, index) => {
      const seen: number[] = []
      do {
        seen.push(await status(users[index % users.length] ?? '', 'eve-password', kept))
        if (seen.length === 1) begun += 1
      } while (!isOver)
      return seen
    })
    const others: number[] = []
    try {
      await eventually(
        () => begun === CROWD,
        () => `${begun} of the crowd are answered`,
      )
      for (let turn = 0; turn < 3; turn += 1)
        others.push(await status('ops', 'ops-password'), await status('admin', 'spec-password'))
    } finally {
      isOver = true
    }
    const answers = (await Promise.all(crowd)).flat()
    kept.destroy()
    expect(others, 'of another cluster, and of an administrator').to.deep.equal(others.map(() => 200))
    expect([...new Set(answers)].sort(), 'of the crowd, within its share and beyond').to.deep.equal([200, 503])
  })

  it('of one cluster take no event stream that others need', async () => {
    const tokens = await Promise.all(users.map((name) => tokenOf(name, 'eve-password')))
    const open: IncomingMessage[] = []
    try {
      for (const token of tokens)
        for (let count = 0; count < 201; count += 50) {
          const batch = await Promise.all(Array.from({ length: 50 }, () => openStream('/api/fleet/events', token)))
          open.push(...batch)
          if (batch.some(({ statusCode }) => statusCode !== 200)) break
        }
      for (const [name, password] of [
        ['admin', 'spec-password'],
        ['ops', 'ops-password'],
        ['guest', 'guest-password'],
      ] as const) {
        const stream = await openStream('/api/fleet/events', await tokenOf(name, password))
        open.push(stream)
        expect(stream.statusCode, `a stream of ${name}`).to.equal(200)
      }
      const taken = open.filter(({ statusCode }) => statusCode === 200)
      expect(taken).to.have.length(sharedBounds.eventStreams.perCluster + 3)
    } finally {
      for (const stream of open) stream.destroy()
    }
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

  /** What the first answer says that is no success; empty when so many were answered well. */
  const firstRefusal = async (ask: () => Promise<string>, most: number): Promise<string> => {
    for (let count = 0; count < most; count += 1) {
      const line = await ask()
      if (!line.startsWith('200 ')) return line
    }
    return ''
  }

  const tokenOf = async (username: string, password: string): Promise<string> => {
    const { text } = await login('127.0.0.1', username, password)
    return (JSON.parse(text) as { token: string }).token
  }

  /** The head of the reply: the stream stays open. */
  const openStream = (target: string, token: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` }
      const sent = request({ port: manager.httpPort, path: target, agent: false, headers }, (reply) => {
        reply.on('error', () => {})
        reply.resume()
        resolve(reply)
      })
      sent.on('error', reject)
      sent.end()
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
