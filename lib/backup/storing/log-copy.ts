// The copy of stored binary logs in one place elsewhere: what is written follows in parts every few seconds, closed files as a whole.
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { MINUTE, now, SECOND, sleep } from '../../base/time.js'
import type { LogCopyState } from '../../model/backup.js'
import { logNumber } from '../../model/server/log-name.js'
import { pathOf, type StoredFile, type Term } from '../binlog/term.js'
import type { Place, PlaceConfig } from '../place/place.js'
import { openPlace } from '../place/places.js'
import { ensureKeys, need, startTransfer } from '../stream/index.js'
import {
  type Coding,
  type CopiedObject,
  indexPath,
  joinParts,
  type LogPart,
  logsPrefix,
  parseCopied,
  partPath,
  planMerge,
  wholePath,
} from './copy-names.js'
import { type CopyKeys, sealBytes } from './copy-seal.js'

/** A place that stored logs are copied to. Plain data and secrets. */
export interface CopyTarget {
  readonly place: PlaceConfig
  readonly coding: Coding
  /** Between the ends of two parts, milliseconds. */
  readonly intervalMs: number
}

export interface CopySettings {
  readonly cluster: string
  readonly directory: string
  readonly keys: CopyKeys
}

/** What the storing has at the moment. */
export interface StoredNow {
  readonly terms: readonly Term[]
  /** The file that is written: whole events up to here. */
  readonly open?: { readonly term: string; readonly name: string; readonly written: number }
  /** Everything that the primary had written at this instant is stored. */
  readonly completeAt?: number
}

export interface CopyHooks {
  readonly stored: () => StoredNow
  readonly line: (level: 'INFO' | 'WARN' | 'ERROR', text: string) => void
  readonly changed: () => void
}

/** Of one part before it is compressed, bytes. */
const PART_BYTES = 16 * 1024 * 1024
const LONGEST_PAUSE_MS = 30 * SECOND
const PUT_MS = 5 * MINUTE
const WHOLE_MS = 6 * 60 * MINUTE

/** What is known of a term in the place. */
interface Copied {
  readonly indexes: string[]
  readonly wholes: Map<string, string>
  readonly parts: Map<string, LogPart[]>
  /** The index as last written. */
  written?: string
}

export class LogCopy {
  readonly #target: CopyTarget
  readonly #settings: CopySettings
  readonly #hooks: CopyHooks
  readonly #place: Place
  readonly #end = new AbortController()
  #known: Map<string, Copied> | undefined
  /** Terms that were stored here since the beginning: only what was here can have been purged. */
  readonly #had = new Set<string>()
  #completeAt: number | undefined
  #problem: string | undefined
  #problemSince: number | undefined
  /** Merging and whole files, beside the parts. */
  #tending: Promise<void> | undefined

  constructor(target: CopyTarget, settings: CopySettings, hooks: CopyHooks) {
    this.#target = target
    this.#settings = settings
    this.#hooks = hooks
    this.#place = openPlace(target.place)
  }

  get state(): LogCopyState {
    return {
      place: this.#place.kind,
      ...(this.#completeAt === undefined ? {} : { completeAt: this.#completeAt }),
      ...(this.#problem === undefined ? {} : { problem: this.#problem, problemSince: this.#problemSince ?? now() }),
    }
  }

  /** Whether everything of a file is there, or cannot be brought there now. */
  has(term: string, file: string, size: number): boolean {
    return this.#problem !== undefined || this.#copiedTo(term, file) >= size
  }

  async run(): Promise<void> {
    let pause = this.#target.intervalMs
    while (!this.#end.signal.aborted) {
      const began = performance.now()
      const problem = await this.#pass().then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      )
      if (this.#end.signal.aborted) break
      this.#heed(problem)
      pause = problem === undefined ? this.#target.intervalMs : Math.min(LONGEST_PAUSE_MS, pause * 2)
      await sleep(Math.max(0, pause - (performance.now() - began)), this.#end.signal)
    }
  }

  /** What was written until now is brought there, where that is possible within the time. */
  async close(withinMs: number): Promise<void> {
    this.#end.abort()
    const last = this.#problem === undefined && this.#known ? this.#copyParts(AbortSignal.timeout(withinMs)) : undefined
    await Promise.race([last?.catch(() => undefined), sleep(withinMs)])
  }

  #heed(problem: string | undefined): void {
    if (problem !== this.#problem && problem !== undefined)
      this.#hooks.line('WARN', `stored binary logs are not copied to ${this.#place.kind}: ${problem}`)
    if (problem === undefined && this.#problem !== undefined)
      this.#hooks.line('INFO', `stored binary logs are copied to ${this.#place.kind} again`)
    if (problem === undefined) this.#problemSince = undefined
    else this.#problemSince ??= now()
    this.#problem = problem
    this.#hooks.changed()
  }

  async #pass(): Promise<void> {
    if (!this.#known) {
      need(await this.#place.check())
      if (this.#target.coding.encrypted) need(await ensureKeys(this.#settings.keys.keyFile, now()))
      this.#known = await this.#list()
    }
    await this.#copyParts(this.#end.signal)
    this.#tending ??= this.#tend()
      .catch((error: unknown) => {
        if (!this.#end.signal.aborted)
          this.#hooks.line('WARN', `${this.#place.kind}: ${error instanceof Error ? error.message : String(error)}`)
      })
      .finally(() => {
        this.#tending = undefined
      })
  }

  async #list(): Promise<Map<string, Copied>> {
    const { cluster } = this.#settings
    const known = new Map<string, Copied>()
    for (const { path: name } of need(await this.#place.list(logsPrefix(cluster)))) {
      const object = parseCopied(cluster, name)
      if (object) remember(known, object)
    }
    return known
  }

  #of(term: string): Copied {
    const known = this.#known ?? new Map<string, Copied>()
    const copied = known.get(term) ?? noCopies()
    known.set(term, copied)
    return copied
  }

  #copiedTo(term: string, file: string): number {
    const { wholes, parts } = this.#of(term)
    return wholes.has(file) ? Number.POSITIVE_INFINITY : joinParts(parts.get(file) ?? []).end
  }

  /** Everything that is stored now, in the order in which it was written: what is there has no hole. */
  async #copyParts(signal: AbortSignal): Promise<void> {
    const stored = this.#hooks.stored()
    for (const term of stored.terms) {
      this.#had.add(term.id)
      await this.#writeIndex(term, signal)
      for (const file of term.files) {
        const isOpen = stored.open?.term === term.id && stored.open.name === file.name
        const end = isOpen ? (stored.open?.written ?? 0) : file.size
        // Parts of a packed file are found by unpacking all of it.
        if (file.checksum !== '' && end - this.#copiedTo(term.id, file.name) > PART_BYTES) {
          await this.#tending
          await this.#copyWhole(term, file)
        }
        for (let from = this.#copiedTo(term.id, file.name); from < end; from = this.#copiedTo(term.id, file.name))
          await this.#copyPart(term, file, { from, to: Math.min(end, from + PART_BYTES), level: 0, signal })
      }
    }
    if (stored.completeAt !== undefined) this.#completeAt = stored.completeAt
  }

  async #copyPart(
    term: Term,
    file: StoredFile,
    { from, to, level, signal }: Omit<LogPart, 'path'> & { readonly signal: AbortSignal },
  ): Promise<void> {
    const { cluster, directory, keys } = this.#settings
    const name = partPath(cluster, { term: term.id, file: file.name, from, to, level }, this.#target.coding)
    const bytes = await readRange(pathOf(directory, term, this.#current(term, file)), from, to)
    if (bytes.length < to - from) throw new Error(`${file.name}: ${bytes.length} of ${to - from} bytes could be read`)
    const sealed = await sealBytes(bytes, this.#target.coding, keys)
    const within = AbortSignal.any([signal, AbortSignal.timeout(PUT_MS)])
    need(
      await this.#place.put(name, Readable.from([sealed]), { signal: within, tags: [`cluster:${cluster}`, 'binlogs'] }),
    )
    const { parts } = this.#of(term.id)
    parts.set(file.name, [...(parts.get(file.name) ?? []), { path: name, from, to, level }])
  }

  /** It may have been packed since the list was taken. */
  #current(term: Term, file: StoredFile): StoredFile {
    const files = this.#hooks.stored().terms.find(({ id }) => id === term.id)?.files ?? []
    return files.find(({ name }) => name === file.name) ?? file
  }

  /** What a later reader cannot read from the files: whose they are, and which transactions and times are in each. */
  async #writeIndex(term: Term, signal: AbortSignal): Promise<void> {
    const { cluster } = this.#settings
    const { indexes, written } = this.#of(term.id)
    const text = `${JSON.stringify({ ...term, files: term.files.filter(({ closed }) => closed) }, undefined, 1)}\n`
    if (written === text) return
    const name = indexPath(cluster, term.id, Math.floor(now()))
    need(await this.#place.putText(name, text, { signal, tags: [`cluster:${cluster}`, 'binlogs'] }))
    this.#of(term.id).written = text
    const outdated = indexes.splice(0)
    indexes.push(name)
    if (outdated.length > 0) need(await this.#place.remove(outdated))
  }

  /** Beside the parts: closed files as a whole, parts merged, and nothing of what was purged. */
  async #tend(): Promise<void> {
    const { terms } = this.#hooks.stored()
    for (const term of terms)
      for (const file of term.files) {
        if (this.#end.signal.aborted) return
        if (file.closed && file.checksum !== '') await this.#copyWhole(term, file)
        else await this.#merge(term, file)
      }
    await this.#drop(this.#hooks.stored().terms)
  }

  async #copyWhole(term: Term, file: StoredFile): Promise<void> {
    const { wholes, parts } = this.#of(term.id)
    const pieces = parts.get(file.name) ?? []
    if (!wholes.has(file.name)) {
      const { cluster, directory, keys } = this.#settings
      const { coding, place } = this.#target
      const name = wholePath(cluster, { term: term.id, file: file.name }, coding)
      const copied = await startTransfer(
        {
          source: {
            ...({ type: 'stored', place: { kind: 'directory', root: directory } } as const),
            ...{ path: `${term.id}/${file.stored}`, checksum: file.checksum },
            compression: file.stored.endsWith('.gz') ? 'gzip' : 'none',
          },
          sink: {
            ...({ type: 'stored', place, path: name, compression: coding.compression } as const),
            ...(coding.encrypted ? { encryption: keys } : {}),
            tags: [`cluster:${cluster}`, 'binlogs'],
          },
          deadlineMs: WHOLE_MS,
        },
        { signal: this.#end.signal },
      ).done
      need(copied)
      wholes.set(file.name, name)
    }
    parts.delete(file.name)
    if (pieces.length > 0) need(await this.#place.remove(pieces.map(({ path: each }) => each)))
  }

  async #merge(term: Term, file: StoredFile): Promise<void> {
    const merged = planMerge(this.#of(term.id).parts.get(file.name) ?? [])
    const [first, last] = [merged?.[0], merged?.at(-1)]
    if (!merged || !first || !last) return
    await this.#copyPart(term, file, {
      from: first.from,
      to: last.to,
      level: first.level + 1,
      signal: this.#end.signal,
    })
    const { parts } = this.#of(term.id)
    const left = (parts.get(file.name) ?? []).filter((each) => !merged.includes(each))
    parts.set(file.name, left)
    need(await this.#place.remove(merged.map(({ path: each }) => each)))
  }

  async #drop(terms: readonly Term[]): Promise<void> {
    const gone: string[] = []
    for (const [id, { indexes, wholes, parts }] of this.#known ?? []) {
      const present = terms.find((term) => term.id === id)
      const oldest = present?.files[0]?.name
      const isPurged = (name: string) =>
        present ? oldest !== undefined && logNumber(name) < logNumber(oldest) : this.#had.has(id)
      for (const name of [...wholes.keys(), ...parts.keys()].filter(isPurged)) {
        gone.push(...[wholes.get(name) ?? []].flat(), ...(parts.get(name) ?? []).map((part) => part.path))
        wholes.delete(name)
        parts.delete(name)
      }
      if (present || !this.#had.has(id)) continue
      gone.push(...indexes)
      this.#known?.delete(id)
    }
    if (gone.length > 0) need(await this.#place.remove(gone))
  }
}

const noCopies = (): Copied => ({ indexes: [], wholes: new Map(), parts: new Map() })

function remember(known: Map<string, Copied>, object: CopiedObject): void {
  const copied = known.get(object.term) ?? noCopies()
  known.set(object.term, copied)
  if (object.type === 'index') copied.indexes.push(object.path)
  if (object.type === 'whole') copied.wholes.set(object.file, object.path)
  if (object.type === 'part') copied.parts.set(object.file, [...(copied.parts.get(object.file) ?? []), object.part])
}

async function readRange(file: string, from: number, to: number): Promise<Buffer> {
  if (file.endsWith('.gz')) return readPacked(file, from, to)
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined // packed in this moment
    throw error
  })
  if (!handle) return readPacked(`${file}.gz`, from, to)
  try {
    const bytes = Buffer.alloc(to - from)
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, from)
    return bytes.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

async function readPacked(file: string, from: number, to: number): Promise<Buffer> {
  const out: Buffer[] = []
  let at = 0
  const stored = createReadStream(file)
  const plain = stored.pipe(createGunzip())
  stored.on('error', (error) => plain.destroy(error))
  try {
    for await (const chunk of plain as AsyncIterable<Buffer>) {
      if (at + chunk.length > from) out.push(chunk.subarray(Math.max(0, from - at), Math.max(0, to - at)))
      at += chunk.length
      if (at >= to) break
    }
  } finally {
    stored.destroy()
  }
  return Buffer.concat(out)
}
