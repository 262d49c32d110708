// Counts the raw bytes of a transfer, keeps their first and last ones, and lets no more than the limit pass.
import { Transform, type TransformCallback } from 'node:stream'
import { now, SECOND } from '../../../base/time.js'

const HEAD_BYTES = 16 * 1024
const TAIL_BYTES = 4 * 1024

export class Meter extends Transform {
  bytes = 0
  /** Awaited before the end passes: what came first must have ended well. */
  hold: () => Promise<unknown> = async () => undefined
  ended = false
  #limit: number | undefined
  #nextAt = 0
  #head: Buffer[] = []
  #tail: Buffer = Buffer.alloc(0)
  #wake: (() => void) | undefined

  constructor(limit: number | undefined) {
    super()
    this.#limit = limit
  }

  /** Bytes a second; undefined: none. It acts on the chunk that waits, too. */
  limit(bytesPerSecond: number | undefined): void {
    this.#limit = bytesPerSecond
    this.#nextAt = Math.min(this.#nextAt, now())
    this.#wake?.()
  }

  get head(): string {
    return Buffer.concat(this.#head).subarray(0, HEAD_BYTES).toString('utf8')
  }

  get tail(): string {
    return this.#tail.toString('utf8')
  }

  override _transform(chunk: Buffer, _: BufferEncoding, callback: TransformCallback): void {
    if (this.bytes < HEAD_BYTES) this.#head.push(chunk)
    this.bytes += chunk.length
    this.#tail = (chunk.length >= TAIL_BYTES ? chunk : Buffer.concat([this.#tail, chunk])).subarray(-TAIL_BYTES)
    const waitMs = this.#pace(chunk.length)
    if (waitMs <= 0) callback(null, chunk)
    else this.#later(waitMs, () => callback(null, chunk))
  }

  override _flush(callback: TransformCallback): void {
    this.ended = true
    this.hold().then(() => callback(), callback)
  }

  #later(ms: number, pass: () => void): void {
    const finish = () => {
      clearTimeout(timer)
      this.#wake = undefined
      pass()
    }
    const timer = setTimeout(finish, ms)
    this.#wake = finish
  }

  /** How long these bytes wait for their turn, milliseconds. */
  #pace(bytes: number): number {
    if (this.#limit === undefined) return 0
    const begin = Math.max(this.#nextAt, now())
    this.#nextAt = begin + (bytes / this.#limit) * SECOND
    return begin - now()
  }
}
