// Judges the time in which two servers took writes.
import { SECOND } from '../../lib/base/time.js'

export interface Span {
  readonly from: number
  readonly until: number
}

/** Time that the manager is not held to; of one server: it is in maintenance, and left as a person wants it. */
export interface BlindSpan extends Span {
  readonly node?: string
}

/** An answer of a server that takes writes. */
export interface Sample {
  readonly at: number
  /** Transactions that it ever wrote itself. */
  readonly written: number
}

/** Two servers were open at the same moment. */
export interface Overlap extends Span {
  readonly nodes: readonly [string, string]
  /** Their answers meanwhile. */
  readonly samples: readonly [readonly Sample[], readonly Sample[]]
}

/** Of which the machine takes a part: the fence itself needs a tenth of it. */
const OVERLAP_MS = 2 * SECOND
/**
 * A server starts open where its own file says so, and is closed by a few statements. On a machine without a free processor these
 * take as long as those of the sampler, which asks the same server all the time, one statement after the other: it asks some 90
 * in two seconds of an idle machine.
 */
const OVERLAP_ANSWERS = 60

/**
 * What breaks the rule, undefined where nothing does. Two that both wrote are judged by time alone; where at most one did, the other
 * must have answered often enough to have been closed.
 */
export function judgeOverlap(overlap: Overlap, spans: readonly BlindSpan[]): string | undefined {
  const { nodes, samples } = overlap
  const doWrite = samples.every((each) => writtenIn(each) > 0)
  const blind = spans.filter(({ node }) => node === undefined || (!doWrite && nodes.includes(node)))
  const ms = Math.round(seenMs(overlap, blind))
  const seen = samples.map((each) => each.filter(({ at }) => !isBlind({ from: at, until: at }, blind)))
  const [answers, wrote] = [seen.map(({ length }) => length), seen.map(writtenIn)]
  if (ms <= OVERLAP_MS) return undefined
  if (!wrote.every((count) => count > 0) && Math.min(...answers) < OVERLAP_ANSWERS) return undefined
  return `${nodes.join(' and ')} for ${ms} ms, in which they answered ${answers.join(' and ')} times and wrote ${wrote.join(' and ')} transactions`
}

const writtenIn = (samples: readonly Sample[]): number => (samples.at(-1)?.written ?? 0) - (samples[0]?.written ?? 0)

const isBlind = ({ from, until }: Span, blind: readonly Span[]): boolean =>
  blind.some((span) => span.from <= from && span.until >= until)

/** Without the time in which the manager could not be held to it. */
function seenMs({ from, until }: Span, blind: readonly Span[]): number {
  const edges = [from, until, ...blind.flatMap((span) => [span.from, span.until])]
    .filter((at) => at >= from && at <= until)
    .sort((one, other) => one - other)
  return edges.slice(1).reduce((sum, at, index) => {
    const start = edges[index] ?? at
    return isBlind({ from: start, until: at }, blind) ? sum : sum + at - start
  }, 0)
}
