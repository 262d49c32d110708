// The samples of many clusters as text, rendered in the thread that holds them: family by family, a batch at a time.
import { STATUS_PREFIX } from './families.js'
import { isNumeric, labelText } from './labels.js'
import type { ClusterSamples, Sample } from './samples.js'

/** A cluster and its place among all clusters of the exposition. */
export interface PlacedSamples {
  readonly place: number
  readonly samples: ClusterSamples
}

/** Consecutive slices of a thread's exposition: each is the lines of one family of one cluster. Plain data. */
export interface SliceBatch {
  /** Families of the batch, rising. */
  readonly families: readonly string[]
  /** Three numbers a slice: its family among those, the place of its cluster, its bytes of text. */
  readonly slices: readonly number[]
  readonly text: Uint8Array
}

/** Numbers of a slice in a batch. */
export const SLICE = 3

/** Bytes after which a batch ends: about a millisecond of work. */
const BATCH = 128 * 1024

/** All samples in order of family and place. Each step renders one batch; the text of no other exists. */
export function* renderSlices(clusters: readonly PlacedSamples[]): Generator<SliceBatch, undefined> {
  let batch = new Batch()
  for (const family of familiesOf(clusters)) {
    const name = Buffer.from(family)
    const isStatus = family.startsWith(STATUS_PREFIX)
    for (const { place, samples } of clusters) {
      const { known, servers } = samples
      const own = known.get(family)
      if (own) for (const sample of own) batch.text(renderSample(family, sample))
      else
        for (const { labels, status, variables } of servers) {
          const { places, values } = isStatus ? status : variables
          const index = places.get(family)
          const value = index === undefined ? undefined : values[index]
          if (value !== undefined && isNumeric(value)) batch.line(name, labels, value)
        }
      batch.endSlice(family, place)
      if (batch.length < BATCH) continue
      yield batch.end()
      batch = new Batch()
    }
  }
  if (batch.length > 0) yield batch.end()
}

const BLANK = 32
const LINE_FEED = 10

/** Memory for the batch that is rendered: one for the thread, since each is rendered in one go. */
let memory = Buffer.allocUnsafeSlow(BATCH + BATCH / 4)

class Batch {
  length = 0
  readonly #families: string[] = []
  readonly #slices: number[] = []
  /** Where the slice begins that is written. */
  #from = 0
  #family = ''

  text(text: string): void {
    const bytes = Buffer.byteLength(text)
    this.#reserve(bytes)
    this.length += memory.write(text, this.length)
  }

  /** A sample of a server. Bytes, not strings: a large fleet has millions of them. `value`: ASCII. */
  line(name: Uint8Array, labels: Uint8Array, value: string): void {
    this.#reserve(name.length + labels.length + value.length + 2)
    const bytes = memory
    bytes.set(name, this.length)
    let at = this.length + name.length
    bytes.set(labels, at)
    at += labels.length
    bytes[at++] = BLANK
    for (let index = 0; index < value.length; index += 1) bytes[at++] = value.charCodeAt(index)
    bytes[at++] = LINE_FEED
    this.length = at
  }

  /** What was written since the last call is the slice. */
  endSlice(family: string, place: number): void {
    if (this.length === this.#from) return
    if (this.#family !== family) this.#families.push(family)
    this.#family = family
    this.#slices.push(this.#families.length - 1, place, this.length - this.#from)
    this.#from = this.length
  }

  end(): SliceBatch {
    return { families: this.#families, slices: this.#slices, text: new Uint8Array(memory.subarray(0, this.length)) }
  }

  #reserve(bytes: number): void {
    if (this.length + bytes <= memory.length) return
    const larger = Buffer.allocUnsafeSlow(2 * (this.length + bytes))
    memory.copy(larger, 0, 0, this.length)
    memory = larger
  }
}

/** Rising. Servers share their lists of names, so few lists are walked. */
function familiesOf(clusters: readonly PlacedSamples[]): readonly string[] {
  const lists = new Set<ReadonlyMap<string, unknown>>()
  for (const { samples } of clusters) {
    lists.add(samples.known)
    for (const { status, variables } of samples.servers) lists.add(status.places).add(variables.places)
  }
  const families = new Set<string>()
  for (const list of lists) for (const family of list.keys()) families.add(family)
  return [...families].sort()
}

const renderSample = (family: string, { labels, value, suffix = '' }: Sample): string =>
  `${family}${suffix}${labelText(labels)} ${value}\n`
