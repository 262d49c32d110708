// A frame: all samples of one cluster, packed, with its families in order of their names, so that frames of many
// clusters can be merged family by family without holding their text.
//
// Lines of UTF-8: `frame 1 <number of label sets>`, the label sets one a line, then per family one line
// `<name> <suffix><label set>=<value> …`, where the suffix is that of a histogram's series or nothing.

import { FROM, LabelSets, LENGTH, ROW } from './label-sets.js'
import { type Labels, labelText } from './labels.js'
import { Name } from './name.js'
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

/** Opens a frame; bytes that are none read as empty, so that one cluster's fault spoils no scrape. */
export const readFrame = (bytes: Buffer, shared: Shared = openShared()): FrameReader => new FrameReader(bytes, shared)

/** What the frames of one scrape have in common. */
export interface Shared {
  readonly names: Names
  readonly labelSets: LabelSets
  /** The sample that is on its way: an object for each would be most of what a scrape leaves behind. */
  readonly line: Line
}

export const openShared = (): Shared => ({
  names: new Names(),
  labelSets: new LabelSets(),
  line: { name: new Name(''), labels: 0, bytes: nothing, labelsFrom: 0, labelsTo: 0, valueFrom: 0, valueTo: 0 },
})

const nothing = new Uint8Array(0)

/** Walks a frame family by family. By bytes: a million samples are read in the time of a few strings. */
export class FrameReader {
  /** Name of the current family; undefined at the end. */
  family: Name | undefined = undefined
  readonly #bytes: Buffer
  readonly #shared: Shared
  /** Its label sets: row of the first one, and the end. */
  readonly #labels: number
  readonly #labelsEnd: number
  /** Only whole lines are read: so nothing below has to look for an end that may not be there. */
  readonly #end: number
  #at: number

  constructor(bytes: Buffer, shared: Shared) {
    const { labelSets } = shared
    this.#bytes = bytes
    this.#shared = shared
    this.#labels = labelSets.size * ROW
    this.#at = readHead(bytes, labelSets)
    this.#labelsEnd = labelSets.size * ROW
    this.#end = bytes.lastIndexOf(LINE_FEED) + 1
    this.#advance()
  }

  /** Gives the samples of the current family, one after the other; then moves on to the next. */
  take(sink: Pick<Sink, 'sample'>): void {
    if (this.family) this.#samples(this.family, sink)
    this.#advance()
  }

  #advance(): void {
    const from = this.#at
    if (from >= this.#end) {
      this.family = undefined
      return
    }
    const name = this.#shared.names.read(this.#bytes, from, this.family)
    const to = from + name.length
    this.family = this.#bytes[to] === BLANK ? name : undefined
    this.#at = to + 1
  }

  /** `_bucket3=7` and its like up to the end of the line, one blank between them. */
  #samples(family: Name, sink: Pick<Sink, 'sample'>): void {
    const bytes = this.#bytes
    const { labelSets, line } = this.#shared
    const { rows } = labelSets
    line.bytes = bytes
    let at = this.#at - 1
    while (bytes[at] === BLANK) {
      const suffix = at + 1
      at = suffix
      while (isWord(bytes[at]) && !isDigit(bytes[at])) at += 1
      line.name = at > suffix ? family.series(bytes.toString('latin1', suffix, at)) : family
      let index = 0
      for (; isDigit(bytes[at]); at += 1) index = index * 10 + (bytes[at] as number) - ZERO
      line.valueFrom = at + 1
      while (isWord(bytes[at])) at += 1
      line.valueTo = at
      const labels = this.#labels + index * ROW
      if (labels >= this.#labelsEnd || at < line.valueFrom) continue
      line.labels = labels
      line.labelsFrom = rows[labels + FROM] as number // a row of this frame
      line.labelsTo = line.labelsFrom + (rows[labels + LENGTH] as number)
      sink.sample(line)
    }
    this.#at = at + 1
  }
}

const isWord = (byte: number | undefined): boolean => byte !== undefined && byte > BLANK
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= ZERO + 9

/** Shared by the frames of a fleet, which name nearly the same families in the same order: most need not be decoded. */
export class Names {
  readonly #known = new Map<string, Name>()
  #first: Name | undefined

  /** The name that begins there, behind `before` in its frame; the same object for the same name. */
  read(bytes: Buffer, from: number, before: Name | undefined): Name {
    const expected = before ? before.next : this.#first
    if (expected && isThere(expected, bytes, from)) return expected
    let to = from
    while (isWord(bytes[to])) to += 1
    const name = this.#named(bytes.toString('latin1', from, to))
    if (before) before.next = name
    else this.#first = name
    return name
  }

  #named(text: string): Name {
    const name = this.#known.get(text) ?? new Name(text)
    this.#known.set(text, name)
    return name
  }
}

/** Whether the name stands there as a whole. */
function isThere({ bytes: own, length }: Name, bytes: Uint8Array, from: number): boolean {
  for (let at = 0; at < length; at += 1) if (own[at] !== bytes[from + at]) return false
  return !isWord(bytes[from + length])
}

/** Adds the label sets; where the families begin, which is the end for what is no frame. */
function readHead(bytes: Buffer, labelSets: LabelSets): number {
  const end = bytes.indexOf(LINE_FEED)
  const [kind, version, count] = bytes.toString('latin1', 0, Math.max(end, 0)).split(' ')
  if (`${kind} ${version}` !== HEADER) return bytes.length
  let start = end + 1
  for (let index = 0; index < Number(count); index++) {
    const next = bytes.indexOf(LINE_FEED, start)
    if (next === -1) return bytes.length
    labelSets.add(bytes, start, next)
    start = next + 1
  }
  return start
}
