// A physical copy by mariabackup or xtrabackup: the files of a server and their log as a stream, read on this machine or on the server's host.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { fail, ok, type Result } from '../../base/result.js'
import { clientOptions } from '../../connect/sql/client-options.js'
import { type PhysicalFacts, physicalFacts } from '../../dialect/shared/backup/backup-position.js'
import type { BackupTool } from '../../model/backup.js'
import type { Flavour } from '../../model/server/version.js'
import type { TransferReport } from '../stream/index.js'
import { findLocalData } from './local-files.js'
import type { Copied, Copying, Method } from './method.js'
import { findProgram } from './programs.js'

interface PhysicalRow {
  readonly tool: Extract<BackupTool, 'mariabackup' | 'xtrabackup'>
  readonly flavours: readonly Flavour[]
  /** The program, the newest name first. */
  readonly names: readonly string[]
  readonly install: string
  /** Its option by which changes of tables wait, or do not. */
  readonly ddlOptions: (isHeld: boolean) => readonly string[]
}

export const mariabackupMethod = physicalMethod({
  ...{ tool: 'mariabackup', flavours: ['mariadb'], names: ['mariadb-backup', 'mariabackup'] },
  install: 'install the package mariadb-backup',
  ddlOptions: (isHeld) => (isHeld ? ['--lock-ddl-per-table'] : []),
})

export const xtrabackupMethod = physicalMethod({
  ...{ tool: 'xtrabackup', flavours: ['mysql', 'percona'], names: ['xtrabackup'] },
  install: 'install the package percona-xtrabackup of the version of the server, or make logical backups',
  ddlOptions: (isHeld) => [`--lock-ddl=${isHeld ? 'ON' : 'OFF'}`],
})

function physicalMethod(row: PhysicalRow): Method {
  const { tool, flavours } = row
  return {
    ...{ tool, flavours, kind: 'physical', incremental: true, locksItself: true, selectsRows: false },
    copy: async (copying) => {
      const data = await findLocalData(copying.source.target)
      if (data.ok) return copyHere(row, copying, data.value)
      if (data.failure.code !== 'backup-refused') return data
      copying.log(`${data.failure.message}: ${tool} runs on its host`)
      return copyThere(row, copying)
    },
  }
}

async function copyHere(
  { tool, names, install, ddlOptions }: PhysicalRow,
  copying: Copying,
  dataDirectory: string,
): Promise<Result<Copied>> {
  const { source, scratch, previous, lockDdl } = copying
  const program = await findProgram(names, install)
  if (!program.ok) return program
  copying.log(`${program.value.file}: ${program.value.version}`)
  copying.log(
    `${source.name}: changes of its tables ${lockDdl ? 'wait until the copy is complete' : 'do not wait'} (backup-lockddl)`,
  )
  const [login, target, about] = ['login.cnf', 'work', 'lsn'].map((name) => path.join(scratch, name)) as [
    string,
    string,
    string,
  ]
  await writeFile(login, clientOptions(source.target), { mode: modeOf('login') })
  await mkdir(target, { mode: modeOf('scratch') })
  const stored = await copying.store(
    {
      ...{ type: 'program', file: program.value.file },
      args: [
        ...[`--defaults-file=${login}`, '--backup', '--stream=xbstream', `--datadir=${dataDirectory}`],
        ...[`--target-dir=${target}`, `--extra-lsndir=${about}`],
        ...ddlOptions(lockDdl),
        ...(previous?.lsn ? [`--incremental-lsn=${previous.lsn.to}`] : []),
      ],
    },
    `${tool}.xbstream`,
  )
  if (!stored.ok) return stored
  return judgeCopy(tool, copying, { report: stored.value, facts: await readFacts(about) })
}

interface Made {
  readonly report: TransferReport
  readonly facts: PhysicalFacts | undefined
}

function judgeCopy(tool: string, { source }: Copying, { report, facts }: Made): Result<Copied> {
  const isWhole = report.programs.some(({ lastLines }) => lastLines.some((line) => line.includes('completed OK!')))
  if (!isWhole) return fail('backup-failed', `${tool} did not end with the line \`completed OK!\``)
  if (!facts) return fail('backup-failed', `${tool} wrote no checkpoints`)
  if (source.binlog && !facts.position) return fail('backup-failed', `${tool} names no position of the binary log`)
  return ok(facts)
}

/** As releases name them, the newest first. */
const checkpointFiles = ['mariadb_backup_checkpoints', 'xtrabackup_checkpoints'] as const
const aboutFiles = ['mariadb_backup_info', 'xtrabackup_info'] as const

async function readFacts(folder: string): Promise<PhysicalFacts | undefined> {
  const [checkpoints, about] = await Promise.all([firstOf(folder, checkpointFiles), firstOf(folder, aboutFiles)])
  return physicalFacts(checkpoints, about)
}

async function firstOf(folder: string, names: readonly string[]): Promise<string> {
  for (const name of names) {
    const text = await readFile(path.join(folder, name), 'utf8').catch(() => undefined)
    if (text !== undefined) return text
  }
  return ''
}

/** The host's script sends the stream here; its exit says whether the tool ended well, its count whether all bytes came. */
async function copyThere({ tool }: PhysicalRow, { store, source, previous, host }: Copying): Promise<Result<Copied>> {
  if (previous)
    return fail('backup-refused', `${source.name}: incremental backups are made on this machine only; make a full one`)
  const received = await host.receive(tool, (end, options) => store(end, `${tool}.xbstream`, options))
  if (!received.ok) return received
  const { report, bytes, position } = received.value
  if (bytes !== undefined && bytes !== report.rawBytes)
    return fail('backup-failed', `the host sent ${bytes} bytes, ${report.rawBytes} came`)
  if (source.binlog && !position) return fail('backup-failed', `${tool} names no position of the binary log`)
  return ok({ toolVersion: tool, ...(position ? { position } : {}) })
}
