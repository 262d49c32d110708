// Copies what only an old primary has, its binary log from the crash coordinates on, into the working directory.
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { fail, ok, type Result } from '../../base/result.js'
import { runProgram } from '../../connect/shell/program.js'
import type { Crash } from '../../model/operation/crash.js'
import { formatSet } from '../../model/server/gtid.js'
import { atomicWrite, reasonOf } from '../../store/atomic-write.js'
import { stampOf } from '../../store/crash-files.js'
import type { CommandOf, Effect, Run } from '../kit/context.js'
import type { EffectServer } from '../kit/server.js'
import { memberOf } from '../kit/statements.js'
import { firstLog, type LogPosition, listEvents } from './tail-events.js'
import { clientOptions } from './tail-options.js'

/** `<directory>/crash-bin-<time>`: where the tail of this crash is saved. */
export const tailDirectory = (directory: string, crash: Crash): string =>
  path.join(directory, `crash-bin-${stampOf(crash.at)}`)

/**
 * Saves the raw binary logs, a readable list of their events (`tail.sql`, or `tail-events.jsonl` when there is no tool
 * to copy and decode with) and `crash.json` with the extra transactions. Saved already is done: the directory gets its
 * name when it is complete.
 */
export const saveTail: Effect<'save-tail'> = async (command, run) => {
  const member = memberOf(run, command.server)
  if (!member.ok) return member
  const directory = tailDirectory(run.context.directory, command.crash)
  if (await exists(directory)) return ok(directory)
  const draft = `${directory}.part`
  try {
    await rm(draft, { recursive: true, force: true })
    await mkdir(draft, { recursive: true, mode: 0o700 })
    const files = await collect(run, command, { server: member.value, draft })
    if (!files.ok) return files
    const { crash, extra } = command
    const report = { crash, extra, extraText: formatSet(extra), files: files.value }
    const written = await atomicWrite(path.join(draft, 'crash.json'), `${JSON.stringify(report, undefined, 2)}\n`)
    if (!written.ok) return written
    await rename(draft, directory)
    return ok(directory)
  } catch (error) {
    return fail('file-unwritable', `${directory}: ${reasonOf(error)}`)
  }
}

interface Place {
  readonly server: EffectServer
  readonly draft: string
}

/** The names of the files made. */
async function collect(run: Run, command: CommandOf<'save-tail'>, place: Place): Promise<Result<readonly string[]>> {
  const { oldFile, oldPosition } = command.crash
  const first = oldFile === '' ? await firstLog(run, command.server) : ok(oldFile)
  if (!first.ok) return first
  const from = { file: first.value, position: oldFile === '' ? 4 : Math.max(4, oldPosition) }
  const copied = await copyLogs(run, place, from)
  if (copied.ok) return copied
  run.context.log(`the binary log is listed instead of copied: ${copied.failure.message}`)
  const listed = await listEvents(run, {
    server: command.server,
    from,
    file: path.join(place.draft, 'tail-events.jsonl'),
  })
  return listed.ok ? ok(['tail-events.jsonl']) : listed
}

/** Raw copies by the replication protocol, and their events decoded from `from` on. */
async function copyLogs(run: Run, { server, draft }: Place, from: LogPosition): Promise<Result<readonly string[]>> {
  const options = path.join(draft, 'client.cnf')
  const prepared = await atomicWrite(options, clientOptions(server.target))
  if (!prepared.ok) return prepared
  const tool = await toolOf(run, server)
  const remote = ['--read-from-remote-server', '--raw', '--to-last-log', `--result-file=${draft}/`, from.file]
  const copied = await useTool(run, tool, [`--defaults-file=${options}`, ...remote])
  await rm(options, { force: true })
  if (!copied.ok) return copied
  const logs = (await readdir(draft)).sort()
  const readable = ['--base64-output=decode-rows', '--verbose', `--result-file=${path.join(draft, 'tail.sql')}`]
  const decoded = await useTool(run, tool, [
    '--no-defaults',
    ...readable,
    `--start-position=${from.position}`,
    ...logs.map((log) => path.join(draft, log)),
  ])
  return ok(decoded.ok ? [...logs, 'tail.sql'] : logs)
}

const useTool = (run: Run, file: string, args: readonly string[]): Promise<Result<unknown>> =>
  runProgram({ file, args, timeoutMs: Math.max(1, run.remaining() - 1_000), graceMs: 500, signal: run.signal })

/** The configured tool, else the flavour's own one where it is installed. */
async function toolOf(run: Run, server: EffectServer): Promise<string> {
  const { binlogTool } = run.context.settings()
  if (binlogTool !== '') return binlogTool
  if (server.dialect.capabilities.flavour !== 'mariadb') return 'mysqlbinlog'
  const folders = (process.env.PATH ?? '').split(':').map((folder) => path.join(folder, 'mariadb-binlog'))
  const found = await Promise.all(folders.map(exists))
  return found.includes(true) ? 'mariadb-binlog' : 'mysqlbinlog'
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )
