// A stored backup into an empty data directory (physical) or into a running empty server (logical).
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, type Result } from '../../base/result.js'
import { runProgram } from '../../connect/shell/program.js'
import { onThisServerOnly } from '../../dialect/index.js'
import type { Backup } from '../../model/backup.js'
import type { ServerInstance } from '../../model/server/instance.js'
import { type StoredSource, startTransfer, type TransferSink } from '../stream/index.js'
import type { RestoreRun, Tools } from './replay.js'

/** A backup, and its stored bytes as the catalogue opens them. */
export interface StoredCopy {
  readonly backup: Pick<Backup, 'id' | 'tool' | 'kind' | 'flavour' | 'version' | 'position' | 'strategy' | 'startedAt'>
  readonly source: StoredSource
}

export interface FilesRequest {
  /** A full backup, then the incremental ones that continue it. */
  readonly copies: readonly StoredCopy[]
  /** Empty; afterwards a data directory on which a server of the same release starts. */
  readonly data: string
  /** For incremental parts; removed afterwards. */
  readonly work: string
  readonly deadlineMs: number
}

/** Physical: extracts and prepares. Failures: `restore-failed`, those of a transfer (`checksum-differs` for damaged bytes). */
export async function restoreFiles(
  { copies, data, work, deadlineMs }: FilesRequest,
  run: RestoreRun,
): Promise<Result<void>> {
  try {
    for (const [index, copy] of copies.entries()) {
      const { tool } = copy.backup
      if (tool !== 'mariabackup' && tool !== 'xtrabackup') return fail('restore-failed', `${tool} does not copy files`)
      const directory = index === 0 ? data : path.join(work, String(index))
      await mkdir(directory, { recursive: true, mode: modeOf('scratch') })
      const [extract, prepare] = programsOf(tool)
      run.log(`extracting backup ${copy.backup.id}`)
      const sink = { type: 'program', file: extract, args: ['-x', '-C', directory] } as const
      const extracted = await move(copy, { sink, deadlineMs }, run)
      if (!extracted.ok) return extracted
      run.log(`preparing backup ${copy.backup.id}`)
      const prepared = await runProgram({
        file: prepare,
        args: [
          ...['--prepare', `--target-dir=${data}`],
          ...(tool === 'xtrabackup' && index < copies.length - 1 ? ['--apply-log-only'] : []),
          ...(index === 0 ? [] : [`--incremental-dir=${directory}`]),
        ],
        ...{ timeoutMs: deadlineMs, signal: run.signal, bound: true },
      })
      if (!prepared.ok)
        return fail('restore-failed', `backup ${copy.backup.id} cannot be prepared: ${prepared.failure.message}`)
    }
    return done
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const programsOf = (tool: 'mariabackup' | 'xtrabackup'): readonly [string, string] =>
  tool === 'mariabackup' ? ['mbstream', 'mariabackup'] : ['xbstream', 'xtrabackup']

export interface StatementsRequest {
  readonly copy: StoredCopy
  readonly tools: Tools
  /** Option file with which the client logs in. */
  readonly login: string
  /** The server that is filled: nothing is loaded into another one. Absent: a scratch server, which nothing leads away from. */
  readonly own?: ServerInstance
  /** For the files of mydumper; removed afterwards. */
  readonly work: string
  readonly loadThreads: number
  readonly loadOptions: readonly string[]
  readonly deadlineMs: number
}

/** Logical: into a server that runs; nothing is written to its binary log. */
export async function restoreStatements(request: StatementsRequest, run: RestoreRun): Promise<Result<void>> {
  const { copy, tools, login, own, work, deadlineMs } = request
  const only = own ? `${onThisServerOnly(own)}, ` : ''
  run.log(`loading backup ${copy.backup.id}`)
  if (copy.backup.tool === 'mysqldump') {
    const init = `--init-command=SET ${only}SESSION sql_log_bin = 0`
    const args = [`--defaults-file=${login}`, '--binary-mode', init]
    return move(copy, { sink: { type: 'program', file: tools.client, args }, deadlineMs }, run)
  }
  if (copy.backup.tool !== 'mydumper')
    return fail(
      'restore-failed',
      `backup ${copy.backup.id} was made by ${copy.backup.tool}: only its own script can load it`,
    )
  try {
    const unpacked = await move(copy, { sink: { type: 'directory', path: work }, deadlineMs }, run)
    if (!unpacked.ok) return unpacked
    const loaded = await runProgram({
      file: tools.myloader,
      args: [
        ...[
          `--defaults-file=${await myloaderLogin(login, own)}`,
          `--directory=${work}`,
          `--threads=${request.loadThreads}`,
        ],
        ...['--overwrite-tables', ...request.loadOptions],
      ],
      ...{ timeoutMs: deadlineMs, signal: run.signal, bound: true, onLine: (line) => run.log(`myloader: ${line}`) },
    })
    return loaded.ok ? done : fail('restore-failed', loaded.failure.message)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** It reads the group of its own name besides. It knows no initial command itself; the library of the client reads that in `[client]`. */
async function myloaderLogin(login: string, only: ServerInstance | undefined): Promise<string> {
  const text = await readFile(login, 'utf8')
  const init = only ? `init-command="SET ${onThisServerOnly(only)}"\n` : ''
  const own = `${login}.myloader`
  await writeFile(own, `${text}${init}${text.replace('[client]', '[myloader]')}`, { mode: modeOf('login') })
  return own
}

async function move(
  { source }: StoredCopy,
  { sink, deadlineMs }: { readonly sink: TransferSink; readonly deadlineMs: number },
  run: RestoreRun,
): Promise<Result<void>> {
  const moved = await startTransfer(
    { source, sink, deadlineMs },
    {
      signal: run.signal,
      line: (program, line) => run.log(`${path.basename(program)}: ${line}`),
      progress: ({ rawBytes }) => run.progress(rawBytes),
    },
  ).done
  return moved.ok ? done : moved
}
