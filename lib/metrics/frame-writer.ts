// Collects the samples of a cluster and packs them as a frame, whose format `frame-format.ts` tells.
import { BLANK, EQUALS, HEADER, LINE_FEED, MOST_SHARED, SHARES_NONE, TAB } from './frame-format.js'
import { type Labels, labelText } from './labels.js'
import { Page } from './page.js'

export interface Sample {
  readonly labels: Labels
  readonly value: number | string
  /** `_bucket`, `_sum` or `_count` in a histogram. */
  readonly suffix?: string
}

/** A family may be added to in any order. */
export interface FrameWriter {
  add(family: string, sample: Sample): void
  encode(): Buffer
}

/** Suffix, label set and value of one sample after the other: an object for each would cost more than what it is for. */
type Samples = (string | number)[]
const PARTS = 3

/** One for all frames of the thread: each is written in one go. */
const page = new Page()

export function openFrame(): FrameWriter {
  const labelSets = new Map<string, number>()
  const families = new Map<string, Samples>()
  /** Samples of one server follow each other. */
  let [before, beforeIndex]: [Labels | undefined, number] = [undefined, 0]

  const indexOf = (labels: Labels): number => {
    const text = labelText(labels)
    const index = labelSets.get(text) ?? labelSets.size
    labelSets.set(text, index)
    before = labels
    beforeIndex = index
    return index
  }

  return {
    add: (family, { labels, value, suffix = '' }) => {
      const index = labels === before ? beforeIndex : indexOf(labels)
      const samples = families.get(family)
      if (samples) samples.push(suffix, index, value)
      else families.set(family, [suffix, index, value])
    },
    encode: () => {
      page.text(`${HEADER} ${labelSets.size}\n`)
      for (const text of labelSets.keys()) page.text(`${text}\n`)
      const names = [...families.keys()].sort()
      let next = 0
      for (const [index, name] of names.entries()) {
        writeName(name, names[index - 1] ?? '')
        next = writeSamples(families.get(name) ?? [], next)
      }
      return page.take()
    },
  }
}

function writeName(name: string, before: string): void {
  const most = Math.min(name.length, before.length, MOST_SHARED)
  let shared = 0
  while (shared < most && name.charCodeAt(shared) === before.charCodeAt(shared)) shared += 1
  page.byte(SHARES_NONE + shared)
  page.text(name, shared)
}

/** `next`: the label set that need not be told; of the line to follow, it is what is given back. */
function writeSamples(samples: Samples, next: number): number {
  let expected = next
  for (let at = 0; at < samples.length; at += PARTS) {
    const [suffix, index, value] = [samples[at], samples[at + 1] as number, samples[at + 2]]
    if (suffix === '' && index === expected) page.byte(BLANK)
    else {
      page.byte(TAB)
      page.text(suffix as string)
      page.text(`${index}`)
      page.byte(EQUALS)
    }
    if (typeof value === 'number') page.number(value)
    else page.digits(value as string)
    expected = index + 1
  }
  page.byte(LINE_FEED)
  return samples[1] as number // each family has a sample
}
