// The programs that copy servers: where they are, and which version they are.
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import path from 'node:path'
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { runProgram } from '../../connect/shell/program.js'

export interface Program {
  readonly file: string
  /** Its own words: `mariadb-dump  Ver 10.19 Distrib 10.11.19-MariaDB, …`. */
  readonly version: string
}

/** The first of `names` that can be run; a name with a `/` is a path. Failure: `backup-refused` with what to install. */
export async function findProgram(names: readonly string[], install: string): Promise<Result<Program>> {
  for (const name of names)
    for (const file of placesOf(name)) {
      if (!(await canRun(file))) continue
      const lines: string[] = []
      const ran = await runProgram({
        file,
        args: ['--version'],
        timeoutMs: 10 * SECOND,
        onLine: (line) => lines.push(line),
      })
      if (ran.ok) return ok({ file, version: lines.find((line) => /\d+\.\d+/.test(line))?.trim() ?? '' })
    }
  return fail('backup-refused', `${names.join(' or ')} is not installed on the manager's host: ${install}`)
}

const placesOf = (name: string): readonly string[] =>
  name.includes('/')
    ? [name]
    : (process.env.PATH ?? '/usr/bin').split(':').map((folder) => path.join(folder === '' ? '.' : folder, name))

async function canRun(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
