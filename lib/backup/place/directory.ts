// A place that is a directory: files are written beside their name, synced, then renamed.
import { createWriteStream } from 'node:fs'
import { open, readdir, readFile, rename, rm, rmdir, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { codeOf, reasonOf, syncDirectory } from '../../store/kit/atomic-write.js'
import { makeDirectory } from '../../store/kit/working-directory.js'
import type { DirectoryConfig, Place, PlacedFile, PutOptions } from './place.js'

/** A file that is being written. */
const PART = '.part'
/** Read and written at a time, bytes. */
const BUFFER = 1024 * 1024

export function openDirectory({ root }: DirectoryConfig): Place {
  const at = (name: string): string => inside(root, name)
  const put = async (name: string, bytes: Readable, { signal }: PutOptions): Promise<Result<void>> => {
    const file = at(name)
    try {
      await createFolder(root, path.dirname(file))
      await writeSynced(file + PART, bytes, signal)
      await rename(file + PART, file)
      await syncDirectory(path.dirname(file))
      return done
    } catch (error) {
      bytes.destroy()
      await rm(file + PART, { force: true }).catch(() => undefined)
      return fail('place-failed', `${file}: ${reasonOf(error)}`)
    }
  }
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<Result<T>> => {
    try {
      return ok(await work())
    } catch (error) {
      return fail('place-failed', `${what}: ${reasonOf(error)}`)
    }
  }
  return {
    kind: 'directory',
    put,
    putText: (name, text, options) => put(name, Readable.from([Buffer.from(text)]), options),
    get: (name, signal) =>
      attempt(at(name), async () => {
        const handle = await open(at(name))
        return handle.createReadStream({ highWaterMark: BUFFER, signal })
      }),
    getText: (name, signal) => attempt(at(name), () => readFile(at(name), { encoding: 'utf8', signal })),
    list: (prefix) => attempt(at(prefix), () => listFiles(root, prefix)),
    remove: (names) =>
      attempt(root, async () => {
        for (const name of names) {
          await rm(at(name), { force: true })
          await removeEmpty(root, path.dirname(at(name)))
        }
      }),
    tidy: (prefix) =>
      attempt(at(prefix), async () => {
        const parts = (await listFiles(root, prefix, true)).filter((file) => file.path.endsWith(PART))
        for (const part of parts) {
          await rm(at(part.path), { force: true })
          await removeEmpty(root, path.dirname(at(part.path)))
        }
      }),
    check: () =>
      attempt(root, async () => {
        await makeDirectory(path.resolve(root))
        const probe = path.join(root, `.probe-${process.pid}`)
        await writeSynced(
          probe,
          Readable.from([Buffer.from('written to test the directory\n')]),
          new AbortController().signal,
        )
        await rm(probe, { force: true })
      }),
    free: () =>
      attempt(root, async () => {
        const { bavail, blocks, bsize } = await statfs(await nearest(root))
        return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
      }),
  }
}

/** The absolute path of a name; a name that leaves the root throws. */
function inside(root: string, name: string): string {
  const file = path.resolve(root, name)
  if (file !== path.resolve(root) && !file.startsWith(path.resolve(root) + path.sep))
    throw new Error(`${name} leaves ${root}`)
  return file
}

/** Its name is durable up to the root. */
async function createFolder(root: string, folder: string): Promise<void> {
  await makeDirectory(folder)
  for (let each = folder; ; each = path.dirname(each)) {
    await syncDirectory(each)
    if (each.length <= root.length) return
  }
}

/** Written, synced, closed: what the file system reports late, such as a full disk, fails here. */
async function writeSynced(file: string, bytes: Readable, signal: AbortSignal): Promise<void> {
  const handle = await open(file, 'w', modeOf('backup'))
  try {
    // By its number: a stream of the handle itself would keep it from closing.
    const out = createWriteStream(file, { fd: handle.fd, highWaterMark: BUFFER, autoClose: false })
    await pipeline(bytes, out, { signal })
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function listFiles(root: string, prefix: string, withParts = false): Promise<readonly PlacedFile[]> {
  const base = inside(root, prefix)
  const entries = await readdir(base, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
  const files = entries.filter((entry) => entry.isFile() && (withParts || !entry.name.endsWith(PART)))
  const found = await Promise.all(files.map((entry) => describeFile(root, path.join(entry.parentPath, entry.name))))
  return found.filter((file) => file !== undefined)
}

/** Undefined when it was removed in the meantime. */
async function describeFile(root: string, file: string): Promise<PlacedFile | undefined> {
  const found = await stat(file).catch(() => undefined)
  return found && { path: path.relative(path.resolve(root), file), bytes: found.size, at: found.mtimeMs }
}

/** Directories that became empty, up to the root. */
async function removeEmpty(root: string, folder: string): Promise<void> {
  for (let each = folder; each.startsWith(path.resolve(root) + path.sep); each = path.dirname(each)) {
    const isRemoved = await rmdir(each).then(
      () => true,
      () => false,
    )
    if (!isRemoved) return
  }
}

/** The directory itself, or the nearest above that exists. */
async function nearest(directory: string): Promise<string> {
  const exists = await stat(directory).catch(() => undefined)
  return exists || path.dirname(directory) === directory ? directory : nearest(path.dirname(directory))
}
