// A copy that a host sends: the port and the transport that the settings ask for.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { connect as connectTls } from 'node:tls'
import { expect } from 'chai'
import type { BackingUp } from '../../../../actors/cluster/backups/backing-up.js'
import { receiveCopy } from '../../../../actors/cluster/backups/receive-copy.js'
import type { HostTaskRequest } from '../../../../lib/backup/hosts/index.js'
import { storageOf } from '../../../../lib/backup/place/from-settings.js'
import { startTransfer } from '../../../../lib/backup/stream/index.js'
import { fail, ok, type Result, unwrap } from '../../../../lib/base/result.js'
import { MINUTE } from '../../../../lib/base/time.js'
import { defaultSettings } from '../../../../lib/settings/table/settings.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { freePorts } from '../../../support/machine/ports.js'

const bytes = randomBytes(300_000)

/** A host whose script sends `bytes` over TLS, or plain as older ones do; false: its connection was closed. */
const hostThatSends =
  (isTls: boolean, asked: HostTaskRequest[]) =>
  async (_: unknown, request: HostTaskRequest): Promise<Result<object>> => {
    asked.push(request)
    const { port = 0, secret = '', certificate = '' } = request.stream ?? {}
    const at = { host: '127.0.0.1', port }
    const socket = isTls ? connectTls({ ...at, ca: certificate, checkServerIdentity: () => undefined }) : connect(at)
    const isTaken = await new Promise<boolean>((resolve) => {
      socket.once('error', () => resolve(false))
      socket.once('close', (hadError) => resolve(!hadError && socket.bytesWritten > bytes.length))
      socket.resume()
      socket.end(Buffer.concat([Buffer.from(`${secret}\n`), bytes]))
    })
    return isTaken ? ok({ lines: [], bytes: bytes.length }) : fail('host-task-failed', 'the connection was closed')
  }

async function receive(settings: ReturnType<typeof defaultSettings>, isTls: boolean) {
  const asked: HostTaskRequest[] = []
  const file = path.join(newDirectory('received'), 'copy')
  const actor = { state: { settings }, hosts: { request: hostThatSends(isTls, asked) } } as unknown as BackingUp
  const { ports, isTlsRequired } = storageOf('shop', settings).streams
  const { signal } = new AbortController()
  const run = { ...{ id: 1, signal, log: () => undefined }, progress: () => ({}) as never }
  const received = await receiveCopy(
    actor,
    {
      server: 'db1',
      tool: 'mariabackup',
      ports,
      isTlsRequired,
      lockDdl: settings['backup-lockddl'],
      deadlineMs: MINUTE,
    },
    {
      run,
      store: (source, options) =>
        startTransfer(
          {
            source,
            sink: {
              ...{ type: 'stored', place: { kind: 'directory', root: path.dirname(file) }, path: 'copy' },
              compression: 'none',
            },
            deadlineMs: MINUTE,
          },
          { signal, ...options },
        ).done,
    },
  )
  return { received, asked: asked[0]?.stream, file }
}

describe('receiveCopy', () => {
  it('listens on a port of scheduler-db-servers-sender-ports, and says whether changes of tables wait', async () => {
    const [port = 0] = await freePorts(1)
    const settings = defaultSettings({
      ...{ 'scheduler-db-servers-sender-ports': [String(port)], 'backup-lockddl': false },
    })
    const { received, asked, file } = await receive(settings, true)
    expect(unwrap(received).bytes).to.equal(bytes.length)
    expect(asked).to.include({ port, lockDdl: false })
    expect((await readFile(file)).equals(bytes)).to.equal(true)
  })

  it('takes the stream of an older script without TLS, and refuses it with scheduler-db-servers-receiver-use-ssl', async () => {
    const plain = await receive(defaultSettings(), false)
    expect(unwrap(plain.received).bytes).to.equal(bytes.length)
    const refused = await receive(defaultSettings({ 'scheduler-db-servers-receiver-use-ssl': true }), false)
    expect(refused.received.ok).to.equal(false)
    const taken = await receive(defaultSettings({ 'scheduler-db-servers-receiver-use-ssl': true }), true)
    expect(taken.received.ok).to.equal(true)
  })
})
