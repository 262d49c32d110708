import type { AddressInfo } from 'node:net'
import net from 'node:net'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { createHaproxy, type HaproxyConfig } from '../../../../lib/proxy/haproxy/index.js'
import type { ProxyTarget } from '../../../../lib/proxy/kit/index.js'
import { type HaproxyProcess, startHaproxy } from '../../../support/proxies/haproxy.js'
import { eventually } from '../../../support/wait.js'

/** Stands for a database: says its name to everyone and keeps the connection. */
async function startNamed(name: string): Promise<net.Server> {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write(name)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const addressOf = (server: net.Server) => ({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })

/** Connects and returns what it receives first, '' when it is refused. */
const greeting = (port: number): Promise<{ text: string; socket: net.Socket }> =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.once('data', (data) => resolve({ text: data.toString(), socket }))
    socket.once('close', () => resolve({ text: '', socket }))
  })

const signal = () => AbortSignal.timeout(30_000)

describe('createHaproxy', () => {
  let haproxy: HaproxyProcess
  let db1: net.Server
  let db2: net.Server
  let config: HaproxyConfig

  before(async () => {
    haproxy = await startHaproxy(['db1', 'db2'])
    db1 = await startNamed('db1')
    db2 = await startNamed('db2')
    config = {
      id: 'px1',
      name: 'lb1',
      host: '127.0.0.1',
      port: haproxy.apiPort,
      backends: { write: 'service_write', read: 'service_read' },
      timeoutMs: 30_000,
    }
  })
  after(async () => {
    await haproxy.stop()
    db1.close()
    db2.close()
  })

  const target = (primary: net.Server | undefined, states: ProxyTarget['readers'][number]['state'][]): ProxyTarget => ({
    ...(primary ? { primary: { id: primary === db1 ? 'db1' : 'db2', ...addressOf(primary) } } : {}),
    readers: [db1, db2].map((server, index) => ({
      id: `db${index + 1}`,
      ...addressOf(server),
      state: states[index] ?? 'ready',
    })),
  })

  const apply = (wanted: ProxyTarget, change: Partial<HaproxyConfig> = {}) =>
    createHaproxy({ ...config, ...change }).apply(wanted, signal())

  it('sends writes to the primary and reads to the readers that are ready', async () => {
    unwrap(await apply(target(db1, ['drain', 'ready'])))
    const write = await greeting(haproxy.writePort)
    const read = await greeting(haproxy.readPort)
    expect([write.text, read.text]).to.deep.equal(['db1', 'db2'])
    write.socket.destroy()
    read.socket.destroy()
  })

  it('ends the sessions of a primary that moves, and sends new ones to the next', async () => {
    unwrap(await apply(target(db1, ['ready', 'ready'])))
    const old = await greeting(haproxy.writePort)
    unwrap(await apply(target(db2, ['ready', 'ready'])))
    await eventually(() => old.socket.closed, 'the old session ends')
    const next = await greeting(haproxy.writePort)
    expect([old.text, next.text]).to.deep.equal(['db1', 'db2'])
    next.socket.destroy()
  })

  it('refuses writers, and disconnects those that are connected, when no server takes writes', async () => {
    unwrap(await apply(target(db1, [])))
    const old = await greeting(haproxy.writePort)
    unwrap(await apply(target(undefined, [])))
    await eventually(() => old.socket.closed, 'the session ends')
    expect((await greeting(haproxy.writePort)).text).to.equal('')
  })

  it('leaves sessions alone when nothing changes', async () => {
    unwrap(await apply(target(db1, [])))
    const kept = await greeting(haproxy.writePort)
    unwrap(await apply(target(db1, [])))
    expect(kept.socket.closed).to.equal(false)
    kept.socket.destroy()
  })

  it('speaks over a socket file too', async () => {
    unwrap(await apply(target(db2, []), { socket: haproxy.socket, port: 1 }))
    const write = await greeting(haproxy.writePort)
    expect(write.text).to.equal('db2')
    write.socket.destroy()
  })

  it('resolves host names, and uses the last known address when the resolver fails', async () => {
    let answers = 0
    const resolve = async () => {
      answers += 1
      if (answers > 1) throw new Error('no resolver')
      return '127.0.0.1'
    }
    const proxy = createHaproxy({ ...config, resolve })
    for (const _ of [1, 2]) {
      const wanted = { primary: { id: 'db1', host: 'db1.example', port: addressOf(db1).port }, readers: [] }
      unwrap(await proxy.apply(wanted, signal()))
    }
    expect(answers).to.equal(2)
  })

  it('names what still differs', async () => {
    const wanted: ProxyTarget = {
      primary: { id: 'db1', ...addressOf(db1) },
      readers: [{ id: 'db9', host: '127.0.0.1', port: 1, state: 'ready' }],
    }
    const result = await apply(wanted)
    expect(result).to.have.nested.property('failure.code', 'proxy-failed')
    expect(result).to.have.nested.property('failure.message').that.includes('there is no server service_read/db9')
    const write = await greeting(haproxy.writePort)
    expect(write.text).to.equal('db1')
    write.socket.destroy()
  })

  it('reads version, backends and their states', async () => {
    unwrap(await apply(target(db1, ['maint', 'ready'])))
    const write = await greeting(haproxy.writePort)
    const reading = await createHaproxy(config).read(signal())
    write.socket.destroy()
    expect(reading).to.include({ id: 'px1', name: 'lb1', kind: 'haproxy', alive: true })
    expect(reading.version).to.match(/^\d+\.\d+/)
    const [leader, first, second] = reading.backends
    expect(leader).to.include({ ...addressOf(db1), group: 'write', connections: 1 })
    expect(leader?.state).to.match(/^UP/)
    expect(first).to.include({ ...addressOf(db1), group: 'read', state: 'MAINT' })
    expect(second).to.include({ ...addressOf(db2), group: 'read' })
  })

  it('is not alive, and says why, when nothing listens', async () => {
    const reading = await createHaproxy({ ...config, port: 1 }).read(signal())
    expect(reading).to.include({ alive: false })
    expect(reading.error).to.match(/ECONNREFUSED/)
  })

  it('gives up on one that hangs', async () => {
    haproxy.pause()
    try {
      const proxy = createHaproxy({ ...config, timeoutMs: 100 })
      expect(await proxy.read(signal())).to.include({ alive: false })
      expect(await proxy.apply(target(db1, []), signal())).to.have.nested.property('failure.code', 'proxy-failed')
    } finally {
      haproxy.resume()
    }
  })
})
