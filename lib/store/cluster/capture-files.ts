// Captures of what a server was busy with: one JSON file each in the directory of the server, the oldest removed.
import { mkdir, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { fail, type Result } from '../../base/result.js'
import { isoTime } from '../../base/time.js'
import type { ServerAddress } from '../../model/server/server.js'
import { atomicWrite, reasonOf } from '../kit/atomic-write.js'

/** `capture_<host>_<port>_20261123T135501.123Z.json`: names in the order of time. */
const nameOf = ({ host, port }: ServerAddress, at: number): string =>
  `capture_${host.replaceAll(':', '-')}_${port}_${isoTime(at).replace(/[-:]/g, '')}.json`

const folderOf = (directory: string, { host, port }: ServerAddress): string => path.join(directory, `${host}_${port}`)

export interface CaptureFile {
  /** The cluster's own directory. */
  readonly directory: string
  readonly server: ServerAddress
  /** When the capture began: the same file is written again and again. */
  readonly at: number
}

/** Writes the whole capture so far and keeps the latest `keep` files of the server. Answers the path. Failure: `file-unwritable`. */
export async function writeCapture(
  { directory, server, at }: CaptureFile,
  capture: unknown,
  keep: number,
): Promise<Result<string>> {
  const folder = folderOf(directory, server)
  const file = path.join(folder, nameOf(server, at))
  try {
    await mkdir(folder, { recursive: true, mode: modeOf('stateFolder') })
    const written = await atomicWrite(file, `${JSON.stringify(capture, null, 1)}\n`)
    if (!written.ok) return written
    const files = (await readdir(folder)).filter((name) => /^capture_.*\.json$/.test(name)).sort()
    for (const name of files.slice(0, -keep)) await rm(path.join(folder, name), { force: true })
    return { ok: true, value: file }
  } catch (error) {
    return fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  }
}
