// Finds the programs of the database on this machine, and the system user they run as.
import { access, constants } from 'node:fs/promises'
import { userInfo } from 'node:os'
import path from 'node:path'
import { done, fail, ok, type Result } from '../../../base/result.js'
import { MINUTE } from '../../../base/time.js'
import { runProgram } from '../../../connect/shell/program.js'
import type { Flavour } from '../../../model/server/version.js'

export interface Programs {
  readonly server: string
  /** Creates a data folder; a server of MySQL creates its own. */
  readonly installer?: string
}

/** Servers are in sbin, which is not in the path of every user. */
const extraFolders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/usr/libexec']

/** `mariadbd` and `mariadb-install-db`, or `mysqld`, from the options or from where packages put them. */
export async function findPrograms(flavour: Flavour, given: Partial<Programs> = {}): Promise<Result<Programs>> {
  if (flavour !== 'mariadb') return findMysql(given)
  const server = given.server ?? (await findProgram(['mariadbd', 'mysqld']))
  const installer = given.installer ?? (await findProgram(['mariadb-install-db', 'mysql_install_db']))
  if (server !== undefined && installer !== undefined) return ok({ server, installer })
  const missing = server === undefined ? 'mariadbd' : 'mariadb-install-db'
  return fail('orchestrator-failed', `${missing} is not installed on this machine (package mariadb-server)`)
}

/** Packages of MariaDB contain a program of this name, too. */
async function findMysql(given: Partial<Programs>): Promise<Result<Programs>> {
  const server = given.server ?? (await findProgram(['mysqld']))
  const version =
    server === undefined ? undefined : await runProgram({ file: server, args: ['--version'], timeoutMs: MINUTE })
  if (server !== undefined && version?.ok && !/mariadb/i.test(version.value.lastLines.join(' '))) return ok({ server })
  const why = version?.ok === false ? `: ${version.failure.message}` : ''
  return fail(
    'orchestrator-failed',
    `no mysqld of MySQL, which prov-db-docker-img names, is installed on this machine${why}`,
  )
}

async function findProgram(names: readonly string[]): Promise<string | undefined> {
  const folders = [...(process.env.PATH ?? '').split(':').filter(path.isAbsolute), ...extraFolders]
  for (const file of names.flatMap((name) => folders.map((folder) => path.join(folder, name)))) {
    const usable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (usable) return file
  }
  return undefined
}

export interface RunAs {
  /** The name of the user that the server runs as. */
  readonly user: string
  /** The server is started by root and needs the name of its user, root included. */
  readonly byRoot: boolean
}

/** The current user unless root uses another one. */
export function chooseUser(wanted?: string): Result<RunAs> {
  const { uid, username } = userInfo()
  if (uid === 0) return ok({ user: wanted ?? 'root', byRoot: true })
  if (wanted === undefined || wanted === username) return ok({ user: username, byRoot: false })
  return fail('orchestrator-failed', `only root can run a server as ${wanted}; this is ${username}`)
}

/** Makes the server's user the owner of a folder with its content; only root can, and only then it is needed. */
export async function changeOwner(folder: string, { user, byRoot }: RunAs): Promise<Result<void>> {
  if (!byRoot || user === 'root') return done
  const result = await runProgram({ file: 'chown', args: ['-R', user, folder], timeoutMs: MINUTE })
  return result.ok ? done : fail('orchestrator-failed', result.failure.message)
}
