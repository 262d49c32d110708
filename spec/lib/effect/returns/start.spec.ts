// The process of a return ends, and so does the work, when that is asked for while its server is silent.
import { once } from 'node:events'
import net from 'node:net'
import { expect } from 'chai'
import { SECOND } from '../../../../lib/base/time.js'
import { startReturnWork } from '../../../../lib/effect/returns/start.js'
import { next } from '../../../support/wait.js'

describe('startReturnWork', () => {
  const held = new Set<net.Socket>()
  const silent = net.createServer((socket) => held.add(socket.on('error', () => undefined)))
  let port = 0

  before(async () => {
    silent.listen(0, '127.0.0.1')
    await next(silent, 'listening', 'the server listens')
    port = (silent.address() as net.AddressInfo).port
  })
  after(() => {
    for (const socket of held) socket.destroy()
    silent.close()
  })

  const start = (signal: AbortSignal) => {
    const target = { host: '127.0.0.1', port, user: 'u', password: '', connectTimeoutMs: 600 * SECOND }
    const work = { type: 'empty-server', server: { name: 'db1', target, flavour: 'mariadb' } } as const
    return startReturnWork(work, { signal, log: () => undefined, progress: () => ({ bytes: 0, at: 0 }) })
  }

  const cut = { ok: false, failure: { code: 'deadline-passed', message: 'it was ended before it was complete' } }

  it('resolves when its signal aborts while a server does not answer', async () => {
    const abort = new AbortController()
    const connected = once(silent, 'connection')
    const work = start(abort.signal)
    await connected
    abort.abort()
    expect(await work).to.deep.equal(cut)
  })

  it('resolves when its signal had aborted before', async () => {
    expect(await start(AbortSignal.abort())).to.deep.equal(cut)
  })
})
