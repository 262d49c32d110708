// Terms that the working directory has lost, read back from a place elsewhere: whole files, and the parts of the one that was written.
import { mkdir, open } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { fail, ok, type Result } from '../../base/result.js'
import { MINUTE } from '../../base/time.js'
import { logNumber } from '../../model/server/log-name.js'
import { type StoredFile, type Term, termDirectory, writeTerm } from '../binlog/term.js'
import type { Place, PlaceConfig } from '../place/place.js'
import { openPlace } from '../place/places.js'
import { need, startTransfer } from '../stream/index.js'
import { type CopiedObject, codingOf, joinParts, logsPrefix, parseCopied } from './copy-names.js'
import { openBytes } from './copy-seal.js'
import { StoredLog } from './stored-log.js'

export interface ReadBack {
  readonly place: PlaceConfig
  readonly cluster: string
  readonly directory: string
  readonly keyFile: string
  /** Terms that are here: nothing of them is read. */
  readonly present: readonly Term[]
  readonly signal: AbortSignal
}

const FILE_MS = 6 * 60 * MINUTE

/** What a place has of one term. */
interface Kept {
  readonly index: Extract<CopiedObject, { type: 'index' }>
  readonly wholes: ReadonlyMap<string, string>
  readonly parts: ReadonlyMap<string, readonly Extract<CopiedObject, { type: 'part' }>[]>
}

/** A writer may merge parts and remove them after they were listed. */
const ATTEMPTS = 3

/** What was read back. */
export interface TermsBack {
  /** Complete in the directory, but for `missing`. */
  readonly terms: readonly Term[]
  /** `<term>/<file>` that an index names and of which the place does not have everything. */
  readonly missing: readonly string[]
}

/**
 * Reads again what it did not find: a list that is taken while parts are merged may have neither the parts nor the whole.
 * Failure: `place-failed`; what was read until then stays.
 */
export async function readBack(request: ReadBack): Promise<Result<TermsBack>> {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === ATTEMPTS || request.signal.aborted
    const read = await readOnce(request)
    const isWhole =
      read.ok && read.value.missing.length === 0 && read.value.terms.every(({ files }) => files.length > 0)
    if (isWhole || isLast) return read
  }
}

async function readOnce(request: ReadBack): Promise<Result<TermsBack>> {
  const { cluster, present, directory } = request
  try {
    const place = openPlace(request.place)
    const listed = need(await place.list(logsPrefix(cluster)))
    const objects = listed.map((file) => parseCopied(cluster, file.path)).filter((each) => each !== undefined)
    const terms: Term[] = []
    const missing: string[] = []
    for (const id of new Set(objects.map(({ term }) => term))) {
      if (present.some((term) => term.id === id)) continue
      const kept = keptOf(objects.filter(({ term }) => term === id))
      const read = kept && (await readTerm(request, place, kept))
      if (!read) continue
      need(await writeTerm(directory, read.term))
      terms.push(read.term)
      missing.push(...read.missing.map((name) => `${id}/${name}`))
    }
    return ok({ terms, missing })
  } catch (error) {
    return fail('place-failed', error instanceof Error ? error.message : String(error))
  }
}

/** Undefined without an index: nobody knows whose log it is. */
function keptOf(objects: readonly CopiedObject[]): Kept | undefined {
  const indexes = objects.filter((each) => each.type === 'index').toSorted((a, b) => a.at - b.at)
  const index = indexes.at(-1)
  if (!index) return undefined
  const parts = new Map<string, Extract<CopiedObject, { type: 'part' }>[]>()
  for (const each of objects) if (each.type === 'part') parts.set(each.file, [...(parts.get(each.file) ?? []), each])
  return {
    index,
    parts,
    wholes: new Map(objects.flatMap((each) => (each.type === 'whole' ? [[each.file, each.path]] : []))),
  }
}

async function readTerm(
  request: ReadBack,
  place: Place,
  { index, wholes, parts }: Kept,
): Promise<{ readonly term: Term; readonly missing: readonly string[] }> {
  const term = JSON.parse(need(await place.getText(index.path, request.signal))) as Term // written by LogCopy
  const folder = termDirectory(request.directory, term)
  await mkdir(folder, { recursive: true, mode: modeOf('stateFolder') })
  const files: StoredFile[] = []
  for (const name of [...new Set([...wholes.keys(), ...parts.keys()])].sort(byNumber)) {
    const known = term.files.find((each) => each.name === name)
    const whole = wholes.get(name)
    const file =
      whole !== undefined
        ? await readWhole(request, { term, name, from: whole, ...(known ? { known } : {}) })
        : await readParts(request, place, { term, name, parts: parts.get(name) ?? [] })
    if (file) files.push(file)
  }
  return { term: { ...term, files }, missing: missingOf(term, files) }
}

/**
 * Files of the index of which not all was found. Those that were purged, which an index names for a moment longer, are older than
 * each one that was found.
 */
function missingOf(term: Term, found: readonly StoredFile[]): readonly string[] {
  const oldest = found.length === 0 ? 0 : Math.min(...found.map(({ name }) => logNumber(name)))
  const isWhole = ({ name, size }: StoredFile) => found.some((file) => file.name === name && file.size >= size)
  return term.files.filter((file) => logNumber(file.name) >= oldest && !isWhole(file)).map(({ name }) => name)
}

interface OneFile {
  readonly term: Term
  readonly name: string
}

async function readWhole(
  { place, directory, keyFile, signal }: ReadBack,
  { term, name, from, known }: OneFile & { readonly from: string; readonly known?: StoredFile },
): Promise<StoredFile> {
  const { compression, encrypted } = codingOf(from)
  // Without an entry in the index it is described by reading it, which needs it unpacked.
  const stored = known ? `${name}.gz` : name
  const report = need(
    await startTransfer(
      {
        source: { type: 'stored', place, path: from, compression, ...(encrypted ? { encryption: { keyFile } } : {}) },
        sink: {
          ...({ type: 'stored', place: { kind: 'directory', root: directory } } as const),
          ...{ path: `${term.id}/${stored}`, compression: known ? 'gzip' : 'none' },
        },
        deadlineMs: FILE_MS,
      },
      { signal },
    ).done,
  )
  if (!known) return describe(path.join(termDirectory(directory, term), name), term)
  if (report.rawBytes !== known.size) throw new Error(`${from}: ${report.rawBytes} bytes, the index has ${known.size}`)
  return { ...known, stored, storedSize: report.storedBytes, checksum: report.checksum }
}

async function readParts(
  { directory, keyFile, signal }: ReadBack,
  place: Place,
  { term, name, parts }: OneFile & { readonly parts: readonly Extract<CopiedObject, { type: 'part' }>[] },
): Promise<StoredFile | undefined> {
  const row = joinParts(parts.map(({ part }) => part)).parts
  if (row.length === 0) return undefined
  const file = path.join(termDirectory(directory, term), name)
  const handle = await open(file, 'w', modeOf('rows'))
  try {
    for (const part of row) {
      const stream = need(await place.get(part.path, signal))
      const bytes = await openBytes(stream, codingOf(part.path), keyFile)
      if (bytes.length !== part.to - part.from) throw new Error(`${part.path} has ${bytes.length} bytes`)
      await handle.write(bytes, 0, bytes.length, part.from)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  return describe(file, term)
}

/** By reading it; what follows its last complete transaction is cut off, and comes again where it is continued. */
async function describe(file: string, { flavour }: Term): Promise<StoredFile> {
  const log = await StoredLog.resume(file, flavour)
  const described = log.describe()
  log.close()
  return described
}

const byNumber = (a: string, b: string): number => logNumber(a) - logNumber(b) || a.localeCompare(b)
