// Reads a recording line by line: an exported file, or one part of a directory; packed or not, however it ends.
import { createReadStream } from 'node:fs'
import { PassThrough, pipeline } from 'node:stream'
import { constants, createGunzip } from 'node:zlib'
import { parseRecordingLine, type RecordingLine } from './line.js'
import { isPacked } from './parts.js'

/** Lines that can be read, in order. Throws what the file system or the decompression reports. */
export async function* readRecording(file: string): AsyncGenerator<RecordingLine> {
  let rest = ''
  for await (const piece of await openText(file)) {
    const texts = `${rest}${piece}`.split('\n')
    rest = texts.pop() ?? ''
    for (const text of texts) {
      const line = text === '' ? undefined : parseRecordingLine(text)
      if (line) yield line
    }
  }
}

async function openText(file: string): Promise<AsyncIterable<string>> {
  const start: Buffer[] = []
  for await (const chunk of createReadStream(file, { start: 0, end: 1 })) start.push(chunk as Buffer)
  const source = createReadStream(file)
  // A manager that was killed leaves a part that ends anywhere.
  const decode = isPacked(Buffer.concat(start))
    ? createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })
    : new PassThrough()
  // What ends the source ends the other one, whose reader gets the error.
  return pipeline(source, decode, () => undefined).setEncoding('utf8')
}
