// The working directory at start: created when missing, and tested, so that a wrong one is reported before anything runs.
import { access, constants, mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, type Result } from '../../base/result.js'
import { codeOf, reasonOf } from './atomic-write.js'

/** `file-unwritable` when files cannot be created in it. */
export async function prepareWorkingDirectory(directory: string): Promise<Result<void>> {
  try {
    await makeDirectory(path.resolve(directory))
    if (!(await stat(directory)).isDirectory()) throw new Error('it is not a directory')
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK)
    return done
  } catch (error) {
    return fail('file-unwritable', `monitoring-datadir ${directory}: ${reasonOf(error)}`)
  }
}

/**
 * One level after the other: where mkdir reports a missing parent, Node's own recursion never ends. Another caller may create a
 * level meanwhile.
 */
export async function makeDirectory(directory: string): Promise<void> {
  const parent = path.dirname(directory)
  if (parent !== directory && !(await exists(parent))) await makeDirectory(parent)
  if (await exists(directory)) return
  await mkdir(directory, { mode: modeOf('workingFolder') }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return false
      throw error
    },
  )
