// The job script as it is run on hosts by the manager: the same parts as in the archives, with its places in the environment.
import { readFile } from 'node:fs/promises'
import { sharePath } from '../../base/package-root.js'
import { fail, ok, type Result } from '../../base/result.js'
import { insertScripts, namedScripts } from '../../configure/rules/scripts.js'

/** The rule that puts the script into the archives. */
const RULE = sharePath('rules/database', 'jobs.yaml')

/** It reads MANAGER_CONF_DIR and MANAGER_DATADIR, which name the folders of the server. */
export async function readJobScript(): Promise<Result<string>> {
  try {
    const rule = await readFile(RULE, 'utf8')
    const names = namedScripts(rule)
    const texts = names.map(async (name) => [name, await readFile(sharePath('scripts', name), 'utf8')] as const)
    const lines = names.map((name) => `%%SCRIPT:${name}%%`).join('\n\n')
    return ok(
      `conf=$MANAGER_CONF_DIR\ndata=$MANAGER_DATADIR\n${insertScripts(lines, new Map(await Promise.all(texts)))}\n`,
    )
  } catch (error) {
    return fail('file-unreadable', `the job script: ${error instanceof Error ? error.message : String(error)}`)
  }
}
