// Copies what only an old primary has, its binary log from the crash coordinates on, into the working directory.
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { anyOrder } from '../../backup/binlog/any-order.js'
import { modeOf } from '../../base/files/modes.js'
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND, sleep } from '../../base/time.js'
import { runProgram } from '../../connect/shell/program.js'
import { clientOptions } from '../../connect/sql/client-options.js'
import { withSameServers } from '../../connect/sql/same-servers.js'
import { type Crash, TAIL_LIST } from '../../model/operation/crash.js'
import { stampOf } from '../../store/cluster/crash-files.js'
import { atomicWrite, reasonOf } from '../../store/kit/atomic-write.js'
import type { CommandOf, Effect, Run } from '../kit/context.js'
import type { EffectServer } from '../kit/server.js'
import { memberOf } from '../kit/statements.js'
import { firstLog, type LogPosition, listEvents } from './tail-events.js'

/** Copies tried, and the pause between two. */
const ATTEMPTS = 3
const PAUSE_MS = 2 * SECOND

/** `<directory>/crash-bin-<time>`: where the tail of this crash is saved. */
export const tailDirectory = (directory: string, crash: Crash): string =>
  path.join(directory, `crash-bin-${stampOf(crash.at)}`)

/**
 * Saves the raw binary logs, a readable list of their events (`tail.sql`, or `tail-events.jsonl` when there is no tool
 * to copy and decode with, or no privilege) and `crash.json` with the extra transactions. Saved already is done: the
 * directory gets its name when it is complete, and a list alone is replaced as soon as the logs can be copied. The
 * result is the directory, or the list in it where that is all.
 */
export const saveTail: Effect<'save-tail'> = async (command, run) => {
  const member = memberOf(run, command.server)
  if (!member.ok) return member
  const directory = tailDirectory(run.context.directory, command.crash)
  const list = path.join(directory, TAIL_LIST)
  const isListed = await exists(list)
  if (!isListed && (await exists(directory))) return ok(directory)
  const draft = `${directory}.part`
  try {
    await rm(draft, { recursive: true, force: true })
    await mkdir(draft, { recursive: true, mode: modeOf('scratch') })
    const files = await collect(run, command, { server: member.value, draft })
    const isList = files.ok && files.value.includes(TAIL_LIST)
    // Nothing better than what is there: it stays.
    if (isListed && (!files.ok || isList)) {
      await rm(draft, { recursive: true, force: true })
      return ok(list)
    }
    if (!files.ok) return files
    const { crash, extra, extraText } = command
    const report = { crash, extra, extraText, files: files.value }
    const written = await atomicWrite(path.join(draft, 'crash.json'), `${JSON.stringify(report, undefined, 2)}\n`)
    if (!written.ok) return written
    if (isListed) await rm(directory, { recursive: true, force: true })
    await rename(draft, directory)
    return ok(isList ? list : directory)
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
  const copied = await copyPatiently(run, place, from)
  if (copied.ok) return copied
  run.context.log(
    `the binary log is listed without rows instead of copied, so that the server has the only copy: ${copied.failure.message}`,
  )
  const listed = await listEvents(run, {
    server: command.server,
    from,
    file: path.join(place.draft, TAIL_LIST),
  })
  return listed.ok ? ok([TAIL_LIST]) : listed
}

/** A connection that is lost, as while the sessions of an old primary are ended, is tried again: a list has no rows in it. */
async function copyPatiently(run: Run, place: Place, from: LogPosition): Promise<Result<readonly string[]>> {
  const tool = await toolOf(run, place.server)
  for (let attempt = 1; ; attempt += 1) {
    const copied = await copyLogs(run, place, { tool, from })
    if (copied.ok) return copied
    for (const part of await readdir(place.draft)) await rm(path.join(place.draft, part))
    if (attempt === ATTEMPTS || !(await isInstalled(tool))) return copied
    run.context.log(`the binary log is copied again: ${copied.failure.message}`)
    await sleep(PAUSE_MS, run.signal)
  }
}

interface Copy {
  readonly tool: string
  readonly from: LogPosition
}

/** Raw copies by the replication protocol, and their events decoded from `from` on. */
async function copyLogs(run: Run, { server, draft }: Place, { tool, from }: Copy): Promise<Result<readonly string[]>> {
  const options = path.join(draft, 'client.cnf')
  const prepared = await atomicWrite(options, clientOptions(server.target))
  if (!prepared.ok) return prepared
  const remote = ['--read-from-remote-server', '--raw', '--to-last-log', `--result-file=${draft}/`, from.file]
  // One that dies right afterwards leaves the only copy of these transactions.
  const copied = await withSameServers(
    [server.target],
    () => useTool(run, tool, [`--defaults-file=${options}`, ...remote]),
    { mayBeOnlyCopy: true },
  )
  await rm(options, { force: true })
  if (!copied.ok) return copied
  const logs = (await readdir(draft)).sort()
  const readable = ['--base64-output=decode-rows', '--verbose', `--result-file=${path.join(draft, 'tail.sql')}`]
  const decoded = await useTool(run, tool, [
    '--no-defaults',
    ...(server.dialect.capabilities.flavour === 'mariadb' ? [anyOrder] : []),
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
  return (await isInstalled('mariadb-binlog')) ? 'mariadb-binlog' : 'mysqlbinlog'
}

/** A path that exists, or a name in a folder of the search path. */
async function isInstalled(tool: string): Promise<boolean> {
  const folders = tool.includes('/') ? [''] : (process.env.PATH ?? '').split(':')
  return (await Promise.all(folders.map((folder) => exists(path.join(folder, tool))))).includes(true)
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )
