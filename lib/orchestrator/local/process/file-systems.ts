// File systems of directories on this machine.
import { statfs } from 'node:fs/promises'
import { ok, type Result } from '../../../base/result.js'
import type { FileSystem } from '../../../model/server/watched.js'

/** With the directory as the path; a directory that is missing or closed to the manager is left out. */
export async function readFileSystems(directories: readonly string[]): Promise<Result<readonly FileSystem[]>> {
  const read = directories.map(async (path): Promise<readonly FileSystem[]> => {
    const known = await statfs(path).catch(() => undefined)
    if (known === undefined) return []
    const { blocks, bfree, bavail, bsize } = known
    return [{ path, totalBytes: blocks * bsize, usedBytes: (blocks - bfree) * bsize, availableBytes: bavail * bsize }]
  })
  return ok((await Promise.all(read)).flat())
}
