// A logical copy by mydumper: several threads write a file for each table; the directory is stored as one archive.
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { fail, ok, type Result } from '../../base/result.js'
import { MINUTE, SECOND } from '../../base/time.js'
import { runProgram } from '../../connect/shell/program.js'
import { clientOptions } from '../../connect/sql/client-options.js'
import { isWholeMetadata, metadataPosition } from '../../dialect/shared/backup/backup-position.js'
import type { Copied, Copying, Method } from './method.js'
import { findProgram } from './programs.js'
import { splitWords } from './words.js'

export const DIRECTORY_FILE = 'mydumper.tar'

const REFUSED =
  /^(-[oupahPSx]|--(outputdir|user|password|ask-password|host|port|socket|defaults-file|regex|logfile|daemon))/
/** It is known to hang: a directory that does not grow for so long is the end of it. */
const STALL_MS = 10 * MINUTE
const LOOK_MS = 2 * SECOND

export const mydumperMethod: Method = {
  tool: 'mydumper',
  kind: 'logical',
  flavours: ['mariadb', 'mysql', 'percona'],
  incremental: false,
  locksItself: false,
  selectsRows: true,
  copy: async (copying) => {
    const { settings, source, scratch } = copying
    const options = splitWords(settings['backup-mydumper-options'])
    const wrong = options.find((option) => REFUSED.test(option))
    if (wrong !== undefined)
      return fail('backup-refused', `backup-mydumper-options: ${wrong} is set by the manager; remove it`)
    const names = [settings['backup-mydumper-path'], 'mydumper'].filter((name) => name !== '')
    const program = await findProgram(names, 'install the package mydumper, or set backup-mydumper-path')
    if (!program.ok) return program
    copying.log(`${program.value.file}: ${program.value.version}`)
    const [login, folder] = [path.join(scratch, 'login.cnf'), path.join(scratch, 'dump')]
    await writeFile(login, clientOptions(source.target), { mode: modeOf('login') })
    await mkdir(folder, { mode: modeOf('scratch') })
    const regex = settings['backup-mydumper-regex']
    const args = [
      ...[`--defaults-file=${login}`, `--outputdir=${folder}`],
      `--threads=${settings['backup-logical-dump-threads']}`,
      ...(regex === '' ? [] : [`--regex=${regex}`]),
      ...options,
    ]
    const dumped = await runWatched(copying, { file: program.value.file, args, folder })
    if (!dumped.ok) return dumped
    const metadata = await readFile(path.join(folder, 'metadata'), 'utf8').catch(() => '')
    if (!isWholeMetadata(metadata)) return fail('backup-failed', 'mydumper wrote no whole file `metadata`')
    const position = metadataPosition(metadata)
    if (source.binlog && !position) return fail('backup-failed', 'mydumper names no position of the binary log')
    const stored = await copying.store({ type: 'directory', path: folder }, DIRECTORY_FILE)
    if (!stored.ok) return stored
    return ok<Copied>({ toolVersion: program.value.version, ...(position ? { position } : {}) })
  },
}

interface Dump {
  readonly file: string
  readonly args: readonly string[]
  readonly folder: string
}

/** Ends a program that writes nothing more. */
async function runWatched(
  { signal, log, progress, deadlineMs }: Copying,
  { file, args, folder }: Dump,
): Promise<Result<void>> {
  const stalled = new AbortController()
  const end = () => stalled.abort()
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  let [bytes, grownAt, isStalled] = [0, performance.now(), false]
  const timer = setInterval(async () => {
    const now = await sizeOf(folder)
    if (now !== bytes) grownAt = performance.now()
    bytes = now
    progress(bytes)
    isStalled = performance.now() - grownAt > STALL_MS
    if (isStalled) end()
  }, LOOK_MS)
  const ran = await runProgram({ file, args, timeoutMs: deadlineMs, signal: stalled.signal, bound: true, onLine: log })
  clearInterval(timer)
  signal.removeEventListener('abort', end)
  if (isStalled) return fail('transfer-stalled', `${file} has written nothing for ${STALL_MS / MINUTE} min`)
  return ran.ok ? ok(undefined) : ran
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const sizes = await Promise.all(
    names.map((name) =>
      stat(path.join(folder, name)).then(
        (file) => file.size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
