// The variables of a server as last seen, kept over a restart of the manager: `variables.json` in the server's directory.
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { modeOf } from '../../base/files/modes.js'
import { fail, type Result } from '../../base/result.js'
import type { ServerAddress } from '../../model/server/server.js'
import { reasonOf } from '../kit/atomic-write.js'
import { readState, type StateFormat, writeState } from '../kit/state-file.js'

const shape = z.array(z.string())

const format: StateFormat<readonly string[]> = {
  version: 1,
  accept: (value) => shape.safeParse(value).data,
}

const folderOf = (directory: string, { host, port }: ServerAddress): string => path.join(directory, `${host}_${port}`)

/** `name=value` lines; undefined where none were kept, or they cannot be read: the next reading is the first one then. */
export const readWatchedVariables = async (
  directory: string,
  server: ServerAddress,
): Promise<readonly string[] | undefined> =>
  (await readState(path.join(folderOf(directory, server), 'variables.json'), format)).value

/** Failure: `file-unwritable`. */
export async function writeWatchedVariables(
  directory: string,
  server: ServerAddress,
  lines: readonly string[],
): Promise<Result<void>> {
  const folder = folderOf(directory, server)
  try {
    await mkdir(folder, { recursive: true, mode: modeOf('stateFolder') })
  } catch (error) {
    return fail('file-unwritable', `${folder}: ${reasonOf(error)}`)
  }
  return writeState(path.join(folder, 'variables.json'), format, lines)
}
