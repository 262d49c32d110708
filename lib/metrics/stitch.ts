// Joins the frames of all clusters into one exposition: families contiguous, bounded memory, other work in between.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describeFamily } from './families.js'
import { type FrameReader, openShared, readFrame } from './frames.js'
import type { Name } from './name.js'
import { PackedSink } from './packed-sink.js'
import { type Sink, TextSink } from './sink.js'

/** Bytes after which a chunk is sent: a few milliseconds of work, and few enough chunks that sending them costs little. */
const CHUNK = 256 * 1024

/** What a chunk mostly fits in: it ends behind the line that fills it. */
const MEMORY = CHUNK + 16 * 1024

/** Frames whose label sets are read before other work gets its turn. */
const FRAMES_A_TURN = 100

/** Content type of what `stitch` gives. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** How an exposition goes over the wire. */
export type ExpositionForm = 'plain' | 'gzip'

export interface StitchParts {
  /** The manager's families, complete. */
  readonly own: string
  readonly form: ExpositionForm
}

/**
 * Text format 0.0.4: first `own`, then every family of the frames with the samples of all clusters. Frames are held
 * packed; text exists for one chunk at a time, and not at all where it is packed.
 */
export async function* stitch(
  frames: AsyncIterable<Buffer> | Iterable<Buffer>,
  { own, form }: StitchParts,
): AsyncGenerator<Buffer> {
  const shared = openShared()
  const sink: Sink = form === 'gzip' ? new PackedSink(shared.labelSets, MEMORY) : new TextSink(MEMORY)
  sink.text(own === '' || own.endsWith('\n') ? own : `${own}\n`)
  if (sink.length > 0) yield sink.take()
  const readers: FrameReader[] = []
  for await (const frame of frames) {
    readers.push(readFrame(frame, shared))
    if (readers.length % FRAMES_A_TURN === 0) await nextTurn()
  }

  let family: Name | undefined
  for (const reader of readers) family = earlier(family, reader.family)
  while (family) {
    sink.text(head(family.text))
    let next: Name | undefined
    for (const reader of readers) {
      const isIn = reader.family === family
      if (isIn) reader.take(sink)
      next = earlier(next, reader.family)
      if (!isIn || sink.length < CHUNK) continue
      yield sink.take()
      await nextTurn()
    }
    family = next
  }
  const last = sink.end()
  if (last.length > 0) yield last
}

/** The one that is told first; frames hold theirs in this order. */
const earlier = (one: Name | undefined, other: Name | undefined): Name | undefined =>
  other && other !== one && (!one || other.text < one.text) ? other : one

function head(family: string): string {
  const { type, help } = describeFamily(family)
  return `# HELP ${family} ${help}\n# TYPE ${family} ${type}\n`
}
