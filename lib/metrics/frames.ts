// A frame: all samples of one cluster, packed, with its families in order of their names, so that frames of many
// clusters can be merged family by family without holding their text.
//
// Lines of UTF-8: `frame 1 <number of label sets>`, the label sets one a line, then per family one line
// `<name> <suffix><label set>=<value> …`, where the suffix is that of a histogram's series or nothing.
import { type Labels, labelText } from './labels.js'

export interface Sample {
  readonly labels: Labels
  readonly value: number | string
  /** `_bucket`, `_sum` or `_count` in a histogram. */
  readonly suffix?: string
}

const HEADER = 'frame 1'

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
  /** Text of the current family's samples, as the exposition format wants it; then moves on to the next. */
  take(): string
}

/** Opens a frame; bytes that are none read as empty, so that one cluster's fault spoils no scrape. */
export function readFrame(bytes: Buffer): FrameReader {
  const { labelSets, start } = readHead(bytes)
  let offset = start
  let family: string | undefined
  let samples = 0
  let end = 0

  const advance = () => {
    const from = offset
    end = bytes.indexOf(10, from)
    samples = bytes.indexOf(32, from)
    if (from >= bytes.length || end === -1 || samples === -1 || samples > end) family = undefined
    else {
      family = bytes.toString('latin1', from, samples)
      offset = end + 1
    }
  }
  advance()

  return {
    get family() {
      return family
    },
    take: () => {
      const name = family ?? ''
      const packed = bytes.toString('latin1', samples + 1, end)
      advance()
      return unpack(name, packed, labelSets)
    },
  }
}

function readHead(bytes: Buffer): { readonly labelSets: readonly string[]; readonly start: number } {
  const end = bytes.indexOf(10)
  const [kind, version, count] = bytes.toString('latin1', 0, Math.max(end, 0)).split(' ')
  if (`${kind} ${version}` !== HEADER) return { labelSets: [], start: bytes.length }
  const labelSets: string[] = []
  let start = end + 1
  for (let index = 0; index < Number(count); index++) {
    const next = bytes.indexOf(10, start)
    if (next === -1) return { labelSets: [], start: bytes.length }
    labelSets.push(bytes.toString('utf8', start, next))
    start = next + 1
  }
  return { labelSets, start }
}

/** `_bucket3=7` and its like, one text line each. */
function unpack(name: string, packed: string, labelSets: readonly string[]): string {
  let text = ''
  for (const sample of packed.split(' ')) {
    const equals = sample.indexOf('=')
    const digits = sample.startsWith('_') ? sample.search(/\d/) : 0
    text += `${name}${sample.slice(0, digits)}${labelSets[Number(sample.slice(digits, equals))] ?? ''} ${sample.slice(equals + 1)}\n`
  }
  return text
}
