// Builds the archives of one batch inside a pool thread; templates are kept from batch to batch.
// The thread has nothing else to do, so its file calls are synchronous: they cost a fifth of the others.
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { LRUCache } from 'lru-cache'
import {
  emptyOverlay,
  overlayEntries,
  overlayNames,
  prepareTemplate,
  type RuleSet,
  type Template,
} from '../../lib/configure/index.js'
import { unpackArchive } from '../../lib/orchestrator/unpack.js'
import { codeOf } from '../../lib/store/atomic-write.js'
import { type Cookie, cookieFile } from '../../lib/store/cookies.js'
import { archiveLabel, type Batch, type BatchServer, type Outcome } from './input.js'
import { deflatePiece, LABEL_BYTES, type Piece, readLabel, stitchGzip } from './stitch.js'
import { createTlsReader, readOverlays, type TlsSupply } from './supply.js'
import { tarEnd, tarRecords } from './tar.js'

export const ARCHIVE_NAME = 'config.tar.gz'

interface Prepared {
  readonly template: Template
  readonly shared: Piece
}

/** A builder for one thread: it keeps the last templates and certificates with their deflated parts. */
export function createBuilder(rules: RuleSet): (batch: Batch) => Promise<readonly Outcome[]> {
  const kept = new LRUCache<string, Prepared>({ max: 64 })
  const readTls = createTlsReader()
  const prepare = (batch: Batch): Prepared => {
    const known = kept.get(batch.key)
    if (known !== undefined) return known
    const template = prepareTemplate({ ...batch.template, rules })
    const prepared = { template, shared: deflatePiece(tarRecords(template.shared), 'often') }
    kept.set(batch.key, prepared)
    return prepared
  }
  const tlsOf = ({ certified, directory }: BatchServer) => (certified ? readTls(path.dirname(directory)) : undefined)
  return async (batch) => {
    const outcomes: Outcome[] = []
    for (const server of batch.servers)
      outcomes.push(await buildOne(server, batch.force, { prepare: () => prepare(batch), tlsOf }))
    return outcomes
  }
}

/** What most servers have in custom.d: nothing. */
const plainOverlays = deflatePiece(tarRecords(overlayEntries({})), 'often')

interface Sources {
  readonly prepare: () => Prepared
  readonly tlsOf: (server: BatchServer) => TlsSupply | undefined
}

async function buildOne(server: BatchServer, force: boolean, { prepare, tlsOf }: Sources): Promise<Outcome> {
  const { directory } = server
  const file = path.join(directory, ARCHIVE_NAME)
  try {
    const overlays = readOverlays(directory, server)
    const tls = tlsOf(server)
    const label = archiveLabel(server.label, overlays, tls?.digest)
    const before = labelOf(file)
    const unchanged = !force && before === label
    if (!unchanged) {
      const { template, shared } = prepare()
      const isPlain = overlayNames.every((name) => overlays[name] === emptyOverlay(name))
      const entries = [...template.own(server), ...(isPlain ? [] : overlayEntries(overlays))]
      const more = [...(tls ? [tls.piece()] : []), ...(isPlain ? [plainOverlays] : [])]
      writeWhole(file, stitchGzip({ first: shared, more, rest: Buffer.concat([tarRecords(entries), tarEnd]), label }))
      // The first archive of a server is no change of what it runs on, nor is the first one that knows its software.
      if (before !== undefined && before !== label && !server.guessed) raiseFlags(directory, ['config'])
    }
    const unpacked = server.tree ? await unpackArchive(file, directory) : undefined
    if (unpacked && !unpacked.ok) return { failed: unpacked.failure.message }
    return unchanged ? 'unchanged' : 'built'
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { failed: reason.includes(directory) ? reason : `${directory}: ${reason}` }
  }
}

/** What a changed archive asks of its service. */
export function raiseFlags(directory: string, flags: readonly Cookie[]): void {
  for (const flag of flags) writeFileSync(cookieFile(directory, flag), '')
}

/** The label of an archive on disk; undefined when there is none. */
export function labelOf(file: string): string | undefined {
  let handle: number
  try {
    handle = openSync(file, 'r')
  } catch {
    return undefined
  }
  try {
    const start = Buffer.alloc(LABEL_BYTES)
    return readLabel(start.subarray(0, readSync(handle, start)))
  } finally {
    closeSync(handle)
  }
}

let written = 0

/** Temporary file, fsync, rename: a reader sees the old archive or the new one. It holds keys, so only the owner reads it. */
export function writeWhole(file: string, bytes: Buffer): void {
  written += 1
  const temporary = `${file}.${process.pid}.${performance.timeOrigin}.${written}.tmp`
  try {
    const handle = openIn(path.dirname(file), temporary)
    try {
      writeSync(handle, bytes)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Opens a new file; its folder is made only when that shows that there is none. */
function openIn(folder: string, file: string): number {
  try {
    return openSync(file, 'wx', 0o600)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    mkdirSync(folder, { recursive: true, mode: 0o755 })
    return openSync(file, 'wx', 0o600)
  }
}
