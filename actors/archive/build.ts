// Builds the archives of one batch inside a pool thread; templates are kept from batch to batch.
import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { LRUCache } from 'lru-cache'
import { done } from '../../lib/base/result.js'
import { prepareTemplate, type RuleSet, type Template } from '../../lib/configure/index.js'
import { unpackArchive } from '../../lib/orchestrator/unpack.js'
import type { Batch, BatchServer, Outcome } from './input.js'
import { deflatePrefix, type Prefix, readLabel, stitchGzip } from './stitch.js'
import { tarEnd, tarRecords } from './tar.js'

export const ARCHIVE_NAME = 'config.tar.gz'

interface Prepared {
  readonly template: Template
  readonly prefix: Prefix
}

/** A builder for one thread: it keeps the last templates with their deflated shared part. */
export function createBuilder(rules: RuleSet): (batch: Batch) => Promise<readonly Outcome[]> {
  const kept = new LRUCache<string, Prepared>({ max: 64 })
  const prepare = (batch: Batch): Prepared => {
    const known = kept.get(batch.key)
    if (known !== undefined) return known
    const template = prepareTemplate({ ...batch.template, rules })
    const prepared = { template, prefix: deflatePrefix(tarRecords(template.shared)) }
    kept.set(batch.key, prepared)
    return prepared
  }
  return (batch) => Promise.all(batch.servers.map((server) => buildOne(server, batch.force, () => prepare(batch))))
}

async function buildOne(server: BatchServer, force: boolean, prepare: () => Prepared): Promise<Outcome> {
  const file = path.join(server.directory, ARCHIVE_NAME)
  try {
    const unchanged = !force && (await labelOf(file)) === server.label
    if (!unchanged) await writeWhole(file, packArchive(prepare(), server))
    const unpacked = server.tree ? await unpackArchive(file, server.directory) : done
    if (!unpacked.ok) return { failed: unpacked.failure.message }
    return unchanged ? 'unchanged' : 'built'
  } catch (error) {
    return { failed: `${server.directory}: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** The archive's bytes: equal for equal input. */
export const packArchive = ({ template, prefix }: Prepared, server: BatchServer): Buffer =>
  stitchGzip(prefix, Buffer.concat([tarRecords(template.own(server)), tarEnd]), server.label)

/** The label of an archive on disk; undefined when there is none. An archive is 20 KB: reading it whole is one call. */
async function labelOf(file: string): Promise<string | undefined> {
  return readFile(file).then(readLabel, () => undefined)
}

let written = 0

/** Temporary file, fsync, rename: a reader sees the old archive or the new one. It holds keys, so only the owner reads it. */
async function writeWhole(file: string, bytes: Buffer): Promise<void> {
  written += 1
  const temporary = `${file}.${process.pid}.${performance.timeOrigin}.${written}.tmp`
  try {
    const handle = await openIn(path.dirname(file), temporary)
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Opens a new file; its folder is made only when that shows that there is none. */
async function openIn(folder: string, file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx', 0o600)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    await mkdir(folder, { recursive: true, mode: 0o755 })
    return open(file, 'wx', 0o600)
  }
}
