// A frame: all samples of one cluster, packed, with its families in order of their names, so that frames of many
// clusters can be merged family by family without holding their text.
//
// Lines of UTF-8: `frame 1 <number of label sets>`, the label sets one a line, then per family one line
// `<name> <suffix><label set>=<value> …`, where the suffix is that of a histogram's series or nothing.
import { type Labels, labelText } from './labels.js'
import type { Sink } from './sink.js'

export interface Sample {
  readonly labels: Labels
  readonly value: number | string
  /** `_bucket`, `_sum` or `_count` in a histogram. */
  readonly suffix?: string
}

const HEADER = 'frame 1'
const LINE_FEED = 10
const BLANK = 32
const ZERO = 48

/** Collects samples and packs them; a family may be added to in any order. */
export interface FrameWriter {
  add(family: string, sample: Sample): void
  encode(): Buffer
}

export function openFrame(): FrameWriter {
  const labelSets = new Map<string, number>()
  const known = new Map<Labels, number>()
  const lines = new Map<string, string>()

  const indexOf = (labels: Labels): number => {
    const text = labelText(labels)
    const index = labelSets.get(text) ?? labelSets.size
    labelSets.set(text, index)
    known.set(labels, index)
    return index
  }

  return {
    add: (family, { labels, value, suffix = '' }) => {
      const index = known.get(labels) ?? indexOf(labels)
      lines.set(family, `${lines.get(family) ?? family} ${suffix}${index}=${value}`)
    },
    encode: () => {
      const head = `${HEADER} ${labelSets.size}\n${[...labelSets.keys()].map((text) => `${text}\n`).join('')}`
      const names = [...lines.keys()].sort()
      return Buffer.from(head + names.map((name) => `${lines.get(name)}\n`).join(''))
    },
  }
}

/** Walks a frame family by family. */
export interface FrameReader {
  /** Name of the current family; undefined at the end. */
  readonly family: string | undefined
  /** Adds the lines of the current family's samples, as the exposition format wants them; then moves on to the next. */
  take(sink: Sink): void
}

/** Opens a frame; bytes that are none read as empty, so that one cluster's fault spoils no scrape. */
export function readFrame(bytes: Buffer, names: Names = openNames()): FrameReader {
  const { labels, start } = readHead(bytes)
  let from = start
  let samples = 0
  let end = 0
  let family: string | undefined

  const advance = () => {
    end = bytes.indexOf(LINE_FEED, from)
    samples = bytes.indexOf(BLANK, from)
    const isWhole = from < bytes.length && end !== -1 && samples !== -1 && samples < end
    family = isWhole ? names(bytes, { from, to: samples }, family ?? '') : undefined
  }
  advance()

  return {
    get family() {
      return family
    },
    take: (sink) => {
      unpack({ bytes, labels, name: { from, to: samples }, samples: { from: samples + 1, to: end } }, sink)
      from = end + 1
      advance()
    },
  }
}

/** A part of a buffer, the end excluded. */
interface Span {
  readonly from: number
  readonly to: number
}

/** The text of a part of a frame, which stands behind `before` in it. */
export type Names = (bytes: Buffer, part: Span, before: string) => string

/** Shared by the frames of a fleet, which name nearly the same families in the same order: most need not be decoded. */
export function openNames(): Names {
  const next = new Map<string, { readonly bytes: Buffer; readonly text: string }>()
  return (bytes, part, before) => {
    const known = next.get(before)
    if (known && isSame(known.bytes, bytes, part)) return known.text
    const text = bytes.toString('latin1', part.from, part.to)
    next.set(before, { bytes: Buffer.from(text, 'latin1'), text })
    return text
  }
}

function isSame(known: Buffer, bytes: Buffer, { from, to }: Span): boolean {
  if (known.length !== to - from) return false
  for (let at = 0; at < known.length; at += 1) if (known[at] !== bytes[from + at]) return false
  return true
}

/** `labels`: where the text of each set begins; a set ends one byte before the next. */
function readHead(bytes: Buffer): { readonly labels: readonly number[]; readonly start: number } {
  const end = bytes.indexOf(LINE_FEED)
  const [kind, version, count] = bytes.toString('latin1', 0, Math.max(end, 0)).split(' ')
  if (`${kind} ${version}` !== HEADER) return { labels: [], start: bytes.length }
  const labels = [end + 1]
  for (let index = 0; index < Number(count); index++) {
    const next = bytes.indexOf(LINE_FEED, labels[index])
    if (next === -1) return { labels: [], start: bytes.length }
    labels.push(next + 1)
  }
  return { labels, start: labels.at(-1) ?? bytes.length }
}

interface Packed {
  readonly bytes: Buffer
  readonly labels: readonly number[]
  readonly name: Span
  readonly samples: Span
}

/** `_bucket3=7` and its like, one text line each. By bytes: a million of them are read in the time of a few strings. */
function unpack({ bytes, labels, name, samples }: Packed, sink: Sink): void {
  for (let at = samples.from; at < samples.to; at += 1) {
    const suffix = at
    while (at < samples.to && !isDigit(bytes[at])) at += 1
    const digits = at
    let index = 0
    for (; isDigit(bytes[at]); at += 1) index = index * 10 + (bytes[at] ?? ZERO) - ZERO
    at += 1
    const value = at
    while (at < samples.to && bytes[at] !== BLANK) at += 1
    const set = labels[index] ?? 0
    const setEnd = (labels[index + 1] ?? set + 1) - 1
    sink.room(name.to - name.from + (at - suffix) + (setEnd - set) + 2)
    copy(bytes, name, sink)
    if (digits > suffix) copy(bytes, { from: suffix, to: digits }, sink)
    copy(bytes, { from: set, to: setEnd }, sink)
    put(BLANK, sink)
    copy(bytes, { from: value, to: at }, sink)
    put(LINE_FEED, sink)
  }
}

/** A loop: the parts are short, and a call into the runtime costs more than their bytes. */
function copy(bytes: Buffer, { from, to }: Span, sink: Sink): void {
  const out = sink.room(0)
  let end = sink.length
  for (let next = from; next < to; next += 1) {
    out[end] = bytes[next] as number // both ends are inside the frame; a check costs a third
    end += 1
  }
  sink.length = end
}

function put(byte: number, sink: Sink): void {
  sink.room(0)[sink.length] = byte
  sink.length += 1
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= ZERO + 9
