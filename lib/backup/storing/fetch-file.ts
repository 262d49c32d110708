// Gets one binary log file that a server has closed: by the manager's session on its host, or by an operator's program.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, type Result } from '../../base/result.js'
import { HOUR } from '../../base/time.js'
import { runProgram } from '../../connect/shell/program.js'
import type { HostReach } from '../hosts/request.js'

export interface FetchRequest {
  /** On the host of the server. */
  readonly from: string
  /** Here. */
  readonly to: string
  readonly signal: AbortSignal
}

const LIMIT_MS = HOUR

/** A packed file as lines that no line reader cuts, and its checksum. */
const script = `set -u
gzip -1 -c <"$MANAGER_LOG_FILE" | base64 -w 1500 | sed 's/^/@log /' || exit 1
echo "@sum $(sha256sum <"$MANAGER_LOG_FILE" | cut -d ' ' -f 1)"
`

/** Failures: `unsupported` (no session reaches the host), `host-task-failed`, those of the session. */
export async function fetchOverSession(
  { orchestrator, service, session }: Pick<HostReach, 'orchestrator' | 'service' | 'session'>,
  { from, to, signal }: FetchRequest,
): Promise<Result<void>> {
  if (!session || !orchestrator.runScript)
    return fail(
      'unsupported',
      `binlog-copy-mode is ssh, and the manager has no session on the host of ${service.name}: set onpremise-ssh and scheduler-jobs-ssh`,
    )
  const packed = `${to}.gz`
  const sink = createWriteStream(packed, { mode: modeOf('rows') })
  let broken: Error | undefined
  sink.on('error', (error) => {
    broken = error
  })
  let sum = ''
  try {
    const answer = await orchestrator.runScript(service, {
      ...{ text: script, deadlineMs: LIMIT_MS, signal, environment: { MANAGER_LOG_FILE: from } },
      onLine: (line) => {
        if (line.startsWith('@log ')) sink.write(Buffer.from(line.slice(5), 'base64'))
        sum = /^@sum (\S+)$/.exec(line)?.[1] ?? sum
      },
    })
    sink.end()
    if (!sink.closed) await once(sink, 'close')
    if (!answer.ok) return answer
    if (broken) return fail('file-unwritable', `${packed}: ${broken.message}`)
    if (answer.value.code !== 0)
      return fail('host-task-failed', `${service.name}: ${answer.value.lastLines.at(-1) ?? ''}`)
    return await unpack(packed, to, sum)
  } catch (error) {
    return fail(
      'host-task-failed',
      `${service.name}: ${from}: ${error instanceof Error ? error.message : String(error)}`,
    )
  } finally {
    await rm(packed, { force: true })
  }
}

async function unpack(packed: string, to: string, sum: string): Promise<Result<void>> {
  const hash = createHash('sha256')
  const unpacked = createReadStream(packed).pipe(createGunzip())
  unpacked.on('data', (chunk: Buffer) => hash.update(chunk))
  await pipeline(unpacked, createWriteStream(to, { mode: modeOf('rows') }))
  return hash.digest('hex') === sum
    ? done
    : fail('host-task-failed', `${path.basename(to)} arrived with another checksum than it has on its host`)
}

export interface ScriptFetch extends FetchRequest {
  readonly script: string
  readonly cluster: string
  readonly host: string
  readonly port: number
  readonly sshPort: number
}

/** The program writes the file into the directory that it is given. */
export async function fetchByScript({ script: file, from, to, signal, ...order }: ScriptFetch): Promise<Result<void>> {
  if (file === '') return fail('unsupported', 'binlog-copy-mode is script, and binlog-copy-script is not set')
  const { cluster, host, port, sshPort } = order
  const places = [path.dirname(from), path.dirname(to), path.basename(from)]
  const args = [cluster, host, `${port}`, `${sshPort}`, ...places]
  const ended = await runProgram({ file, args, timeoutMs: LIMIT_MS, signal, bound: true })
  return ended.ok ? done : ended
}
