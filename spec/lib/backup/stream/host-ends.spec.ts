import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { expect } from 'chai'
import { startTransfer, type TransferSpec } from '../../../../lib/backup/stream/index.js'
import { unwrap } from '../../../../lib/base/result.js'
import { secret } from '../../../../lib/base/secret.js'
import { MINUTE, now } from '../../../../lib/base/time.js'
import { issuePair } from '../../../../lib/tls/index.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { freeBlock } from '../../../support/machine/ports.js'

const bytes = randomBytes(1_000_003)
const pair = issuePair({ name: 'manager', use: 'server', from: now() - MINUTE, until: now() + 60 * MINUTE })

describe('a transfer that receives', () => {
  for (const isTls of [true, false])
    it(`stores what comes after the secret, ${isTls ? 'over TLS' : 'plain where TLS is not required'}`, async () => {
      const { port, done, stored } = await receiver({ required: false })
      const socket = isTls
        ? connectTls({ host: '127.0.0.1', port, ca: (await pair).cert, checkServerIdentity: () => undefined })
        : connect({ host: '127.0.0.1', port })
      socket.end(Buffer.concat([Buffer.from('open sesame\n'), bytes]))
      expect(unwrap(await done).rawBytes).to.equal(bytes.length)
      expect((await readFile(stored)).equals(bytes)).to.equal(true)
    })

  it('closes connections without the secret, and serves the one that has it', async () => {
    const { port, done, stored } = await receiver({ required: false })
    const silent = connect({ host: '127.0.0.1', port })
    silent.on('error', () => undefined)
    const refused = connect({ host: '127.0.0.1', port })
    refused.write(`open sesam\n${'x'.repeat(1_000)}`)
    await closed(refused)
    const long = connect({ host: '127.0.0.1', port })
    long.write('x'.repeat(100_000))
    await closed(long)
    connect({ host: '127.0.0.1', port }).end(Buffer.concat([Buffer.from('open sesame\n'), bytes]))
    unwrap(await done)
    await closed(silent)
    expect((await readFile(stored)).equals(bytes)).to.equal(true)
    const late = connect({ host: '127.0.0.1', port })
    await closed(late)
  })

  it('refuses a connection without TLS where it is required', async () => {
    const { port, end, done } = await receiver({ required: true })
    const plain = connect({ host: '127.0.0.1', port })
    plain.write('open sesame\nbytes')
    await closed(plain)
    end.abort()
    expect((await done).ok).to.equal(false)
  })

  it('fails when no sender comes', async () => {
    const late = await receiver({ required: false, acceptMs: 500 })
    expect(await late.done).to.nested.include({ ok: false, 'failure.code': 'transfer-stalled' })
  })

  it('uses the first free port of those given', async () => {
    const taken = createServer()
    const busy = await freeBlock(2)
    const free = busy + 1
    await new Promise<void>((resolve) => taken.listen(busy, '127.0.0.1', resolve))
    const { port, end, done } = await receiver({ required: false, ports: [busy, free] })
    expect(port).to.equal(free)
    end.abort()
    await done
    taken.close()
  })
})

describe('a transfer that sends', () => {
  for (const isTls of [true, false])
    it(`writes the secret, then every byte, ${isTls ? 'to the certificate that is pinned' : 'plain'}`, async () => {
      const { cert, key } = await pair
      const received: Buffer[] = []
      const take = (socket: Socket) => socket.on('data', (chunk: Buffer) => received.push(chunk))
      const server = isTls ? createTlsServer({ cert, key }, take) : createServer(take)
      const port = await listening(server)
      unwrap(await send(port, isTls ? { ca: cert } : undefined))
      expect(Buffer.concat(received).equals(Buffer.concat([Buffer.from('open sesame\n'), bytes]))).to.equal(true)
      server.close()
    })

  it('sends nothing to another certificate, and reports a receiver that closes early', async () => {
    const { cert, key } = await pair
    const other = await issuePair({ name: 'manager', use: 'server', from: now() - MINUTE, until: now() + MINUTE })
    const server = createTlsServer({ cert, key }, (socket) => socket.destroy())
    const port = await listening(server)
    const refused = await send(port, { ca: other.cert })
    expect(!refused.ok && refused.failure.message).to.contain(`127.0.0.1:${port}`)
    expect((await send(port, { ca: cert })).ok).to.equal(false)
    server.close()
  })
})

async function receiver({
  required,
  ports = [],
  acceptMs = MINUTE,
}: {
  required: boolean
  ports?: number[]
  acceptMs?: number
}) {
  const root = newDirectory('receiver')
  const { cert, key } = await pair
  const end = new AbortController()
  const tls = { cert, key: secret(key), required }
  const spec: TransferSpec = {
    source: { type: 'receive', host: '127.0.0.1', ports, secret: secret('open sesame'), acceptMs, tls },
    sink: { type: 'stored', place: { kind: 'directory', root }, path: 'copy', compression: 'none' },
    deadlineMs: MINUTE,
  }
  let result: ReturnType<typeof startTransfer>['done'] | undefined
  const port = await new Promise<number>((resolve) => {
    const { done } = startTransfer(spec, { signal: end.signal, listening: (at) => resolve(at.port) })
    result = done
  })
  if (!result) throw new Error('it did not start')
  return { port, end, done: result, stored: path.join(root, 'copy') }
}

async function send(port: number, tls: { ca: string } | undefined) {
  const root = newDirectory('sender')
  const file = path.join(root, 'bytes')
  const spec: TransferSpec = {
    source: { type: 'stored', place: { kind: 'directory', root }, path: 'bytes', compression: 'none' },
    sink: {
      ...{
        type: 'send',
        host: '127.0.0.1',
        port,
        secret: secret('open sesame'),
        bufferBytes: 16_384,
        connectMs: MINUTE,
      },
      ...(tls ? { tls } : {}),
    },
    deadlineMs: MINUTE,
  }
  await writeFile(file, bytes)
  return startTransfer(spec, { signal: new AbortController().signal }).done
}

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed) return resolve()
    socket.on('error', () => undefined)
    socket.resume()
    socket.once('close', () => resolve())
  })

const listening = (server: ReturnType<typeof createServer>): Promise<number> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)))
