// The login of a server for the client programs of the database: an option file that only the manager reads.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../../base/files/modes.js'
import { clientOptions } from '../../../connect/sql/client-options.js'
import type { WorkServer } from './work.js'

/** Answers the path. The folder is private and removed by the caller. */
export async function writeLogin({ target }: WorkServer, folder: string): Promise<string> {
  const file = path.join(folder, 'server.cnf')
  await writeFile(file, clientOptions(target), { mode: modeOf('login') })
  return file
}
