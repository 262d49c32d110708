// Copies the state of a working directory as it was at one moment, while a manager may run on it.
import { copyFile, lstat, mkdir, open, readdir, truncate } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../lib/base/files/modes.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { sleep } from '../../lib/base/time.js'
import { RESTORING, SOCKET } from '../../lib/store/index.js'
import { codeOf } from '../../lib/store/kit/atomic-write.js'

/** A busy manager replaces files several times a second, each at once. */
const ROUNDS = 50
const REST_MS = 100

/** What is not state: backups, recordings, archives that are built again, data and processes of local servers, unfinished files. */
const leftOut: readonly RegExp[] = [
  /^(backups|scratch)(\/|$)/,
  new RegExp(`^(${[RESTORING, SOCKET].map((name) => name.replace('.', '\\.')).join('|')})(/|$)`),
  /^\.replaced-/,
  /^[^/]+\/[^/]+_\d+\/(data|init|run)(\/|$)/,
  /^[^/]+\/recording(\/|$)/,
  /(^|\/)config\.tar\.gz$/,
  /\.(tmp|new|log)$/,
]

/** Lines are only ever appended to these: what they had at the moment of the copy is a state they had. */
const isAppended = (name: string): boolean => name.endsWith('.jsonl')

/** Name → what changes when the file changes. */
type Sight = ReadonlyMap<string, string>

/** Every file of the state, sorted, links and sockets left out. */
export async function listState(directory: string): Promise<readonly string[]> {
  const names: string[] = []
  const visit = async (folder: string): Promise<void> => {
    for (const entry of await readdir(path.join(directory, folder), { withFileTypes: true })) {
      const name = path.join(folder, entry.name)
      if (leftOut.some((pattern) => pattern.test(name))) continue
      if (entry.isDirectory()) await visit(name)
      else if (entry.isFile()) names.push(name)
    }
  }
  await visit('')
  return names.sort()
}

/**
 * Copies until no file was replaced, added or removed between the first and the last read; appended files are cut after their last
 * complete line. Answers the names. Failure: a directory that never rests so long.
 */
export async function copyState(directory: string, target: string): Promise<Result<readonly string[]>> {
  let copied: Sight = new Map()
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await sight(directory)
    for (const [name, mark] of before) if (copied.get(name) !== mark) await copyOne(directory, target, name)
    const after = await sight(directory)
    if (isSame(before, after)) return ok([...before.keys()])
    copied = before
    await sleep(REST_MS)
  }
  return fail(
    'file-unreadable',
    `${directory}: files were replaced during each of ${ROUNDS} copies; try again when fewer operations run`,
  )
}

const isSame = (left: Sight, right: Sight): boolean =>
  left.size === right.size &&
  [...left].every(([name, mark]) => right.get(name) === mark || (isAppended(name) && right.has(name)))

async function sight(directory: string): Promise<Sight> {
  const marks = new Map<string, string>()
  for (const name of await listState(directory)) {
    const stat = await lstat(path.join(directory, name), { bigint: true }).catch(ignoreMissing)
    if (stat) marks.set(name, `${stat.ino} ${stat.size} ${stat.mtimeNs}`)
  }
  return marks
}

async function copyOne(directory: string, target: string, name: string): Promise<void> {
  const file = path.join(target, name)
  await mkdir(path.dirname(file), { recursive: true, mode: modeOf('scratch') })
  await copyFile(path.join(directory, name), file).catch(ignoreMissing)
  if (isAppended(name)) await cutUnfinished(file).catch(ignoreMissing)
}

/** The end of a line that was being written. */
async function cutUnfinished(file: string): Promise<void> {
  const { size } = await lstat(file)
  const handle = await open(file, 'r')
  try {
    const step = 64 * 1024
    for (let end = size; end > 0; end = Math.max(0, end - step)) {
      const start = Math.max(0, end - step)
      const bytes = Buffer.alloc(end - start)
      await handle.read(bytes, 0, bytes.length, start)
      const at = bytes.lastIndexOf(0x0a)
      if (at < 0) continue
      if (start + at + 1 < size) await truncate(file, start + at + 1)
      return
    }
    if (size > 0) await truncate(file, 0)
  } finally {
    await handle.close()
  }
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}
