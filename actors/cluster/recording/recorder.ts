// The flight recorder: every message that the behaviour handled, in a ring of files. It never delays the behaviour.
import { setImmediate as turn } from 'node:timers/promises'
import { packageVersion } from '../../../lib/base/package-root.js'
import { comparePlain, copyPlain } from '../../../lib/base/patch.js'
import { type Result, unwrap } from '../../../lib/base/result.js'
import { SECOND } from '../../../lib/base/time.js'
import {
  appendToPart,
  type Following,
  joinParts,
  listParts,
  type MessageLine,
  makeFolder,
  packPart,
  partsWithin,
  type Range,
  RECORDING_FORMAT,
  renderRecordingLine,
  streamOf,
  sweepParts,
} from '../../../lib/store/index.js'
import type { Handled } from '../../kernel/behaviour.js'
import type { ActorCommand } from '../state/message/command.js'
import type { RuntimeProtocol } from '../state/message/messages.js'
import type { ClusterState } from '../state/state.js'
import { decisionsOf } from './decisions.js'
import { Hiding } from './hiding.js'
import { withholdFrom, withholdFromState } from './withheld.js'

export type HandledMessage = Handled<ClusterState, ActorCommand>

/** Messages wait so long to be rendered together. */
const RENDER_EVERY_MS = SECOND / 4
/** Lines wait so long to be written together; decisions do not. */
const WRITE_EVERY_MS = 10 * SECOND
/** Messages that wait for the disk; what comes beyond is counted and left out. */
const MOST_WAITING = 2_000
/** Messages that are rendered in one turn of the loop. */
const AT_ONCE = 50
/** Lines of one part, bytes; more where the state that it begins with is large. */
const PART_BYTES = 512 * 1_024
const PART_PER_HEAD = 8
/** Longest export, bytes. */
const MOST_EXPORTED = 64 * 1_024 * 1_024

export interface RecorderOptions {
  /** Of the cluster. */
  readonly directory: string
  readonly cluster: string
  /** Bytes on disk; undefined: nothing is recorded. */
  readonly limit: () => number | undefined
  /** Once when writing begins to fail, and once when it works again. */
  readonly complain: (text: string) => void
}

/** A message that waits for the disk. */
type Waiting = Omit<HandledMessage, 'before' | 'commands'> & { readonly decided: readonly string[] }

interface OpenPart {
  readonly number: number
  readonly at: number
  readonly headBytes: number
  bytes: number
}

export class Recorder {
  readonly #options: RecorderOptions
  readonly #hiding = new Hiding()
  /** Not rendered yet: for a moment only, since readings are larger than their lines. */
  #waiting: Waiting[] = []
  /** Rendered, and not on the disk yet. */
  #lines: string[] = []
  /** Where these messages begin a part: the state before the first of them. */
  #from: { readonly state: ClusterState; readonly at: number } | undefined
  #needsHead = true
  /** Messages left out since the latest write began; `isSlow`: for the disk. */
  #dropped = 0
  #isSlow = false
  /** Before the next part. */
  #missing = 0
  #rendering: NodeJS.Timeout | undefined
  #timer: NodeJS.Timeout | undefined
  #isUrgent = false
  #writing: Promise<void> = Promise.resolve()
  #part: OpenPart | undefined
  #follows: Following = 'start'
  /** Of the part: the latest payload of each stream. */
  #latest = new Map<string, unknown>()
  #isFailing = false
  #isClosed = false

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  /**
   * Takes the message; it is rendered and written later. What is handled is never waited for, nor changed afterwards. Once a message
   * is left out, all are until those before it are written: what follows begins with a state again.
   */
  note({ type, payload, arrival, before, commands, threw }: HandledMessage): void {
    const isOff = this.#isClosed || this.#options.limit() === undefined
    const isFull = this.#waiting.length + this.#lines.length >= MOST_WAITING
    if (isOff || isFull || this.#dropped > 0) {
      this.#dropped += 1
      this.#isSlow ||= isFull
      if (!isOff) this.#schedule(true)
      return
    }
    const decided = decisionsOf(commands)
    if (this.#needsHead && this.#waiting.length + this.#lines.length === 0) this.#beginWith(before, arrival.now)
    this.#waiting.push({ type, payload, arrival, decided, ...(threw === undefined ? {} : { threw }) })
    this.#schedule(decided.length > 0 || threw !== undefined)
  }

  /** Resolves when everything so far is on the disk, or was given up. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isUrgent = false
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  /** The parts within the range as one gzip file. Failures: `file-unreadable`, `bad-request`. */
  async read(range: Range): Promise<Result<Buffer>> {
    await this.flush()
    return joinParts(partsWithin(await listParts(this.#options.directory), range), MOST_EXPORTED)
  }

  /** Writes what waits, and nothing after it. */
  async close(): Promise<void> {
    const written = this.flush()
    this.#isClosed = true
    await written
  }

  #beginWith(state: ClusterState, at: number): void {
    this.#from = { state, at }
    this.#needsHead = false
    this.#latest.clear()
  }

  #schedule(isUrgent: boolean): void {
    this.#rendering ??= setTimeout(() => this.#renderSome(), RENDER_EVERY_MS).unref()
    if (this.#timer && (this.#isUrgent || !isUrgent)) return
    clearTimeout(this.#timer)
    this.#isUrgent = isUrgent
    this.#timer = setTimeout(() => void this.flush(), isUrgent ? 0 : WRITE_EVERY_MS).unref()
  }

  /** As much as one turn of the loop may take. */
  #renderSome(): void {
    this.#rendering = undefined
    for (const message of this.#waiting.splice(0, AT_ONCE)) this.#lines.push(this.#render(message))
    if (this.#waiting.length > 0) this.#rendering = setTimeout(() => this.#renderSome(), 0).unref()
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      this.#renderSome()
      await turn()
    }
    const [lines, from, dropped, isSlow] = [this.#lines, this.#from, this.#dropped, this.#isSlow]
    this.#lines = []
    this.#from = undefined
    this.#dropped = 0
    this.#isSlow = false
    try {
      if (lines.length > 0) await this.#append((from ? await this.#begin(from.state, from.at) : '') + lines.join(''))
      if (isSlow) this.#complain(`${dropped} messages were not recorded: the disk is too slow`)
      else if (lines.length > 0) this.#recover()
      if (dropped > 0) this.#lose(dropped)
    } catch (error) {
      this.#complain(`Messages are not recorded: ${error instanceof Error ? error.message : error}`)
      this.#lose(lines.length + dropped)
    }
  }

  /** The next part begins with a state again, and with the number of what is missing before it. What came meanwhile is lost, too. */
  #lose(count: number): void {
    this.#missing += count + this.#waiting.length + this.#lines.length
    this.#waiting = []
    this.#lines = []
    this.#from = undefined
    this.#part = undefined
    this.#needsHead = true
    this.#follows = 'gap'
  }

  #complain(text: string): void {
    if (!this.#isFailing) this.#options.complain(text)
    this.#isFailing = true
  }

  #recover(): void {
    if (this.#isFailing) this.#options.complain('Messages are recorded again')
    this.#isFailing = false
  }

  async #append(text: string): Promise<void> {
    if (!this.#part) return
    await appendToPart(this.#options.directory, this.#part, text)
    this.#part.bytes += Buffer.byteLength(text)
    if (this.#part.bytes >= sizeOf(this.#part)) this.#needsHead = true
  }

  /** The head of a new part, which begins before this message. The parts before it are packed, and the oldest removed. */
  async #begin(before: ClusterState, at: number): Promise<string> {
    const { directory, cluster, limit } = this.#options
    await makeFolder(directory)
    const parts = await listParts(directory)
    for (const part of parts) if (!part.packed) unwrap(await packPart(part))
    await sweepParts(directory, limit() ?? 0)
    const number = (parts.at(-1)?.number ?? 0) + 1
    const state = copyPlain(withholdFromState(before, this.#hiding), this.#hiding.text)
    const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions()
    const head = renderRecordingLine({
      ...{ type: 'head', format: RECORDING_FORMAT, version: packageVersion, cluster, at, zone, part: number },
      ...{ follows: this.#follows, missing: this.#missing, state },
    })
    this.#part = { number, at, headBytes: head.length, bytes: 0 }
    this.#follows = 'part'
    this.#missing = 0
    return head
  }

  #render({ type, payload, arrival, decided, threw }: Waiting): string {
    const { text: store } = this.#hiding
    const message = type as keyof RuntimeProtocol
    const kept = withholdFrom(message, payload, this.#hiding)
    const about = subjectOf(kept)
    const stream = streamOf({ message, ...(about === undefined ? {} : { about }) })
    const before = this.#latest.get(stream)
    const change = before === undefined ? ([copyPlain(kept, store)] as const) : comparePlain(before, kept, store)
    this.#latest.set(stream, kept)
    return renderRecordingLine({
      ...{ type: 'message', at: arrival.now, message, reply: arrival.reply },
      ...(arrival.since === arrival.now ? {} : { since: arrival.since }),
      ...(about === undefined ? {} : { about }),
      ...(change === undefined ? {} : { change }),
      ...(decided.length === 0 ? {} : { decided }),
      ...(threw === undefined ? {} : { threw: store(threw) }),
    } satisfies MessageLine)
  }
}

const sizeOf = ({ headBytes }: OpenPart): number => Math.max(PART_BYTES, PART_PER_HEAD * headBytes)

/** The server or service that a payload is about. */
function subjectOf(payload: unknown): string | undefined {
  const { server, service, reading } = (payload ?? {}) as Readonly<Record<string, unknown>>
  const named =
    server ?? service ?? (reading as { readonly server?: unknown; readonly id?: unknown } | undefined)?.server
  return typeof named === 'string' ? named : undefined
}
