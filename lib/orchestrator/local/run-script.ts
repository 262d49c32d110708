// A script for a server of this machine, run by a shell of its own with the folders and the account of the server.
import { fail, ok, type Result } from '../../base/result.js'
import { plainEnvironment, runProgram } from '../../connect/shell/program.js'
import type { Login } from '../database-login.js'
import type { HostScriptEnd, HostScriptRun } from '../index.js'
import type { Site } from './process/site.js'

/** The whole text is read before any of it runs; no program in it can read the rest. */
const READ = 's=$(cat); eval "$s" </dev/null'

/** Any exit status is an answer. `deadline-passed` when it was ended. */
export async function runScript(
  { dataDir, configFile, name }: Site,
  { user, password }: Login,
  { text, environment, deadlineMs, signal, onLine }: HostScriptRun,
): Promise<Result<HostScriptEnd>> {
  const own = {
    MANAGER_CONF_DIR: configFile.replace(/\/[^/]*$/, ''),
    MANAGER_DATADIR: dataDir,
    MYSQL_ROOT_USER: user,
    MYSQL_ROOT_PASSWORD: password,
  }
  const lines: string[] = []
  let code = 0
  const ended = await runProgram({
    ...{ file: 'sh', args: ['-c', `${READ}; echo "@end $?"`], input: text },
    env: { ...plainEnvironment(), ...own, ...environment },
    ...{ timeoutMs: deadlineMs, signal, maxLines: Number.POSITIVE_INFINITY },
    onLine: (line) => {
      const status = /^@end (\d+)$/.exec(line)?.[1]
      if (status !== undefined) code = Number(status)
      else {
        lines.push(line)
        if (lines.length > LAST_LINES) lines.shift()
        onLine(line)
      }
    },
  })
  if (ended.ok) return ok({ code, lastLines: lines })
  if (signal.aborted) return fail('deadline-passed', `${name}: the script was ended`)
  return ended
}

const LAST_LINES = 20
