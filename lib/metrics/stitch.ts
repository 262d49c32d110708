// Joins the frames of all clusters into one exposition: families contiguous, bounded memory, other work in between.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describeFamily } from './families.js'
import { type FrameReader, openNames, readFrame } from './frames.js'
import { Sink } from './sink.js'

/** Bytes after which a chunk is sent: a fraction of a millisecond's work, a few segments on the wire. */
const CHUNK = 64 * 1024

/** Frames whose label sets are read before other work gets its turn. */
const FRAMES_A_TURN = 100

/** Content type of what `stitch` gives. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Text format 0.0.4: first `own` (the manager's families, complete), then every family of the frames with the samples
 * of all clusters. Frames are held packed; text exists for one chunk at a time.
 */
export async function* stitch(frames: AsyncIterable<Buffer> | Iterable<Buffer>, own: string): AsyncGenerator<Buffer> {
  if (own !== '') yield Buffer.from(own.endsWith('\n') ? own : `${own}\n`)
  const readers: FrameReader[] = []
  const names = openNames()
  for await (const frame of frames) {
    readers.push(readFrame(frame, names))
    if (readers.length % FRAMES_A_TURN === 0) await nextTurn()
  }

  const sink = new Sink()
  for (let family = firstFamily(readers); family !== undefined; family = firstFamily(readers)) {
    sink.write(head(family))
    for (const reader of readers) {
      if (reader.family !== family) continue
      reader.take(sink)
      if (sink.length < CHUNK) continue
      yield sink.take()
      await nextTurn()
    }
  }
  if (sink.length > 0) yield sink.take()
}

/** The least of the readers' current names: every reader is at it or past it. */
function firstFamily(readers: readonly FrameReader[]): string | undefined {
  let first: string | undefined
  for (const { family } of readers) if (family !== undefined && (first === undefined || family < first)) first = family
  return first
}

function head(family: string): string {
  const { type, help } = describeFamily(family)
  return `# HELP ${family} ${help}\n# TYPE ${family} ${type}\n`
}
