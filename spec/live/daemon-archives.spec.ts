// What hosts download before they start: the archive of every configured server, by every name, from a running daemon.
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { extract } from 'tar'
import { packageRoot } from '../../lib/base/package-root.js'
import { newDirectory } from '../support/machine/directories.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { eventually } from '../support/wait.js'

const run = promisify(execFile)

interface Server {
  readonly id: string
  readonly name: string
  readonly host: string
  readonly port: string
}

describe('the configuration archives', () => {
  let manager: ManagerProcess
  let servers: readonly Server[]

  const get = (target: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${manager.httpPort}${target}`, { headers })
  const status = async (target: string): Promise<string> => {
    const reply = await get(target)
    return `${reply.status} ${await reply.text()}`
  }
  const config = ({ host, port }: Server): string => `/api/clusters/shop/servers/${host}/${port}/config`
  const set = async (name: string, value: string): Promise<void> => {
    const { status, body } = await manager.post(`/api/clusters/shop/settings/actions/set/${name}/${value}`)
    expect(status, body).to.equal(200)
  }
  const first = (): Server => {
    const [server] = servers
    if (!server) throw new Error('there is no server')
    return server
  }

  const codes = async (): Promise<readonly string[]> => {
    type Alerts = { errors: { number: string }[]; warnings: { number: string }[] }
    const { errors, warnings } = await manager.get<Alerts>('/api/clusters/shop/topology/alerts')
    return [...errors, ...warnings].map(({ number }) => number)
  }

  before(async () => {
    manager = await ManagerProcess.create({
      settings: { 'api-credentials': 'admin:spec-password,guest:guest-password' },
      clusters: { shop: { 'db-servers-hosts': '127.0.0.1:1,127.0.0.1:2,localhost:3' } },
    })
    manager.start()
    await manager.alive()
    servers = await manager.get('/api/clusters/shop/topology/servers')
  })
  after(() => manager?.destroy())

  it('are there for every server soon after the start, without a token', async () => {
    expect(servers).to.have.lengthOf(3)
    for (const server of servers)
      await eventually(async () => (await get(config(server))).status === 200, `${server.name} has its archive`)
  })

  it('hold the files that the server runs on', async () => {
    const folder = newDirectory('archive')
    const file = path.join(folder, 'config.tar.gz')
    await writeFile(file, Buffer.from(await (await get(config(first()))).arrayBuffer()))
    await extract({ file, cwd: folder })
    const names = await readdir(folder, { recursive: true })
    expect(names).to.include.members(['etc/mysql/conf.d', 'etc/mysql/rc.d', 'etc/mysql/custom.d', 'data/.system'])
  })

  it('are found by id, by name, by address, and by host and port', async () => {
    const { id, name, host, port } = first()
    const bytes = Buffer.from(await (await get(config(first()))).arrayBuffer())
    for (const named of [id, `${id}/${port}`, name, `${name}/${port}`, `${host}:${port}`, `${host}/${port}`]) {
      const reply = await get(`/api/clusters/shop/servers/${named}/config`)
      expect(reply.status, named).to.equal(200)
      expect(reply.headers.get('content-type'), named).to.equal('application/octet-stream')
      expect(Buffer.from(await reply.arrayBuffer()).equals(bytes), named).to.equal(true)
    }
    expect((await get('/api/clusters/shop/servers/localhost/config')).status).to.equal(200)
  })

  it('are not sent again to hosts that have them', async () => {
    const etag = (await get(config(first()))).headers.get('etag') ?? ''
    expect((await get(config(first()), { 'if-none-match': etag })).status).to.equal(304)
  })

  it('change with the settings they are made from', async () => {
    const etag = async () => (await get(config(first()))).headers.get('etag')
    const before = await etag()
    await set('prov-db-memory', '1024')
    await eventually(async () => (await etag()) !== before, 'the archive is another one')
  })

  it('are built again on demand', async () => {
    const { id, host, port } = first()
    rmSync(path.join(manager.dataDirectory, 'shop', `${host}_${port}`, 'config.tar.gz'))
    expect(await status(`/api/clusters/shop/servers/${id}/config`)).to.equal('404 File not found\n')
    const { body } = await manager.post('/api/clusters/shop/actions/regenerate-configs')
    expect(JSON.parse(body)).to.deep.equal({ built: 3, unchanged: 0 })
    expect((await get(config(first()))).status).to.equal(200)
  })

  it('are refused for unknown clusters and servers', async () => {
    expect(await status('/api/clusters/none/servers/127.0.0.1/1/config')).to.equal('500 No cluster\n')
    expect(await status('/api/clusters/shop/servers/127.0.0.1/4/config')).to.equal('500 No server\n')
    expect(await status('/api/clusters/shop/servers/none/config')).to.equal('500 No server\n')
  })

  it('are never seen half while they are built again and again', async () => {
    const target = config(first())
    let reading = true
    const seen = new Map<string, string>()
    const counts: [number, number] = [0, 0]
    const read = async (reader: 0 | 1): Promise<void> => {
      while (reading) {
        const reply = await get(target)
        const bytes = Buffer.from(await reply.arrayBuffer())
        expect(gunzipSync(bytes).length % 512).to.equal(0) // whole, and its checksum holds
        const etag = reply.headers.get('etag') ?? ''
        const sum = hash('sha256', bytes)
        expect(seen.get(etag) ?? sum, 'equal labels, equal bytes').to.equal(sum)
        seen.set(etag, sum)
        counts[reader] += 1
      }
    }
    const readers = Promise.all([read(0), read(1)])
    let memory = 300
    // A download waits for the build: on a slow machine few of them fit in beside a dozen changes.
    await eventually(
      async () => {
        await set('prov-db-memory', String(memory))
        memory += 1
        return memory > 312 && Math.min(...counts) > 5 && seen.size > 1
      },
      () => `both have read: ${counts}, ${seen.size} archives`,
    )
    const last = (await get(target)).headers.get('etag')
    await set('prov-db-memory', '299')
    await eventually(async () => (await get(target)).headers.get('etag') !== last, 'the last change is in the archive')
    reading = false
    await readers
  })

  it('lie beside their tree and the files that people add to', async () => {
    const { host, port } = first()
    const folder = path.join(manager.dataDirectory, 'shop', `${host}_${port}`)
    await manager.post('/api/clusters/shop/actions/regenerate-configs')
    expect(await readdir(folder)).to.include.members([
      ...['config.tar.gz', 'init', '01_preserved.cnf', '02_delta.cnf', '03_agreed.cnf', 'preserved_variables.cnf'],
    ])
    const init = await readdir(path.join(folder, 'init'), { recursive: true })
    expect(init).to.include.members([
      ...['etc/mysql/conf.d', 'etc/mysql/rc.d', 'etc/mysql/ssl/server-key.pem', 'init/dbjobs_new'],
      ...['data/.system/innodb/undo', 'data/.system/innodb/redo', 'data/.system/aria', 'data/.system/tmp'],
      ...['data/.system/repl', 'data/.system/logs', 'data/.system/tokudb'],
    ])
    const links = await readdir(path.join(folder, 'init/etc/mysql/rc.d'))
    expect(links.every((name) => /^\d\d_\w+\.cnf$/.test(name))).to.equal(true)
    await writeFile(path.join(folder, '01_preserved.cnf'), '[mysqld]\nback_log = 77\n')
    const { body } = await manager.post('/api/clusters/shop/actions/regenerate-configs')
    expect(JSON.parse(body)).to.include({ built: 3 })
    expect(await readFile(path.join(folder, 'init/etc/mysql/custom.d/01_preserved.cnf'), 'utf8')).to.contain('77')
  })

  it('are refused by name when an overlay is damaged, which is a finding until it is corrected', async () => {
    const { host, port } = first()
    const file = path.join(manager.dataDirectory, 'shop', `${host}_${port}`, '02_delta.cnf')
    await writeFile(file, 'back_log = 5\n')
    const { status: refused, body } = await manager.post('/api/clusters/shop/actions/regenerate-configs')
    expect(refused).to.equal(500)
    expect(body).to.contain(`${file}: line 1 is above the first group`)
    await eventually(async () => (await codes()).includes('WARN0312'), 'the fault is a finding')
    expect((await get(config(first()))).status).to.equal(200)
    await writeFile(file, '')
    await manager.post('/api/clusters/shop/actions/regenerate-configs')
    await eventually(async () => !(await codes()).includes('WARN0312'), 'the finding is gone')
  })

  it('are a finding while every client may download them, and each download is logged with its address', async () => {
    await eventually(async () => (await codes()).includes('WARN0310'), 'open downloads are a finding')
    await get(config(first()))
    const line = manager
      .log()
      .split('\n')
      .find((each) => each.includes('config-download') && each.includes('"opened":"open"'))
    expect(line).to.contain('"address":"127.0.0.1"').and.to.contain(first().name)
  })

  it('are given to addresses in the ranges only, when ranges are set', async () => {
    await set('api-config-download-addresses', '10.0.0.0%2F8')
    expect(await status(config(first()))).to.equal('403 No valid ACL\n')
    await eventually(async () => !(await codes()).includes('WARN0310'), 'the finding is gone')
    await set('api-config-download-addresses', '10.0.0.0%2F8,127.0.0.0%2F8')
    expect((await get(config(first()))).status).to.equal(200)
    const wrong = await manager.post(
      '/api/clusters/shop/settings/actions/set/api-config-download-addresses/10.0.0.0%2F99',
    )
    expect([wrong.status, wrong.body]).to.deep.equal([400, wrong.body])
    expect(wrong.body).to.contain('10.0.0.0/99 is not an address range')
  })

  it('are given once for a bootstrap token of their server, which the client makes', async () => {
    await set('api-config-download-tokens', 'true')
    expect(await status(config(first()))).to.match(/^401 Unauthenticated resource/)
    const made = await run(
      path.join(packageRoot, 'bin/manager-cli'),
      ['--port', String(manager.apiPort), '--cluster', 'shop', 'bootstrap-token', first().name, '--minutes', '5'],
      { env: { ...process.env, MANAGER_PASSWORD: 'spec-password' } },
    )
    const headers = { authorization: `Bearer ${made.stdout.trim()}` }
    const [, second] = servers
    expect((await get(config(second ?? first()), headers)).status).to.equal(401)
    expect((await get(config(first()), headers)).status).to.equal(200)
    expect((await get(config(first()), headers)).status).to.equal(401)
    expect(manager.log()).not.to.contain(made.stdout.trim())
    await set('api-config-download-tokens', 'false')
    await manager.post('/api/clusters/shop/settings/actions/set/api-config-download-addresses', { value: '' })
  })

  it('carry the certificates of the cluster, which the API lists, rotates, retires and reloads', async () => {
    type Listed = { clientCert: string; clientKey: string; caCert: string; rotating: boolean }
    const list = () => manager.get<readonly Listed[]>('/api/clusters/shop/certificates')
    const act = async (target: string) => {
      const { status, body } = await manager.post(`/api/clusters/shop/${target}`)
      return `${status} ${body.trimEnd()}`
    }
    const [before] = await list()
    expect(before?.clientKey).to.match(/^-----BEGIN PRIVATE KEY-----/)
    expect(before?.rotating).to.equal(false)
    expect(await act('actions/certificates-rotate?step=retire')).to.match(/^409 .*shop trusts no former authority/)
    expect(await act('actions/certificates-rotate')).to.match(/^200 {"changed":true,/)
    const [rotated] = await list()
    expect(rotated?.caCert).to.contain(before?.caCert)
    await eventually(async () => (await codes()).includes('WARN0313'), 'the former authority is a finding')
    expect(await act('actions/certificates-rotate?step=retire')).to.match(/^200 /)
    expect((await list())[0]?.caCert).not.to.contain(before?.caCert)
    expect(await act('settings/actions/certificates-reload')).to.equal('200 {"changed":false,"built":0,"unchanged":3}')
    await writeFile(path.join(manager.dataDirectory, 'shop/ssl/client-key.pem'), rotated?.clientKey.slice(5) ?? '')
    expect(await act('settings/actions/certificates-reload')).to.match(/^500 .*ssl: client certificate: cannot be read/)
    expect(await act('actions/certificates-rotate')).to.match(/^200 /)
  })

  it('need a token with the grant when api-credentials-secure-config says so', async () => {
    await set('api-credentials-secure-config', 'true')
    expect(await status(config(first()))).to.match(/^401 Unauthenticated resource/)
    const login = await fetch(`http://127.0.0.1:${manager.httpPort}/api/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'guest', password: 'guest-password' }),
    })
    const { token } = (await login.json()) as { token: string }
    const refused = await get(config(first()), { authorization: `Bearer ${token}` })
    expect(`${refused.status} ${await refused.text()}`).to.equal('403 No valid ACL\n')
    const reply = await manager.session.call('GET', config(first()))
    expect(reply.ok && reply.value.status).to.equal(200)
  })
})
