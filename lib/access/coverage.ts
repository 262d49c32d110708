// Whether ranges of addresses leave anybody out. Pure.
import { isIPv4 } from 'node:net'

type Span = readonly [first: bigint, last: bigint]

/** What clients have addresses of: of IPv4 all but the first network, multicast and the reserved part, of IPv6 the assigned part. */
const everywhere: Readonly<Record<'IPv4' | 'IPv6', Span>> = {
  IPv4: [1n << 24n, (224n << 24n) - 1n],
  IPv6: [1n << 125n, (1n << 126n) - 1n],
}

/** The families of which the ranges (`address` or `address/prefix`) hold every address that a client may have, together. */
export function coveredFamilies(ranges: readonly string[]): readonly ('IPv4' | 'IPv6')[] {
  return (['IPv4', 'IPv6'] as const).filter((family) => {
    const own = ranges.filter((range) => isIPv4(range.split('/')[0] ?? '') === (family === 'IPv4'))
    return isCovered(everywhere[family], own.map(spanOf))
  })
}

function isCovered([first, last]: Span, spans: readonly Span[]): boolean {
  let open = first
  for (const [from, to] of spans.toSorted(([left], [right]) => (left < right ? -1 : 1))) {
    if (from > open) break
    if (to >= open) open = to + 1n
  }
  return open > last
}

function spanOf(range: string): Span {
  const [address = '', prefix] = range.split('/')
  const bits = isIPv4(address) ? 32 : 128
  const size = 1n << BigInt(bits - Number(prefix ?? bits))
  const number = isIPv4(address) ? numberOf(address.split('.').map(Number), 8) : numberOf(groupsOf(address), 16)
  const first = number - (number % size)
  return [first, first + size - 1n]
}

const numberOf = (parts: readonly number[], bits: number): bigint =>
  parts.reduce((sum, part) => (sum << BigInt(bits)) + BigInt(part), 0n)

/** The eight groups of an IPv6 address; its last two may be written as IPv4. */
function groupsOf(address: string): readonly number[] {
  const plain = address.replace(/%.*$/, '').replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...octets: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = octets.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [head = [], tail] = plain.split('::').map((side) => (side === '' ? [] : side.split(':')))
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length
  return [...head, ...Array<string>(zeros).fill('0'), ...(tail ?? [])].map((group) => Number.parseInt(group, 16))
}
