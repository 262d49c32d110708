// Replaces the data of a server by a dump of another one, piped over SQL; a cut leaves it without a position, so it counts as empty.
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { plainEnvironment } from '../../connect/shell/program.js'
import { clientOptions } from '../../connect/sql/client-options.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import { withSameServers } from '../../connect/sql/same-servers.js'
import { ensureWholeRows } from '../../connect/sql/whole-rows.js'
import { onThisServerOnly } from '../../dialect/index.js'
import { dumpOptions, dumpPosition, isDumpComplete, readScheduler, setScheduler } from '../../dialect/refill/refill.js'
import { withApplied } from '../../dialect/shared/backup/backup-position.js'
import { appliedPosition } from '../../dialect/shared/backup/backups.js'
import type { ServerInstance } from '../../model/server/instance.js'
import type { Flavour } from '../../model/server/version.js'
import { empty } from './empty-server.js'
import { openUnlogged, rowsOf, runAll } from './kit/session.js'
import { endOf, findTool } from './kit/tools.js'
import type { LoadDump, Reports, ReturnAnswer, WorkServer } from './kit/work.js'
import { place } from './place-server.js'

/** The position stands before the first table or, of later tools, at the end, with the sign that the dump is complete. */
const HEAD = 256 * 1024
const TAIL = 64 * 1024

export async function loadDump(task: LoadDump, reports: Reports): Promise<Result<ReturnAnswer>> {
  const { flavour } = task.server
  const [dump, client] = await Promise.all([
    findTool('dump', flavour, task.dumpTool),
    findTool('client', flavour, task.clientTool),
  ])
  if (!dump.ok) return dump
  if (!client.ok) return client
  const whole = await ensureWholeRows(task.source.target, 'wrong-state')
  if (!whole.ok) return whole
  const opened = await openUnlogged(task.server)
  if (!opened.ok) return opened
  const session = opened.value
  await mkdir(task.directory, { recursive: true, mode: modeOf('scratch') })
  const folder = await mkdtemp(path.join(task.directory, 'refill-'))
  try {
    const scheduled = await rowsOf(session, readScheduler)
    if (!scheduled.ok) return scheduled
    const isScheduled = scheduled.value[0]?.scheduler === 'ON'
    if (isScheduled) await runAll(session, [setScheduler(false)])
    const applied = await appliedBy(task.source)
    if (!applied.ok) return applied
    const emptied = await empty(session, task.server, reports.log)
    if (!emptied.ok) return emptied
    const tools = { dump: dump.value, client: client.value, folder, reports }
    const ends = [task.source.target, task.server.target]
    const piped = await withSameServers(ends, ([, own]) => pipe(task, { ...tools, own }), { signal: reports.signal })
    if (!piped.ok) return fail(piped.failure.code, `${piped.failure.message}; ${task.server.name} is empty now`)
    const position = withApplied(piped.value.position, applied.value)
    const placed = await place(session, flavour, position)
    if (!placed.ok) return placed
    if (isScheduled) await runAll(session, [setScheduler(true)])
    const { bytes } = piped.value
    return ok({
      text: `${bytes} bytes of ${task.source.name} were loaded, as it was at ${position || 'the beginning'}`,
    })
  } finally {
    session.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** What a source that is a replica has applied: its binary log may not name it. Empty where positions are complete. */
async function appliedBy({ flavour, target }: WorkServer): Promise<Result<string>> {
  if (flavour !== 'mariadb') return ok('')
  const opened = await openSession(target)
  if (!opened.ok) return opened
  const read = await rowsOf(opened.value, appliedPosition.sql)
  opened.value.close()
  return read.ok ? ok(String(read.value[0]?.applied ?? '')) : read
}

interface Pipe {
  readonly dump: string
  readonly client: string
  readonly folder: string
  readonly reports: Reports
  /** The server that is filled: nothing is loaded into another one. */
  readonly own: ServerInstance | undefined
}

interface Piped {
  readonly bytes: number
  readonly position: string
}

/** Whole when both programs ended with 0 and the dump says that it is complete; the end of one ends the other. */
async function pipe(task: LoadDump, { dump, client, folder, reports, own }: Pipe): Promise<Result<Piped>> {
  const { flavour } = task.server
  const [from, to] = [path.join(folder, 'source.cnf'), path.join(folder, 'server.cnf')]
  await writeFile(from, clientOptions(task.source.target), { mode: modeOf('login') })
  await writeFile(to, clientOptions(task.server.target), { mode: modeOf('login') })
  const options = [...dumpOptions(flavour), ...task.dumpOptions]
  const env = plainEnvironment()
  const reader = spawn(dump, [`--defaults-file=${from}`, ...options], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const only = own ? `${onThisServerOnly(own)}, ` : ''
  const init = `--init-command=SET ${only}SESSION sql_log_bin = 0, SESSION foreign_key_checks = 0`
  const writer = spawn(client, [`--defaults-file=${to}`, init], { env, stdio: ['pipe', 'ignore', 'pipe'] })
  const seen = new Seen(flavour, reports)
  const [read, written, moved] = await Promise.all([
    endOf(reader, dump, reports.signal),
    endOf(writer, client, reports.signal).then((ended) => {
      // What nobody takes is not read either.
      if (!ended.ok) reader.kill('SIGKILL')
      return ended
    }),
    pipeline(reader.stdout, seen, writer.stdin).then(
      () => done,
      (error: Error) => fail('step-failed', `the pipe broke: ${error.message}`),
    ),
  ])
  // A dump that failed has ended its output: the other side took that for the end.
  if (!written.ok) return written
  if (!read.ok) return read
  if (!moved.ok) return moved
  return seen.whole()
}

/** Counts what passes, and keeps its beginning and its end. */
class Seen extends Transform {
  readonly #flavour: Flavour
  readonly #reports: Reports
  #head = Buffer.alloc(0)
  #tail = Buffer.alloc(0)
  #bytes = 0
  #toldAt = 0

  constructor(flavour: Flavour, reports: Reports) {
    super()
    this.#flavour = flavour
    this.#reports = reports
  }

  override _transform(chunk: Buffer, _: BufferEncoding, next: (error: null, chunk: Buffer) => void): void {
    this.#bytes += chunk.length
    if (this.#head.length < HEAD) this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD - this.#head.length)])
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-TAIL)]).subarray(-TAIL)
    if (performance.now() - this.#toldAt > SECOND) {
      this.#toldAt = performance.now()
      this.#reports.progress({ bytes: this.#bytes })
    }
    next(null, chunk)
  }

  /** Failure `step-failed`: the dump does not say that it is complete, or where it is. */
  whole(): Result<Piped> {
    this.#reports.progress({ bytes: this.#bytes })
    const [tail, head] = [this.#tail.toString('utf8'), this.#head.toString('utf8')]
    if (!isDumpComplete(tail)) return fail('step-failed', 'the dump ended before it was complete')
    const position = dumpPosition(this.#flavour, tail) ?? dumpPosition(this.#flavour, head)
    if (position === undefined) return fail('step-failed', 'the dump does not say at which position it was made')
    return ok({ bytes: this.#bytes, position })
  }
}
