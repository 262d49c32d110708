// `manager login-link USER`: a one-time link for any user, for who administers the machine: it needs write access to the working directory.
import { chown, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { now } from '../../lib/base/time.js'
import { type LoadInput, loadConfiguration, publicUrl, renderFault } from '../../lib/settings/index.js'
import { CODES_FOLDER, makeLoginCode } from '../../lib/store/index.js'

/** The words after `login-link`: one user, and flags of settings. Failure `bad-request` (with the usage) for any other number of words. */
export async function loginLinkCommand(input: LoadInput): Promise<Result<string>> {
  const words = input.flags ?? []
  const users = words.filter((word) => !word.startsWith('--'))
  const flags = words.filter((word) => word.startsWith('--'))
  return makeLoginLink(users.length === 1 ? users[0] : undefined, { ...input, flags })
}

/** The link, by `api-public-url`. The user need not be known here: a cluster may have users of its own. */
export async function makeLoginLink(user: string | undefined, input: LoadInput): Promise<Result<string>> {
  if (user === undefined || user.startsWith('-'))
    return fail('bad-request', 'Usage: manager login-link USER [--config FILE]')
  const loaded = await loadConfiguration(input)
  if (!loaded.ok) return fail('bad-configuration', loaded.faults.map(renderFault).join('\n'))
  const { settings } = loaded.configuration.server
  const workingDir = settings['monitoring-datadir']
  const made = await makeLoginCode(workingDir, { user, at: now() })
  if (!made.ok) return made
  await giveToOwner(workingDir)
  return ok(`${publicUrl(settings)}/login#code=${made.value.secret}`)
}

/** Made by root for a manager that runs as another user. */
async function giveToOwner(workingDir: string): Promise<void> {
  const { uid, gid } = await stat(workingDir)
  if (process.getuid?.() !== 0 || uid === 0) return
  const folder = path.join(workingDir, CODES_FOLDER)
  await chown(folder, uid, gid)
  for (const name of await readdir(folder)) await chown(path.join(folder, name), uid, gid)
}
