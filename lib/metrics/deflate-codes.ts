// The code in which expositions are packed: one table of Huffman codes (RFC 1951, 3.2.7), made for samples once and for all.

/** Bits for the stream in one number: how many (24 at most) in its highest byte, themselves below, the first one lowest. */
export type Code = number

export const codeOf = (value: number, bits: number): Code => (bits << 24) | value

export const END_OF_BLOCK = 256
const SYMBOLS = 286
const DISTANCES = 30
/** Of a symbol: so two of them are written at once. */
const LONGEST_CODE = 12
/** Of a reference's half with its extra bits. */
export const MOST_BITS = 24
export const SHORTEST_MATCH = 3
export const LONGEST_MATCH = 258
/** How far back a reference can reach. */
export const WINDOW = 32_768

/** How often what occurs, about: mostly digits, references to the line before, words. Everything can occur. */
const likely: readonly (readonly [symbols: string, weight: number])[] = [
  ['0123456789', 400],
  ['abcdefghijklmnopqrstuvwxyz_', 25],
  ['.', 60],
  ['-="{},\n #', 25],
  ['+ABCDEFGHIJKLMNOPQRSTUVWXYZ', 4],
]

function symbolWeights(): readonly number[] {
  const weights: number[] = new Array(SYMBOLS).fill(3)
  for (const [symbols, weight] of likely) for (const symbol of symbols) weights[symbol.charCodeAt(0)] = weight
  // Lengths 3 to 10, 11 to 66, up to 258.
  weights.fill(20, 257, 265)
  weights.fill(150, 265, 277)
  weights.fill(40, 277)
  return weights
}

/** Up to 32 bytes back, a line back, a few lines or families back. */
const distanceWeights = [...Array(10).fill(2), ...Array(6).fill(300), ...Array(14).fill(40)] as readonly number[]

const symbolLengths = codeLengths(symbolWeights())
const distanceLengths = codeLengths(distanceWeights)

export const symbolCodes = codesOf(symbolLengths)

/** By the length of a match: the code of its symbol and, behind it, the extra bits (3.2.5). */
export const matchCodes = makeMatchCodes()

/** By how far back it lies: the same. */
export const distanceCodes = makeDistanceCodes()

/** What opens the one block that the whole text is (3.2.7). */
export const blockHead: readonly Code[] = [
  codeOf(1, 1),
  codeOf(2, 2),
  codeOf(SYMBOLS - 257, 5),
  codeOf(DISTANCES - 1, 5),
  // The lengths of codes are written as they are, in codes of four bits for 0 to 15: all but the first three, which repeat.
  codeOf(19 - 4, 4),
  ...Array.from({ length: 19 }, (_, index) => codeOf(index < 3 ? 0 : 4, 3)),
  ...[...symbolLengths, ...distanceLengths].map((length) => codeOf(reverse(length, 4), 4)),
]

interface Node {
  readonly weight: number
  readonly symbols: readonly number[]
}

/** Huffman's: join the two rarest until one is left; each join makes the codes below it a bit longer. */
function codeLengths(weights: readonly number[]): readonly number[] {
  const lengths: number[] = weights.map(() => 0)
  let nodes: Node[] = weights.map((weight, symbol) => ({ weight, symbols: [symbol] }))
  while (nodes.length > 1) {
    nodes = nodes.toSorted((left, right) => left.weight - right.weight)
    const [first, second, ...others] = nodes as [Node, Node, ...Node[]]
    const symbols = [...first.symbols, ...second.symbols]
    for (const symbol of symbols) lengths[symbol] = (lengths[symbol] ?? 0) + 1
    nodes = [...others, { weight: first.weight + second.weight, symbols }]
  }
  if (Math.max(...lengths) > LONGEST_CODE) throw new RangeError('a code is longer than the format allows')
  return lengths
}

/** Codes of one length follow each other, shorter ones first (3.2.2). */
function codesOf(lengths: readonly number[]): Int32Array {
  const codes = new Int32Array(lengths.length)
  let code = 0
  for (let length = 1; length <= Math.max(...lengths); length += 1) {
    for (const [symbol, own] of lengths.entries()) {
      if (own !== length) continue
      codes[symbol] = codeOf(reverse(code, length), length)
      code += 1
    }
    code <<= 1
  }
  return codes
}

function makeMatchCodes(): Int32Array {
  const codes = new Int32Array(LONGEST_MATCH + 1)
  for (let length = SHORTEST_MATCH; length <= LONGEST_MATCH; length += 1) {
    const past = length - SHORTEST_MATCH
    const extra = past < 8 || length === LONGEST_MATCH ? 0 : 29 - Math.clz32(past)
    const symbol = length === LONGEST_MATCH ? 285 : 257 + (extra << 2) + (past >> extra)
    codes[length] = withExtra(symbolCodes[symbol] as number, past, extra)
  }
  return codes
}

/** Two symbols for each power of two, and which of those between them it is. */
function makeDistanceCodes(): Int32Array {
  const own = codesOf(distanceLengths)
  const codes = new Int32Array(WINDOW + 1)
  for (let distance = 1; distance <= WINDOW; distance += 1) {
    const past = distance - 1
    const extra = past < 4 ? 0 : 30 - Math.clz32(past)
    const symbol = past < 4 ? past : 2 * extra + (past >> extra)
    codes[distance] = withExtra(own[symbol] as number, past, extra)
  }
  return codes
}

/** The code with the lowest bits of a value behind it. */
function withExtra(code: Code, value: number, bits: number): Code {
  return join(code, codeOf(value & ((1 << bits) - 1), bits))
}

/** Two codes as one. */
export function join(first: Code, second: Code): Code {
  if (!isJoinable(first, second)) throw new RangeError('more bits than are written at once')
  return codeOf((first & 0xff_ffff) | ((second & 0xff_ffff) << lengthOf(first)), lengthOf(first) + lengthOf(second))
}

export function isJoinable(first: Code, second: Code): boolean {
  return lengthOf(first) + lengthOf(second) <= MOST_BITS
}

function lengthOf(code: Code): number {
  return code >>> 24
}

function reverse(value: number, bits: number): number {
  let reversed = 0
  for (let bit = 0; bit < bits; bit += 1) reversed |= ((value >> bit) & 1) << (bits - 1 - bit)
  return reversed
}
