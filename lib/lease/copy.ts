// What the owner of a cluster leaves to the next one: copies of its files in etcd, written only while it owns the cluster.
import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../base/files/modes.js'
import { done, fail, ok, type Result } from '../base/result.js'
import { SECOND } from '../base/time.js'
import { isFlagName, isJobCopy, readFlags, readJobCopies, restoreFlags, restoreJobs } from '../store/index.js'
import { atomicWrite, codeOf, reasonOf } from '../store/kit/atomic-write.js'
import type { Etcd, StoredKey, Write } from './etcd/client.js'
import { clusterKeys, ownerKey } from './keys.js'

/** Files of a cluster's directory that another instance continues with, besides flags and jobs. Others are of this instance: backups, series. */
export const sharedFiles: ReadonlySet<string> = new Set([
  'state.json',
  'rolling.json',
  'scheduled-switchover.json',
  'host-orders.json',
  'rotation.json',
  'trials.json',
])

/** Whether the owner of a cluster leaves a file to the next one, by its path in the directory of the cluster. */
export const isLeft = (name: string): boolean => sharedFiles.has(name) || isFlagName(name) || isJobCopy(name)

/** Flags were left at least once: that there are none means something from then on. */
const FLAGS_LEFT = 'flags-left'

const JOURNAL = 'journal.jsonl'
/** Pieces of the journal that are kept; an operation writes about twenty. */
const MOST_PIECES = 2_000
/** Of the longest piece, in characters: etcd takes requests of 1.5 MB. */
const MOST_CHARACTERS = 500_000

export interface CopyPlace {
  readonly etcd: Etcd
  readonly prefix: string
  readonly cluster: string
  readonly token: number
  /** Pieces of the journal that this ownership has written already. */
  readonly pieces: number
  /** Whether the ownership can still be proven. */
  readonly isOwner: () => boolean
}

export class ClusterCopy {
  readonly #place: CopyPlace
  #pieces: number
  /** Lines of the journal that are not in etcd yet. */
  #lines = ''
  /** One write after the other: a piece never overtakes another one. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(place: CopyPlace) {
    this.#place = place
    this.#pieces = place.pieces
  }

  /** Failures: `not-owner`, `store-unreachable`. */
  put(name: string, text: string): Promise<Result<void>> {
    return this.#inTurn(() => this.#commit([{ type: 'put', key: `${this.#files}${name}`, value: text }]))
  }

  /** The next owner finds no such file. Failures: `not-owner`, `store-unreachable`. */
  remove(name: string): Promise<Result<void>> {
    return this.#inTurn(() => this.#commit([{ type: 'delete', key: `${this.#files}${name}` }]))
  }

  /** Takes lines of the journal; `flush` writes them. */
  append(text: string): void {
    this.#lines += text
  }

  /** Resolves when every line so far is in etcd. Failures: `not-owner`, `store-unreachable`; they are then written with the next. */
  flush(): Promise<Result<void>> {
    return this.#inTurn(async () => {
      const lines = this.#lines
      if (lines === '') return done
      const writes = piecesOf(lines).map((value, index): Write => ({ type: 'put', key: this.#piece(index), value }))
      const written = await this.#commit(writes)
      if (!written.ok) return written
      this.#pieces += writes.length
      this.#lines = this.#lines.slice(lines.length)
      return done
    })
  }

  /** Deletes the oldest pieces of the journal; call it when no operation is running. */
  async trim(): Promise<Result<void>> {
    const { etcd } = this.#place
    const stored = await etcd.range(this.#journal)
    if (!stored.ok) return stored
    const surplus = stored.value.slice(0, Math.max(0, stored.value.length - MOST_PIECES))
    if (surplus.length === 0) return done
    return this.#commit(surplus.slice(0, 100).map(({ key }): Write => ({ type: 'delete', key })))
  }

  get #files(): string {
    return `${clusterKeys(this.#place.prefix, this.#place.cluster)}files/`
  }

  get #journal(): string {
    return `${clusterKeys(this.#place.prefix, this.#place.cluster)}journal/`
  }

  /** Pieces of later owners sort after those of earlier ones. */
  #piece(index: number): string {
    return `${this.#journal}${padded(this.#place.token)}-${padded(this.#pieces + index)}`
  }

  async #commit(writes: readonly Write[]): Promise<Result<void>> {
    const { etcd, prefix, cluster, token, isOwner } = this.#place
    if (!isOwner()) return fail('not-owner', `this instance cannot prove that it owns ${cluster}`)
    const committed = await etcd.commit([{ key: ownerKey(prefix, cluster), created: token }], writes)
    if (!committed.ok) return committed
    return committed.value.done ? done : fail('not-owner', `another instance owns ${cluster} by now`)
  }

  #inTurn(work: () => Promise<Result<void>>): Promise<Result<void>> {
    const turn = this.#last.then(work)
    this.#last = turn
    return turn
  }
}

const padded = (value: number): string => String(value).padStart(16, '0')

function piecesOf(text: string): readonly string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += MOST_CHARACTERS) pieces.push(text.slice(at, at + MOST_CHARACTERS))
  return pieces
}

export interface FetchedCopy {
  /** Name → text. */
  readonly files: ReadonlyMap<string, string>
  readonly journal: string
  /** Pieces of it by the owner of a token. */
  readonly pieces: (token: number) => number
}

/** What earlier owners left; undefined when none ever did. Failure: `store-unreachable`. */
export async function fetchCopy(etcd: Etcd, prefix: string, cluster: string): Promise<Result<FetchedCopy | undefined>> {
  const keys = clusterKeys(prefix, cluster)
  const stored = await etcd.range(keys)
  if (!stored.ok) return stored
  if (stored.value.length === 0) return ok(undefined)
  const under = (part: string): readonly StoredKey[] =>
    stored.value
      .filter(({ key }) => key.startsWith(`${keys}${part}`))
      .sort((left, right) => (left.key < right.key ? -1 : 1))
  const files = new Map(under('files/').map(({ key, value }) => [key.slice(`${keys}files/`.length), value]))
  const journal = under('journal/')
  const pieces = (token: number): number => {
    const last = journal.findLast(({ key }) => key.startsWith(`${keys}journal/${padded(token)}-`))
    return last ? Number(last.key.slice(last.key.lastIndexOf('-') + 1)) + 1 : 0
  }
  return ok({ files, journal: whole(journal), pieces })
}

/** An owner that died within a write may have left half a line: the next owner's begin on a new one. */
function whole(pieces: readonly StoredKey[]): string {
  let text = ''
  let owner = ''
  for (const { key, value } of pieces) {
    const by = key.slice(0, key.lastIndexOf('-'))
    text += by !== owner && text !== '' && !text.endsWith('\n') ? `\n${value}` : value
    owner = by
  }
  return text
}

/**
 * Makes the directory of a cluster what earlier owners left, and leaves what only this one knows. Failures: `file-unwritable`,
 * `not-owner`, `store-unreachable`.
 */
export async function restoreCopy(
  directory: string,
  { files, journal }: FetchedCopy,
  copy: ClusterCopy,
): Promise<Result<void>> {
  try {
    await mkdir(directory, { recursive: true, mode: modeOf('stateFolder') })
    for (const name of sharedFiles) {
      const file = path.join(directory, name)
      // The last good copy beside it is older than what etcd has.
      await rm(`${file}.old`, { force: true })
      const text = files.get(name)
      if (text === undefined) await rm(file, { force: true })
      else {
        const written = await atomicWrite(file, text)
        if (!written.ok) return written
      }
    }
    const written = await atomicWrite(path.join(directory, JOURNAL), journal)
    if (!written.ok) return written
    const flags = files.has(FLAGS_LEFT) ? await restoreLeftFlags(directory, files) : await leaveFlags(directory, copy)
    if (!flags.ok) return flags
    const jobs = new Map([...files].filter(([name]) => isJobCopy(name)))
    if (jobs.size === 0) return await leaveJobs(directory, copy)
    for (const name of await restoreJobs(directory, jobs)) {
      const removed = await copy.remove(name)
      if (!removed.ok) return removed
    }
    return done
  } catch (error) {
    return fail('file-unwritable', `${directory}: ${reasonOf(error)}`)
  }
}

/** Leaves the directory of the first owner to the next ones. Failures: `not-owner`, `store-unreachable`, `file-unreadable`. */
export async function leaveCopy(directory: string, copy: ClusterCopy): Promise<Result<void>> {
  try {
    for (const name of sharedFiles) {
      const text = await readOrNothing(path.join(directory, name))
      const put = text === '' ? done : await copy.put(name, text)
      if (!put.ok) return put
    }
    const flags = await leaveFlags(directory, copy)
    if (!flags.ok) return flags
    const jobs = await leaveJobs(directory, copy)
    if (!jobs.ok) return jobs
    copy.append(await readOrNothing(path.join(directory, JOURNAL)))
    return await copy.flush()
  } catch (error) {
    return fail('file-unreadable', `${directory}: ${reasonOf(error)}`)
  }
}

async function leaveFlags(directory: string, copy: ClusterCopy): Promise<Result<void>> {
  for (const [name, setAt] of await readFlags(directory)) {
    const put = await copy.put(name, String(setAt))
    if (!put.ok) return put
  }
  return copy.put(FLAGS_LEFT, '')
}

async function restoreLeftFlags(directory: string, files: ReadonlyMap<string, string>): Promise<Result<void>> {
  const left = [...files].filter(([name]) => isFlagName(name))
  await restoreFlags(directory, new Map(left.map(([name, setAt]) => [name, Number(setAt) || 0])))
  return done
}

/** The list comes last: with it they are left. */
async function leaveJobs(directory: string, copy: ClusterCopy): Promise<Result<void>> {
  for (const [name, text] of [...(await readJobCopies(directory))].reverse()) {
    const put = await copy.put(name, text)
    if (!put.ok) return put
  }
  return done
}

/**
 * Removes flags that an instance which does not own the cluster has from an earlier time: the owner has them. Those that no
 * owner ever left stay.
 */
export async function dropFlags(
  etcd: Etcd,
  prefix: string,
  { name, directory }: { readonly name: string; readonly directory: string },
): Promise<void> {
  const left = await etcd.range(`${clusterKeys(prefix, name)}files/${FLAGS_LEFT}`, DROP_MS)
  if (left.ok && left.value.length > 0) await restoreFlags(directory, new Map()).catch(() => undefined)
}

/** Longest wait for that; what is left is shown and answered by no instance but the owner. */
const DROP_MS = SECOND

const readOrNothing = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  })
