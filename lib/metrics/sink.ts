// Bytes on their way to a chunk of the exposition: written one after the other into one piece of memory.

/** How much a new one holds before it grows. */
const FIRST = 80 * 1024

export class Sink {
  #bytes = Buffer.allocUnsafeSlow(FIRST)
  /** How much of it is written. Set by whoever has written into `room`. */
  length = 0

  /** The memory, with room for so many bytes behind `length`. */
  room(count: number): Buffer {
    if (this.length + count > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.length + count))
      this.#bytes.copy(larger, 0, 0, this.length)
      this.#bytes = larger
    }
    return this.#bytes
  }

  write(text: string): void {
    this.length += this.room(Buffer.byteLength(text)).write(text, this.length)
  }

  /** What was written since the last time; belongs to the caller. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.length)
    this.#bytes = Buffer.allocUnsafeSlow(FIRST)
    this.length = 0
    return taken
  }
}
