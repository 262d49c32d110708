// Walks frames family by family, so that those of many clusters can be merged without holding their text.
import { BLANK, HEADER, LINE_FEED, SHARES_NONE, TAB, ZERO } from './frame-format.js'
import { FROM, LabelSets, LENGTH, ROW } from './label-sets.js'
import { Name, type Told } from './name.js'
import type { Line, Sink } from './sink.js'

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
  /** The family that was read last. */
  #before: Name | undefined
  /** Row of the label set that its first sample has. */
  #first: number

  constructor(bytes: Buffer, shared: Shared) {
    const { labelSets } = shared
    this.#bytes = bytes
    this.#shared = shared
    this.#labels = labelSets.size * ROW
    this.#first = this.#labels
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
    this.family = undefined
    if (from >= this.#end) return
    const { name, word } = this.#shared.names.read(this.#bytes, from, this.#before)
    this.#at = from + word.length
    this.#before = name
    if (isTag(this.#bytes[this.#at])) this.family = name
  }

  /** Values behind blanks, and `_bucket3=7` and its like behind tabs, up to the end of the line. */
  #samples(family: Name, sink: Pick<Sink, 'sample'>): void {
    const bytes = this.#bytes
    const { labelSets, line } = this.#shared
    const { rows } = labelSets
    line.bytes = bytes
    let at = this.#at
    let labels = this.#first - ROW
    for (let isFirst = true; isTag(bytes[at]); isFirst = false) {
      line.name = family
      labels += ROW
      const from = at + 1
      at = from
      if (bytes[from - 1] === TAB) {
        while (isWord(bytes[at]) && !isDigit(bytes[at])) at += 1
        if (at > from) line.name = family.series(bytes.toString('latin1', from, at))
        let index = 0
        for (; isDigit(bytes[at]); at += 1) index = index * 10 + (bytes[at] as number) - ZERO
        labels = this.#labels + index * ROW
        if (isWord(bytes[at])) at += 1
      }
      if (isFirst) this.#first = labels
      line.valueFrom = at
      while (isWord(bytes[at])) at += 1
      line.valueTo = at
      if (labels >= this.#labelsEnd || at === line.valueFrom) continue
      line.labels = labels
      line.labelsFrom = rows[labels + FROM] as number // a row of this frame
      line.labelsTo = line.labelsFrom + (rows[labels + LENGTH] as number)
      sink.sample(line)
    }
    this.#at = at + 1
  }
}

const isTag = (byte: number | undefined): boolean => byte === BLANK || byte === TAB
const isWord = (byte: number | undefined): boolean => byte !== undefined && byte > BLANK
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= ZERO + 9

/** Shared by the frames of a fleet, which tell nearly the same families in the same order: most need not be decoded. */
export class Names {
  readonly #known = new Map<string, Name>()
  #first: Told | undefined

  /** The name that is told there, behind `before` in its frame; the same object for the same name. */
  read(bytes: Buffer, from: number, before: Name | undefined): Told {
    const expected = before ? before.next : this.#first
    if (expected && isThere(expected.word, bytes, from)) return expected
    let to = from
    while (isWord(bytes[to])) to += 1
    const shared = before?.text.slice(0, (bytes[from] as number) - SHARES_NONE) ?? ''
    const told = { word: bytes.subarray(from, to), name: this.#named(shared + bytes.toString('latin1', from + 1, to)) }
    if (before) before.next = told
    else this.#first = told
    return told
  }

  #named(text: string): Name {
    const name = this.#known.get(text) ?? new Name(text)
    this.#known.set(text, name)
    return name
  }
}

/** Whether the word stands there as a whole. */
function isThere(word: Uint8Array, bytes: Uint8Array, from: number): boolean {
  const { length } = word
  for (let at = 0; at < length; at += 1) if (word[at] !== bytes[from + at]) return false
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
