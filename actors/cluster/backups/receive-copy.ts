// A physical copy from a server's host: the manager listens for one stream, the host's script sends it, both ends are heard.
import { randomBytes } from 'node:crypto'
import { makeTransferCertificate } from '../../../lib/backup/hosts/index.js'
import type { Received, StoreOptions } from '../../../lib/backup/method/method.js'
import type { TransferReport, TransferSource } from '../../../lib/backup/stream/index.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { secret } from '../../../lib/base/secret.js'
import { MINUTE } from '../../../lib/base/time.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { BackingUp } from './backing-up.js'
import type { JobRun } from './queue.js'

/** The script begins with its next poll; the tool may wait for locks. */
const ACCEPT_MS = 10 * MINUTE
/** Hosts reach the manager by an address of theirs; the stream is proven by certificate and secret. */
const ANY_ADDRESS = '0.0.0.0'

export interface HostCopy {
  readonly server: ServerId
  readonly tool: 'mariabackup' | 'xtrabackup'
  /** Of the manager; empty: any free one. */
  readonly ports: readonly number[]
  /** A stream without TLS is refused. */
  readonly isTlsRequired: boolean
  /** Changes of tables wait meanwhile. */
  readonly lockDdl: boolean
  readonly deadlineMs: number
}

export type StoreStream = (source: TransferSource, options: StoreOptions) => Promise<Result<TransferReport>>

/** The copy is whole when the script says so, and as many bytes came as it counted. */
export async function receiveCopy(
  actor: BackingUp,
  { server, tool, ports, isTlsRequired, lockDdl, deadlineMs }: HostCopy,
  { run, store }: { readonly run: JobRun; readonly store: StoreStream },
): Promise<Result<Received>> {
  const { cert, key } = await makeTransferCertificate(Date.now())
  const word = randomBytes(24).toString('hex')
  const ending = new AbortController()
  const end = () => ending.abort()
  run.signal.addEventListener('abort', end, { once: true })
  let task: ReturnType<BackingUp['hosts']['request']> | undefined
  const listening = ({ port }: { readonly port: number }) => {
    const host = actor.state.settings['monitoring-address']
    const stream = { host, port, secret: word, certificate: cert, lockDdl }
    task = actor.hosts.request(server, { task: tool, stream, deadlineMs }, { signal: run.signal, log: run.log })
    // A script that fails before it connects leaves nothing to wait for.
    void task.then((ended) => ended.ok || end())
  }
  const stored = await store(
    {
      ...{ type: 'receive', host: ANY_ADDRESS, ports, secret: secret(word) },
      ...{ acceptMs: ACCEPT_MS, tls: { cert, key: secret(key), required: isTlsRequired } },
    },
    { listening, signal: ending.signal },
  )
  const ended = await task
  run.signal.removeEventListener('abort', end)
  if (ended && !ended.ok) return ended
  if (!stored.ok) return stored
  if (!ended) return fail('backup-failed', `the task of the host of ${server} was never begun`)
  const { bytes, position } = ended.value
  return ok({ report: stored.value, ...(bytes === undefined ? {} : { bytes }), ...(position ? { position } : {}) })
}
