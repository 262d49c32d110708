// The checksum of what passes, and what it was at the end of each chunk: so that a difference has a place.
import { createHash } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'
import { StreamFailure } from '../kit/failed.js'
import { CHUNK_BYTES } from '../kit/spec.js'

/** What was recorded when it was stored. */
export interface Expected {
  readonly name: string
  readonly checksum?: string
  readonly chunks?: readonly string[]
}

export class Fingerprint extends Transform {
  /** Awaited before the end passes: what came first must have ended well. */
  hold: () => Promise<unknown> = async () => undefined
  bytes = 0
  checksum = ''
  readonly chunks: string[] = []
  readonly #hash = createHash('sha256')
  readonly #expected: Expected | undefined

  constructor(expected?: Expected) {
    super()
    this.#expected = expected
  }

  override _transform(chunk: Buffer, _: BufferEncoding, callback: TransformCallback): void {
    const wrong = this.#take(chunk)
    if (wrong) callback(wrong)
    else callback(null, chunk)
  }

  override _flush(callback: TransformCallback): void {
    this.checksum = this.#hash.copy().digest('hex')
    const wrong = (this.bytes % CHUNK_BYTES === 0 ? undefined : this.#mark()) ?? this.#compare()
    if (wrong) callback(wrong)
    else this.hold().then(() => callback(), callback)
  }

  #take(chunk: Buffer): StreamFailure | undefined {
    let rest = chunk
    while (rest.length > 0) {
      const part = rest.subarray(0, CHUNK_BYTES - (this.bytes % CHUNK_BYTES))
      this.#hash.update(part)
      this.bytes += part.length
      rest = rest.subarray(part.length)
      const wrong = this.bytes % CHUNK_BYTES === 0 ? this.#mark() : undefined
      if (wrong) return wrong
    }
    return undefined
  }

  /** The whole with the record. */
  #compare(): StreamFailure | undefined {
    const { name = '', checksum = this.checksum, chunks = this.chunks } = this.#expected ?? {}
    if (checksum === this.checksum && chunks.length === this.chunks.length) return undefined
    return new StreamFailure(
      'checksum-differs',
      `${name}: ${this.bytes} bytes have the checksum ${this.checksum}, the record has ${checksum}`,
    )
  }

  /** Notes the checksum so far; the failure where it is not the recorded one. */
  #mark(): StreamFailure | undefined {
    const index = this.chunks.push(this.#hash.copy().digest('hex')) - 1
    const { name, chunks } = this.#expected ?? {}
    if (!chunks || chunks[index] === this.chunks[index]) return undefined
    return new StreamFailure(
      'checksum-differs',
      `${name}: differs from its record between bytes ${index * CHUNK_BYTES} and ${this.bytes}`,
    )
  }
}
