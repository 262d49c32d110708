// A logical copy by an operator's script, which writes what it likes into a directory.
import { mkdir, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { fail, ok } from '../../base/result.js'
import { plainEnvironment, runProgram } from '../../connect/shell/program.js'
import { isWholeMetadata, metadataPosition } from '../../dialect/shared/backup/backup-position.js'
import type { Copied, Method } from './method.js'

export const SCRIPT_FILE = 'script.tar'

export const scriptMethod: Method = {
  tool: 'script',
  kind: 'logical',
  flavours: ['mariadb', 'mysql', 'percona'],
  incremental: false,
  locksItself: false,
  selectsRows: false,
  copy: async ({ source, settings, scratch, cluster, store, signal, log, deadlineMs }) => {
    const file = settings['backup-save-script']
    if (file === '') return fail('backup-refused', 'backup-logical-type is script: set backup-save-script to its path')
    const folder = path.join(scratch, 'dump')
    await mkdir(folder, { mode: modeOf('scratch') })
    const { target, primary } = source
    const ran = await runProgram({
      file,
      // An empty word stands where other managers pass the password: arguments are seen by every user of the host.
      args: [
        ...[source.host, primary.host, String(source.port), String(primary.port)],
        ...[target.user, '', cluster, folder],
      ],
      env: { ...plainEnvironment(), MYSQL_PWD: target.password },
      ...{ timeoutMs: deadlineMs, signal, bound: true, onLine: log },
    })
    if (!ran.ok) return ran
    if ((await readdir(folder)).length === 0)
      return fail('backup-failed', `${file} has written nothing into its directory`)
    // A file `metadata` as mydumper writes it has the position; without one it is not known.
    const metadata = await readFile(path.join(folder, 'metadata'), 'utf8').catch(() => '')
    const position = isWholeMetadata(metadata) ? metadataPosition(metadata) : undefined
    const stored = await store({ type: 'directory', path: folder }, SCRIPT_FILE)
    if (!stored.ok) return stored
    return ok<Copied>({ toolVersion: file, ...(position ? { position } : {}) })
  },
}
