// What hosts download before they start: the archive of every configured server, by every name, from a running daemon.
import { rmSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { extract } from 'tar'
import { eventually } from '../support/database.js'
import { newDirectory } from '../support/directories.js'
import { ManagerProcess } from '../support/manager-process.js'

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

  it('are not sent again to whoever has them', async () => {
    const etag = (await get(config(first()))).headers.get('etag') ?? ''
    expect((await get(config(first()), { 'if-none-match': etag })).status).to.equal(304)
  })

  it('change with the settings they are made from', async () => {
    const etag = async () => (await get(config(first()))).headers.get('etag')
    const before = await etag()
    await set('prov-db-memory', '1024')
    await eventually(async () => (await etag()) !== before, 'the archive is another one')
  })

  it('are built anew on demand', async () => {
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
