// The samples of many clusters as text, rendered in the thread that holds them: family by family, a batch at a time.
import { STATUS_PREFIX } from './families.js'
import { isNumeric, labelText } from './labels.js'
import type { ClusterSamples, Sample, ServerColumns } from './samples.js'
import { everything, isSelected, type Selection } from './selection.js'

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

/** Bytes after which a batch ends. */
const BATCH = 128 * 1024
/** Families that are rendered together: their values are adjacent in the memory of each server. */
const TOGETHER = 8
/** Samples after which other work gets its turn: about a millisecond of work. */
const SAMPLES_A_STEP = 4_000

/**
 * All samples of the selected families in order of family and place. Each step renders some; a batch may be empty while a few families are
 * rendered. Their text alone exists meanwhile.
 */
export function* renderSlices(
  clusters: readonly PlacedSamples[],
  selection: Selection = everything,
): Generator<SliceBatch, undefined> {
  const families = familiesOf(clusters, selection)
  let batch = new Batch()
  for (let at = 0; at < families.length; at += TOGETHER) {
    const columns = families.slice(at, at + TOGETHER).map((family) => new Column(family))
    let samples = 0
    for (const cluster of clusters) {
      for (const column of columns) samples += column.add(cluster)
      if (samples < SAMPLES_A_STEP) continue
      yield nothing
      samples = 0
    }
    for (const column of columns) {
      batch.add(column)
      if (batch.length < BATCH) continue
      yield batch.end()
      batch = new Batch()
    }
  }
  if (batch.length > 0) yield batch.end()
}

const nothing: SliceBatch = { families: [], slices: [], text: new Uint8Array(0) }

const BLANK = 32
const LINE_FEED = 10
/** Memory that a family of a few servers fits in. */
const FEW = 512

/** The lines of one family. */
class Column {
  readonly family: string
  /** Two numbers a slice: the place of its cluster, its bytes. */
  readonly slices: number[] = []
  length = 0
  bytes = Buffer.allocUnsafe(FEW)
  readonly #name: Buffer
  readonly #isStatus: boolean
  /** The position of the value in columns of the names that were seen last. */
  #places: ReadonlyMap<string, number> | undefined
  #index: number | undefined

  constructor(family: string) {
    this.family = family
    this.#name = Buffer.from(family)
    this.#isStatus = family.startsWith(STATUS_PREFIX)
  }

  /** How many samples were searched. */
  add({ place, samples: { known, servers } }: PlacedSamples): number {
    const before = this.length
    const own = known.get(this.family)
    if (own) for (const sample of own) this.#text(renderSample(this.family, sample))
    else for (const server of servers) this.#server(server)
    if (this.length > before) this.slices.push(place, this.length - before)
    return own ? own.length : servers.length
  }

  #server({ labels, status, variables }: ServerColumns): void {
    const { places, values } = this.#isStatus ? status : variables
    if (places !== this.#places) this.#index = places.get(this.family)
    this.#places = places
    const value = this.#index === undefined ? undefined : values[this.#index]
    if (value !== undefined && isNumeric(value)) this.#line(labels, value)
  }

  /** Bytes, not strings: a large fleet has millions of samples. `value`: ASCII. */
  #line(labels: Uint8Array, value: string): void {
    const name = this.#name
    this.#reserve(name.length + labels.length + value.length + 2)
    const { bytes } = this
    bytes.set(name, this.length)
    let at = this.length + name.length
    bytes.set(labels, at)
    at += labels.length
    bytes[at++] = BLANK
    for (let index = 0; index < value.length; index += 1) bytes[at++] = value.charCodeAt(index)
    bytes[at++] = LINE_FEED
    this.length = at
  }

  #text(text: string): void {
    this.#reserve(Buffer.byteLength(text))
    this.length += this.bytes.write(text, this.length)
  }

  #reserve(bytes: number): void {
    if (this.length + bytes <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(2 * (this.length + bytes))
    this.bytes.copy(larger, 0, 0, this.length)
    this.bytes = larger
  }
}

class Batch {
  length = 0
  readonly #columns: Column[] = []

  add(column: Column): void {
    if (column.length === 0) return
    this.#columns.push(column)
    this.length += column.length
  }

  end(): SliceBatch {
    const slices: number[] = []
    const text = new Uint8Array(this.length)
    let at = 0
    for (const [family, column] of this.#columns.entries()) {
      for (let slice = 0; slice < column.slices.length; slice += 2)
        slices.push(family, column.slices[slice] as number, column.slices[slice + 1] as number)
      text.set(column.bytes.subarray(0, column.length), at)
      at += column.length
    }
    return { families: this.#columns.map(({ family }) => family), slices, text }
  }
}

/** Rising. Servers share their lists of names, so few lists are walked. */
function familiesOf(clusters: readonly PlacedSamples[], selection: Selection): readonly string[] {
  const lists = new Set<ReadonlyMap<string, unknown>>()
  for (const { samples } of clusters) {
    lists.add(samples.known)
    for (const { status, variables } of samples.servers) lists.add(status.places).add(variables.places)
  }
  const families = new Set<string>()
  for (const list of lists) for (const family of list.keys()) families.add(family)
  return [...families].filter((family) => isSelected(family, selection)).sort()
}

const renderSample = (family: string, { labels, value, suffix = '' }: Sample): string =>
  `${family}${suffix}${labelText(labels)} ${value}\n`
