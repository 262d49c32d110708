// A frame: all samples of one cluster, packed, with its families in order of their names, so that frames of many
// clusters can be merged family by family without holding their text.
//
// Lines of UTF-8: `frame 1 <number of label sets>`, the label sets one a line, then per family one line
// `<name> <suffix><label set>=<value> …`, where the suffix is that of a histogram's series or nothing.
import { type Labels, labelText } from './labels.js'
import { Name, Part } from './part.js'
import type { Line, Sink } from './sink.js'

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
  readonly family: Name | undefined
  /** Gives the samples of the current family, one after the other; then moves on to the next. */
  take(sink: Pick<Sink, 'sample'>): void
}

/** Opens a frame; bytes that are none read as empty, so that one cluster's fault spoils no scrape. */
export function readFrame(bytes: Buffer, names: Names = openNames()): FrameReader {
  const { labels, start } = readHead(bytes)
  // Only whole lines are read: so nothing below has to look for an end that may not be there.
  const end = bytes.lastIndexOf(LINE_FEED) + 1
  let at = start
  let family: Name | undefined

  const advance = () => {
    const from = at
    while (at < end && bytes[at] !== BLANK && bytes[at] !== LINE_FEED) at += 1
    family = at < end && bytes[at] === BLANK ? names(bytes, { from, to: at }, family) : undefined
    at += 1
  }
  advance()

  return {
    get family() {
      return family
    },
    take: (sink) => {
      if (family) at = unpack({ bytes, labels, family, at }, sink)
      advance()
    },
  }
}

/** A part of a buffer, the end excluded. */
interface Span {
  readonly from: number
  readonly to: number
}

/** The name in a part of a frame, which stands behind `before` in it; the same object for the same name. */
export type Names = (bytes: Buffer, part: Span, before: Name | undefined) => Name

/** Shared by the frames of a fleet, which name nearly the same families in the same order: most need not be decoded. */
export function openNames(): Names {
  const known = new Map<string, Name>()
  const next = new Map<Name | undefined, Name>()
  return (bytes, part, before) => {
    const expected = next.get(before)
    if (expected && isSame(expected.bytes, bytes, part)) return expected
    const text = bytes.toString('latin1', part.from, part.to)
    const name = known.get(text) ?? new Name(text)
    known.set(text, name)
    next.set(before, name)
    return name
  }
}

function isSame(known: Uint8Array, bytes: Uint8Array, { from, to }: Span): boolean {
  if (known.length !== to - from) return false
  for (let at = 0; at < known.length; at += 1) if (known[at] !== bytes[from + at]) return false
  return true
}

function readHead(bytes: Buffer): { readonly labels: readonly Part[]; readonly start: number } {
  const nothing = { labels: [], start: bytes.length }
  const end = bytes.indexOf(LINE_FEED)
  const [kind, version, count] = bytes.toString('latin1', 0, Math.max(end, 0)).split(' ')
  if (`${kind} ${version}` !== HEADER) return nothing
  const labels: Part[] = []
  let start = end + 1
  for (let index = 0; index < Number(count); index++) {
    const next = bytes.indexOf(LINE_FEED, start)
    if (next === -1) return nothing
    labels.push(new Part(bytes, start, next))
    start = next + 1
  }
  return { labels, start }
}

interface Packed {
  readonly bytes: Buffer
  readonly labels: readonly Part[]
  readonly family: Name
  /** Where its first sample begins. */
  readonly at: number
}

/**
 * `_bucket3=7` and its like, one line each; gives where the next family begins. By bytes: a million of them are read in
 * the time of a few strings.
 */
function unpack({ bytes, labels, family, at: first }: Packed, sink: Pick<Sink, 'sample'>): number {
  const to = bytes.indexOf(LINE_FEED, first)
  const line: Line = { name: family, labels: new Part(bytes, 0, 0), bytes, valueFrom: 0, valueTo: 0 }
  for (let at = first; at < to; at += 1) {
    const suffix = at
    while (at < to && !isDigit(bytes[at])) at += 1
    line.name = at > suffix ? family.series(bytes.toString('latin1', suffix, at)) : family
    let index = 0
    for (; isDigit(bytes[at]); at += 1) index = index * 10 + (bytes[at] ?? ZERO) - ZERO
    const set = labels[index]
    at += 1
    line.valueFrom = at
    while (at < to && bytes[at] !== BLANK) at += 1
    line.valueTo = at
    if (!set) continue
    line.labels = set
    sink.sample(line)
  }
  return to + 1
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= ZERO + 9
