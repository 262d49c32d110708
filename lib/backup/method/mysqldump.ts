// A logical copy by mysqldump or mariadb-dump: one consistent snapshot as a text of statements.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { fail, ok, type Result } from '../../base/result.js'
import { MINUTE } from '../../base/time.js'
import { clientOptions } from '../../connect/sql/client-options.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import { dumpPosition } from '../../dialect/shared/backup/backup-position.js'
import { dumpOptions, gtidAt } from '../../dialect/shared/backup/backups.js'
import type { BackupPosition } from '../../model/backup.js'
import type { Copied, CopySource, Method } from './method.js'
import { findProgram, type Program } from './programs.js'
import { splitWords } from './words.js'

export const DUMP_FILE = 'mysqldump.sql'

/** Options by which the bytes or the login would not be the manager's. */
const REFUSED = /^(-[rTpuhPS]|--(result-file|tab|password|user|host|port|socket|defaults[a-z-]*|log-error|protocol))/

export const mysqldumpMethod: Method = {
  tool: 'mysqldump',
  kind: 'logical',
  flavours: ['mariadb', 'mysql', 'percona'],
  incremental: false,
  locksItself: false,
  selectsRows: true,
  copy: async (copying) => {
    const { source, settings } = copying
    const options = splitWords(settings['backup-mysqldump-options'])
    const wrong = options.find((option) => REFUSED.test(option))
    if (wrong !== undefined)
      return fail('backup-refused', `backup-mysqldump-options: ${wrong} is set by the manager; remove it`)
    const program = await findDump(source, settings['backup-mysqldump-path'])
    if (!program.ok) return program
    copying.log(`${program.value.file}: ${program.value.version}`)
    const login = path.join(copying.scratch, 'login.cnf')
    await writeFile(login, clientOptions(source.target), { mode: modeOf('login') })
    const stored = await copying.store(
      {
        ...{ type: 'program', file: program.value.file },
        args: [`--defaults-file=${login}`, ...dumpOptions(source, program.value.version), ...options],
      },
      DUMP_FILE,
    )
    if (!stored.ok) return stored
    const { head, tail } = stored.value
    if (!/^-- Dump completed/m.test(tail) && !options.some((option) => /^--(skip-comments|compact)$/.test(option)))
      return fail('backup-failed', 'the dump has no last line `-- Dump completed`: it is not whole')
    const position = source.binlog ? await checkedPosition(source, dumpPosition(`${head}\n${tail}`)) : ok(undefined)
    if (!position.ok) return position
    return ok<Copied>({ toolVersion: program.value.version, ...(position.value ? { position: position.value } : {}) })
  },
}

/** Each flavour's own program: the other one's does not know its positions. */
async function findDump({ flavour }: CopySource, configured: string): Promise<Result<Program>> {
  const isMariadb = flavour === 'mariadb'
  const names = configured === '' ? (isMariadb ? ['mariadb-dump', 'mysqldump'] : ['mysqldump']) : [configured]
  const found = await findProgram(names, 'install the client programs of the database, or set backup-mysqldump-path')
  if (!found.ok || /mariadb/i.test(found.value.version) === isMariadb) return found
  const wanted = isMariadb ? 'MariaDB' : 'MySQL'
  return fail(
    'backup-refused',
    `${found.value.file} is not a program of ${wanted} (${found.value.version}): set backup-mysqldump-path to one that is`,
  )
}

/** MariaDB: the transactions that the dump names are those before its place in the binary log. */
async function checkedPosition(
  source: CopySource,
  position: BackupPosition | undefined,
): Promise<Result<BackupPosition>> {
  if (!position) return fail('backup-failed', `${source.name}: the dump names no position of the binary log`)
  if (source.flavour !== 'mariadb') return ok(position)
  const opened = await openSession(source.target)
  if (!opened.ok) return opened
  const { sql, values } = gtidAt(position.file, position.offset)
  const read = await opened.value.run(sql, values, MINUTE)
  opened.value.close()
  if (!read.ok) return read
  const gtid = read.value[0]?.[0]?.gtid
  const same = gtid === null || gtid === undefined || sorted(String(gtid)) === sorted(position.gtid)
  return same
    ? ok(position)
    : fail('backup-failed', `the dump names GTID ${position.gtid}, but ${position.file}:${position.offset} is ${gtid}`)
}

const sorted = (gtid: string): string => gtid.split(',').sort().join()
