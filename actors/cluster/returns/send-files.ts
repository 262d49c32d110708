// The way back by files: a stored physical copy is sent to the server's host, whose script puts it in the place of the data.
import { randomBytes } from 'node:crypto'
import type { HostListener } from '../../../lib/backup/hosts/index.js'
import { storageOf } from '../../../lib/backup/place/from-settings.js'
import type { StoredCopy } from '../../../lib/backup/restore/restore.js'
import { startTransfer, type TransferReport } from '../../../lib/backup/stream/index.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { secret } from '../../../lib/base/secret.js'
import { SECOND } from '../../../lib/base/time.js'
import { type HostTask, hostTaskOf } from '../../../lib/model/operation/host-task.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { ServerSnapshot } from '../../../lib/model/snapshot.js'
import { listServices } from '../state/services.js'
import { type Filling, type Order, work, workServer } from './order.js'

/** Its listener is open before its port is known here. */
const CONNECT_MS = 30 * SECOND

type SendTarget = Pick<ServerSnapshot, 'id' | 'name'>

/** A full copy of which the primary has all later transactions, and a host on which the manager runs the script. */
export function takesFiles(actor: Filling, { returning: { server }, isFollowed }: Order): boolean {
  const reach = actor.hosts.reach(server.id)
  return isFollowed === true && reach?.session === true && actor.services.orchestrator.kind !== 'local'
}

/** The script keeps the data of before until the server runs on the copy. */
export async function sendFiles(actor: Filling, { backup, source }: StoredCopy, order: Order): Promise<Result<string>> {
  const {
    returning: { server },
    run,
  } = order
  const task = hostTaskOf(`reseed${backup.tool}`)
  const position = backup.position?.gtid
  if (!task || position === undefined) return fail('no-recovery', `backup ${backup.id} has no position`)
  const sent = await sendCopy(actor, { task, source }, order)
  if (!sent.ok) return sent
  const placed = await work(actor, run, {
    ...{ type: 'place-server', server: workServer(actor, server), position, scheduled: false },
  })
  return placed.ok ? ok(`backup ${backup.id} is in the place of its data, ${placed.value}`) : placed
}

/** Whole when the script says so, and every byte was taken. Failures: those of the host's task and of the transfer. */
export async function sendCopy(
  actor: Filling,
  { task, source }: { readonly task: HostTask; readonly source: StoredCopy['source'] },
  { returning: { server }, run }: Pick<Order, 'run'> & { readonly returning: { readonly server: SendTarget } },
): Promise<Result<void>> {
  const { settings } = actor.state
  const { bufferBytes, hostPorts } = storageOf(actor.init.name, settings).streams
  const word = randomBytes(24).toString('hex')
  const deadlineMs = settings['backup-timeout'] * SECOND
  let transfer: Promise<Result<TransferReport>> | undefined
  const waiting = ({ host, port, certificate }: HostListener): void => {
    run.log(`${server.name}: its host listens on port ${port}: the copy is sent, ${bufferBytes} bytes at a time`)
    const sink = {
      ...{ type: 'send' as const, host, port, secret: secret(word), tls: { ca: certificate } },
      ...{ bufferBytes, connectMs: CONNECT_MS },
    }
    const started = startTransfer(
      { source, sink, deadlineMs },
      { signal: run.signal, progress: ({ rawBytes }) => void run.progress({ bytes: rawBytes }) },
    )
    transfer = started.done
  }
  const stream = { host: '', port: portOf(actor, server.id, hostPorts), secret: word }
  const taken = await actor.hosts.request(
    server.id,
    { task, stream, deadlineMs },
    { signal: run.signal, log: run.log, waiting },
  )
  const sent = await transfer
  if (!taken.ok)
    return sent && !sent.ok ? fail(taken.failure.code, `${taken.failure.message}; ${sent.failure.message}`) : taken
  if (!sent) return fail('host-task-failed', `${server.name}: its host took nothing`)
  return sent.ok ? ok(undefined) : sent
}

/** One for each server in the order of the cluster, from the first again when there are more servers. */
function portOf({ state }: Filling, server: ServerId, ports: readonly number[]): number {
  const databases = listServices(state).filter(({ kind }) => kind === 'database')
  const index = databases.findIndex(({ id }) => id === server)
  return ports[Math.max(0, index) % Math.max(1, ports.length)] ?? 0
}
