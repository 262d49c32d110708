// Scans a stored binary log from its beginning: the whole events in it, and the transactions that they make up.
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import type { Flavour } from '../../model/server/version.js'
import { headerLength, LogScanner, magic, type ScannedTransaction } from './headers.js'

/** An event that is longer than this is no event: MySQL and MariaDB allow 1 GiB. */
const longestEvent = 1_100_000_000

/**
 * Calls back for each transaction, in order; `false` ends the scan. Answers the scanner after the last whole event: bytes of a cut event
 * are ignored. Throws where the file cannot be read.
 */
export async function scanFile(
  file: string,
  flavour: Flavour,
  onTransaction: (transaction: ScannedTransaction) => boolean | undefined = () => undefined,
): Promise<LogScanner> {
  const scanner = new LogScanner(flavour)
  const stored = createReadStream(file, { highWaterMark: 1_048_576 })
  const input = file.endsWith('.gz') ? stored.pipe(createGunzip()) : stored
  if (input !== stored) stored.on('error', (error) => input.destroy(error))
  let pending: Buffer = Buffer.alloc(0)
  let begun = false
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
      let at = 0
      if (!begun) {
        if (pending.length < magic.length) continue
        if (!pending.subarray(0, magic.length).equals(magic)) throw new Error(`${file} is no binary log`)
        begun = true
        at = magic.length
      }
      for (;;) {
        if (pending.length - at < headerLength) break
        const size = pending.readUInt32LE(at + 9)
        if (size < headerLength || size > longestEvent)
          throw new Error(`${file} has no event at offset ${scanner.offset}`)
        if (pending.length - at < size) break
        const ended = scanner.take(pending.subarray(at, at + size))
        at += size
        if (ended && onTransaction(ended) === false) return scanner
      }
      pending = pending.subarray(at)
    }
    return scanner
  } finally {
    stored.destroy()
  }
}
