// The joints of a transfer: streams and programs in a row, each end heard, the first failure found among its consequences.
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { SECOND } from '../../base/time.js'
import { type PipedProgram, type ProgramEnded, renderEnded } from '../../connect/shell/piped.js'
import { StreamFailure } from './kit/failed.js'
import type { Stage } from './stage/compress.js'

/** Programs that lost an end of their pipe end by themselves within this; then they are asked, then ended, milliseconds. */
const GRACE_MS = SECOND
const KILL_MS = 3 * SECOND

/** What a stream reports when the other end of its pipe is gone: the program at that end says why. */
const broken: readonly string[] = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED']

const BROKEN_PIPE = 'ended by SIGPIPE'

/** What programs say of it where the pipe is a socket, or where they ignore the signal (EPIPE, ECONNRESET). */
const brokenLine = /(?:broken pipe|connection reset by peer)$/i

export class Joints {
  readonly #end = new AbortController()
  readonly #programs = new Map<PipedProgram, ProgramEnded | undefined>()
  readonly #work: Promise<unknown>[] = []
  readonly #failures: unknown[] = []
  #stopped: unknown

  /** Aborts when the transfer is to end. */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  get ended(): readonly ProgramEnded[] {
    return [...this.#programs.values()].filter((end) => end !== undefined)
  }

  #giveUp: () => void = () => undefined
  /** Settles some time after everything was asked to end: what hangs then is not waited for. */
  readonly #given = new Promise<void>((resolve) => {
    this.#giveUp = resolve
  })

  /** A program that must end with 0. Settles so. */
  heed(program: PipedProgram): Promise<void> {
    this.#programs.set(program, undefined)
    const ended = program.ended.then((end) => {
      this.#programs.set(program, end)
      if (end.status !== 0) throw new StreamFailure('transfer-failed', renderEnded(end))
    })
    this.add(ended)
    return ended
  }

  /** Work that must succeed. */
  add(work: Promise<unknown>): void {
    this.#work.push(
      work.catch((error: unknown) => {
        this.#failures.push(error)
        this.#first()
      }),
    )
  }

  /** Joins a source, what the bytes pass through, and the sink where it is a stream. */
  join(source: Readable, stages: readonly Stage[], sink?: Writable): void {
    let row: (Readable | Writable)[] = [source]
    const close = () => {
      // biome-ignore lint/suspicious/noExplicitAny: pipeline has a type for each number of streams
      if (row.length > 1) this.add(pipeline(row as any, { signal: this.signal }))
    }
    for (const { input, output } of stages) {
      row.push(input)
      if (input === (output as unknown)) continue
      close()
      row = [output]
    }
    if (sink) row.push(sink)
    close()
  }

  /** Ends everything for this reason. */
  stop(reason: StreamFailure): void {
    this.#stopped ??= reason
    this.#end.abort()
    this.#first()
  }

  /** When all work and every program has ended; rejects with what went wrong first. */
  async settled(): Promise<void> {
    // Work adds work.
    for (let heard = 0; heard < this.#work.length; ) {
      heard = this.#work.length
      await Promise.race([Promise.all(this.#work), this.#given])
    }
    const cause = this.#stopped ?? this.#cause()
    if (cause !== undefined) throw cause
  }

  #first: () => void = () => {
    this.#first = () => undefined
    void this.#wind()
  }

  /** After the first failure: what depends on it ends without help, the rest is ended. */
  async #wind(): Promise<void> {
    if (this.#stopped === undefined) await this.#within(GRACE_MS)
    this.#end.abort()
    for (const program of this.#alive()) program.kill('SIGTERM')
    await this.#within(KILL_MS)
    for (const program of this.#alive()) program.kill('SIGKILL')
    await this.#within(KILL_MS)
    setTimeout(() => this.#giveUp(), KILL_MS)
  }

  #alive(): readonly PipedProgram[] {
    return [...this.#programs].filter(([, end]) => end === undefined).map(([program]) => program)
  }

  #within(ms: number): Promise<unknown> {
    const all = Promise.all([...this.#programs.keys()].map(({ ended }) => ended))
    return Promise.race([all, new Promise((resolve) => setTimeout(resolve, ms))])
  }

  /** The first failure; behind a pipe that broke, the program that ended wrongly or the place that took no more. */
  #cause(): unknown {
    const [first] = this.#failures
    if (!isBroken(first) && (first instanceof StreamFailure || first === undefined)) return first
    const wrong = this.ended.filter(({ status }) => status !== 0).sort((a, b) => a.at - b.at)
    const earliest = wrong.find((end) => !lostItsPipe(end))
    if (isBroken(first) && earliest) return new StreamFailure('transfer-failed', renderEnded(earliest))
    const place = this.#failures.find((each) => each instanceof StreamFailure && each.failure.code === 'place-failed')
    return place ?? first
  }
}

/** A program that ended because another end was gone: the cause is there. */
const lostItsPipe = ({ reason, lastLines }: ProgramEnded): boolean =>
  reason === BROKEN_PIPE || brokenLine.test(lastLines.at(-1) ?? '')

const isBroken = (error: unknown): boolean =>
  error instanceof Error &&
  (error.message.includes(BROKEN_PIPE) ||
    brokenLine.test(error.message) ||
    ('code' in error && broken.includes(String(error.code))))
