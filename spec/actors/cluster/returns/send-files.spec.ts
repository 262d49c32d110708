// A stored copy that is sent to a host: on the port of its server, in pieces of the settings.
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { expect } from 'chai'
import type { Filling } from '../../../../actors/cluster/returns/order.js'
import { sendCopy, takesFiles } from '../../../../actors/cluster/returns/send-files.js'
import type { HostTaskRequest, HostTaskRun } from '../../../../lib/backup/hosts/index.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { MINUTE, now } from '../../../../lib/base/time.js'
import { defaultSettings } from '../../../../lib/settings/table/settings.js'
import { issuePair } from '../../../../lib/tls/index.js'
import { newDirectory } from '../../../support/machine/directories.js'

const bytes = randomBytes(100_000)
const pair = issuePair({ name: 'manager-host', use: 'server', from: now() - MINUTE, until: now() + 60 * MINUTE })

/** Sends it to a host that takes it whole, or refuses the task. */
async function send(
  settings: ReturnType<typeof defaultSettings>,
  server: string,
  answer: 'takes' | 'refuses' = 'takes',
) {
  const root = newDirectory('stored')
  await writeFile(path.join(root, 'copy'), bytes)
  const { cert, key } = await pair
  const asked: HostTaskRequest[] = []
  const lines: string[] = []
  let received = Buffer.alloc(0)
  const request = async (_: string, given: HostTaskRequest, { waiting }: HostTaskRun): Promise<Result<object>> => {
    asked.push(given)
    if (answer === 'refuses') return fail('host-task-failed', 'no socat there')
    const listener = createServer({ cert, key })
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    const taken = new Promise<void>((resolve) => {
      listener.on('secureConnection', (socket: TLSSocket) => {
        socket.on('data', (chunk: Buffer) => {
          received = Buffer.concat([received, chunk])
        })
        socket.on('end', () => {
          socket.end()
          resolve()
        })
      })
    })
    waiting?.({ host: '127.0.0.1', port: (listener.address() as AddressInfo).port, certificate: cert })
    await taken
    listener.close()
    return ok({ lines: [], bytes: received.length })
  }
  const servers = ['db1', 'db2', 'db3'].map((id) => ({ id, host: id, port: 3306, name: `${id}:3306` }))
  const state = { settings, snapshot: { servers }, proxies: [], members: servers }
  const actor = { state, init: { name: 'shop', directory: root }, hosts: { request } } as unknown as Filling
  const run = { id: 1, signal: new AbortController().signal, log: (line: string) => void lines.push(line) }
  const sent = await sendCopy(
    actor,
    {
      task: 'reseedmariabackup',
      source: { type: 'stored', place: { kind: 'directory', root }, path: 'copy', compression: 'none' },
    },
    { returning: { server: { id: server, name: server } }, run: { ...run, progress: () => ({}) as never } },
  )
  return { sent, stream: asked[0]?.stream, received, lines }
}

describe('sendCopy', () => {
  it('uses the port of the server in scheduler-db-servers-receiver-ports, the first again when there are more servers', async () => {
    const settings = defaultSettings({ 'scheduler-db-servers-receiver-ports': ['4501', '4502'] })
    for (const [server, port] of [
      ['db1', 4501],
      ['db2', 4502],
      ['db3', 4501],
    ] as const)
      expect((await send(settings, server, 'refuses')).stream).to.include({ port })
  })

  it('sends the secret of the order and every byte, in pieces of sst-send-buffer', async () => {
    const { sent, stream, received, lines } = await send(defaultSettings({ 'sst-send-buffer': 700 }), 'db1')
    expect(sent.ok).to.equal(true)
    expect(received.equals(Buffer.concat([Buffer.from(`${stream?.secret}\n`), bytes]))).to.equal(true)
    expect(lines.join('\n')).to.contain('700 bytes at a time')
  })

  it('fails with the reason of the host', async () => {
    const { sent } = await send(defaultSettings(), 'db1', 'refuses')
    expect(!sent.ok && sent.failure.message).to.equal('no socat there')
  })
})

describe('takesFiles', () => {
  const actor = (kind: string, session: boolean) =>
    ({ services: { orchestrator: { kind } }, hosts: { reach: () => ({ session }) } }) as unknown as Filling
  const order = (isFollowed: boolean) => ({ returning: { server: { id: 'db1' } }, isFollowed }) as never

  it('needs a host on which the manager runs the script, and a primary that still has what follows', () => {
    expect(takesFiles(actor('onpremise', true), order(true))).to.equal(true)
    expect(takesFiles(actor('onpremise', true), order(false))).to.equal(false)
    expect(takesFiles(actor('onpremise', false), order(true))).to.equal(false)
    expect(takesFiles(actor('local', true), order(true))).to.equal(false)
  })
})
