// The output of a program that is read later: Node discards what is not read when the program exits.
import { PassThrough, pipeline, type Readable } from 'node:stream'

/** The same bytes, whenever they are read; of one that is destroyed the program's pipe is closed. */
export function keepOutput(output: Readable): Readable {
  const kept = new PassThrough()
  pipeline(output, kept, () => undefined) // the reader of `kept` sees its end and its errors
  return kept
}
