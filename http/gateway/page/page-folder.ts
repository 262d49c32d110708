// The files of the page: listed once, so that an address can name nothing else, with the packed form beside each.
import type { Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { MINUTE, now, SECOND } from '../../../lib/base/time.js'

export const INDEX = '/index.html'

/** Of a file beside the one of the name: `app.js.br`. */
export type Packing = 'br' | 'gzip'

export interface PageFile {
  /** Absolute path. */
  readonly file: string
  readonly type: string
  /** Changes when the file does. */
  readonly tag: string
  readonly packed: Readonly<Partial<Record<Packing, string>>>
}

/** By the path of the address, as browsers send it. */
export type PageFiles = ReadonlyMap<string, PageFile>

/** Kinds of files that are served; others in the folder are not. */
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
}

const packings: Readonly<Record<Packing, string>> = { br: '.br', gzip: '.gz' }

/** A folder with more is not that of a page. */
const MOST_FILES = 5_000
/** A larger file is not one of a page. */
const LARGEST = 33_554_432
const CHECKED_EVERY = SECOND
/** A build writes its files one after the other: until so long after its index.html the folder is listed at each check. */
const BUILDING_MS = MINUTE

/** The files of the folder as it is now; undefined when it has no index.html. */
export function watchPageFolder(folder: string): () => Promise<PageFiles | undefined> {
  let known: { readonly mark: string | undefined; readonly files: Promise<PageFiles | undefined> } | undefined
  let checkedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (known && now() - checkedAt < CHECKED_EVERY) return known.files
    checkedAt = now()
    const index = await stat(path.join(folder, INDEX)).catch(() => undefined)
    const mark = index ? markOf(index) : ''
    const isSettled = Date.now() - (index?.mtimeMs ?? 0) > BUILDING_MS
    if (known?.mark === mark && isSettled) return known.files
    known = { mark: isSettled ? mark : undefined, files: listFiles(folder) }
    return known.files
  }
}

async function listFiles(folder: string): Promise<PageFiles | undefined> {
  const found = await filesBelow(folder, MOST_FILES).catch(() => [])
  const files = new Map<string, PageFile>()
  const names = new Set(found)
  for (const name of found) {
    const type = types[path.extname(name)]
    const file = path.join(folder, name)
    if (type === undefined) continue
    const tag = await stat(file).then(markOf, () => '')
    if (tag === '') continue
    const packed = Object.entries(packings).filter(([, end]) => names.has(name + end))
    const address = `/${name.split(path.sep).map(encodeURIComponent).join('/')}`
    files.set(address, {
      ...{ file, type, tag },
      packed: Object.fromEntries(packed.map(([packing, end]) => [packing, file + end])),
    })
  }
  return files.has(INDEX) ? files : undefined
}

/** Links are passed over, so nothing outside of the folder is listed; hidden files, too. */
async function filesBelow(folder: string, most: number, below = ''): Promise<readonly string[]> {
  const names: string[] = []
  for (const entry of await readdir(path.join(folder, below), { withFileTypes: true })) {
    if (names.length >= most) break
    const name = path.join(below, entry.name)
    if (entry.name.startsWith('.')) continue
    if (entry.isDirectory()) names.push(...(await filesBelow(folder, most - names.length, name)))
    else if (entry.isFile()) names.push(name)
  }
  return names
}

/** '' for what is no file, or a very large one. */
const markOf = (found: Stats): string =>
  found.isFile() && found.size <= LARGEST ? `${found.size.toString(36)}-${Math.round(found.mtimeMs).toString(36)}` : ''
