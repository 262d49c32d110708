// Transaction sets: what a server has executed or received, compared as sets per stream, never as sums.
//
// One type serves both flavours. A stream is a GTID domain ("0") or a domain and origin ("0-1") on MariaDB, a source
// UUID on MySQL; its transactions are intervals of sequence numbers. A MariaDB position "0-1-150" means "domain 0 up to
// 150" and becomes { "0": [[1, 150]] } (parsePosition); its binlog state "0-1-100,0-2-150" keeps origins apart and
// becomes { "0-1": [[1, 100]], "0-2": [[1, 150]] } (parseState). Sequence numbers are exact up to 2^53.

/** Inclusive bounds, first <= last. */
export type Interval = readonly [first: number, last: number]

/** Streams to sorted, disjoint, non-adjacent intervals. Plain data. */
export type GtidSet = Readonly<Record<string, readonly Interval[]>>

export type GtidRelation = 'equal' | 'ahead' | 'behind' | 'diverged'

export const noTransactions: GtidSet = {}

/** Reads a MariaDB position such as `@@gtid_binlog_pos`, `@@gtid_slave_pos`, `Gtid_IO_Pos`: one stream per domain. */
export const parsePosition = remembered((text) => {
  const streams: Record<string, Interval[]> = {}
  for (const { domain, sequence } of mariadbGtids(text)) add(streams, String(domain), [1, sequence])
  return normalised(streams)
})

/** Reads MariaDB's `@@gtid_binlog_state`: one stream per domain and origin server, so divergence shows. */
export const parseState = remembered((text) => {
  const streams: Record<string, Interval[]> = {}
  for (const { domain, origin, sequence } of mariadbGtids(text)) add(streams, `${domain}-${origin}`, [1, sequence])
  return normalised(streams)
})

/** Reads a MySQL set such as `@@gtid_executed`: `uuid:1-5:7,uuid:1-3` (tagged GTIDs of 8.3+ make streams `uuid:tag`). */
export const parseGtidSet = remembered((text) => {
  const streams: Record<string, Interval[]> = {}
  for (const part of text.replace(/\s/g, '').split(',').filter(Boolean)) {
    const [uuid = '', ...pieces] = part.toLowerCase().split(':')
    let stream = uuid
    for (const piece of pieces) {
      const bounds = /^(\d+)(?:-(\d+))?$/.exec(piece)
      if (!bounds) stream = `${uuid}:${piece}`
      else add(streams, stream, [Number(bounds[1]), Number(bounds[2] ?? bounds[1])])
    }
  }
  return normalised(streams)
})

/** One entry per domain of a MariaDB GTID list; text that is no GTID is left out. */
export function mariadbGtids(text: string): { domain: number; origin: number; sequence: number }[] {
  return text
    .split(',')
    .map((part) => /^\s*(\d+)-(\d+)-(\d+)\s*$/.exec(part))
    .filter((match) => match !== null)
    .map(([, domain, origin, sequence]) => ({
      domain: Number(domain),
      origin: Number(origin),
      sequence: Number(sequence),
    }))
}

/** Everything in either. */
export function union(left: GtidSet, right: GtidSet): GtidSet {
  if (covers(left, right)) return left
  if (covers(right, left)) return right
  const streams: Record<string, Interval[]> = {}
  for (const set of [left, right])
    for (const [stream, intervals] of Object.entries(set)) add(streams, stream, ...intervals)
  return normalised(streams)
}

/** What `left` has and `right` has not. */
export function subtract(left: GtidSet, right: GtidSet): GtidSet {
  if (covers(right, left)) return noTransactions
  const streams: Record<string, Interval[]> = {}
  for (const [stream, intervals] of Object.entries(left)) {
    let rest: readonly Interval[] = intervals
    for (const hole of right[stream] ?? []) rest = rest.flatMap((interval) => without(interval, hole))
    if (rest.length > 0) streams[stream] = [...rest]
  }
  return streams
}

export const isEmpty = (set: GtidSet): boolean => Object.values(set).every((intervals) => intervals.length === 0)

/** Whether `left` has everything `right` has. */
export const contains = (left: GtidSet, right: GtidSet): boolean => isEmpty(subtract(right, left))

/**
 * Each interval of `right` lies in one of `left`: the fast path of the most frequent comparison, of equal servers. Allocates
 * nothing; false proves nothing where intervals were not merged.
 */
function covers(left: GtidSet, right: GtidSet): boolean {
  if (left === right) return true
  for (const stream of Object.keys(right)) {
    const has = left[stream]
    for (const [first, last] of right[stream] ?? [])
      if (!has?.some(([from, to]) => from <= first && last <= to)) return false
  }
  return true
}

/** Order of `left` relative to `right`: sets are only partially ordered. */
export function compareSets(left: GtidSet, right: GtidSet): GtidRelation {
  const hasAll = contains(left, right)
  const isPart = contains(right, left)
  if (hasAll) return isPart ? 'equal' : 'ahead'
  return isPart ? 'behind' : 'diverged'
}

/** The part of the set that lies in these streams. */
export const pick = (set: GtidSet, keep: (stream: string) => boolean): GtidSet =>
  Object.fromEntries(Object.entries(set).filter(([stream]) => keep(stream)))

/** Number of transactions in the set. On MariaDB an upper bound: sequence numbers may have gaps. */
export function countTransactions(set: GtidSet): number {
  let count = 0
  for (const intervals of Object.values(set)) for (const [first, last] of intervals) count += last - first + 1
  return count
}

/** `uuid:1-5:7,...` or `0:1-150`: for messages and logs. */
export const formatSet = (set: GtidSet): string =>
  Object.entries(set)
    .map(([stream, intervals]) => [stream, ...intervals.map(formatInterval)].join(':'))
    .join(',')

const formatInterval = ([first, last]: Interval): string => (first === last ? `${first}` : `${first}-${last}`)

/** Cache of parsed sets by text: unchanged positions are read repeatedly and share one set object. */
const mostRemembered = 2_000

function remembered(parse: (text: string) => GtidSet): (text: string) => GtidSet {
  const known = new Map<string, GtidSet>()
  return (text) => {
    const found = known.get(text)
    if (found) return found
    if (known.size >= mostRemembered) known.clear()
    const set = parse(text)
    known.set(text, set)
    return set
  }
}

function add(streams: Record<string, Interval[]>, stream: string, ...intervals: readonly Interval[]): void {
  const known = streams[stream]
  if (known) known.push(...intervals)
  else streams[stream] = [...intervals]
}

function without([first, last]: Interval, [holeFirst, holeLast]: Interval): Interval[] {
  if (holeLast < first || holeFirst > last) return [[first, last]]
  const rest: Interval[] = []
  if (holeFirst > first) rest.push([first, holeFirst - 1])
  if (holeLast < last) rest.push([holeLast + 1, last])
  return rest
}

function normalised(streams: Record<string, Interval[]>): GtidSet {
  return Object.fromEntries(Object.entries(streams).map(([stream, intervals]) => [stream, merged(intervals)]))
}

function merged(intervals: readonly Interval[]): readonly Interval[] {
  const result: [number, number][] = []
  for (const [first, last] of [...intervals].sort((a, b) => a[0] - b[0])) {
    const previous = result.at(-1)
    if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last)
    else if (first <= last) result.push([first, last])
  }
  return result
}
