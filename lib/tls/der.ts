// DER (ITU-T X.690) as far as certificates need it: values to bytes, and the parts of what was read.

/** Tags of the universal class, of constructed ones with the bit that says so. */
const tags = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  identifier: 0x06,
  text: 0x0c,
  moment: 0x17,
  lateMoment: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

export type Tag = keyof typeof tags

/** One element: tag, length, content. */
export const element = (tag: Tag | number, ...content: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(content)
  return Buffer.concat([Buffer.from([typeof tag === 'number' ? tag : tags[tag]]), lengthOf(body.length), body])
}

export const sequence = (...content: readonly Uint8Array[]): Buffer => element('sequence', ...content)

/** The tag of a part that is known by its number; `isMade`: it holds other elements. */
export const numbered = (number: number, isMade: boolean): number => 0x80 | (isMade ? 0x20 : 0) | number

export const truth = (): Buffer => element('boolean', Buffer.from([0xff]))

/** Bytes of a number, of which the first has its highest bit unset. */
export const integer = (bytes: Uint8Array): Buffer => element('integer', bytes)

/** Whole bytes. */
export const bitString = (bytes: Uint8Array, unused = 0): Buffer => element('bits', Buffer.from([unused]), bytes)

export const text = (value: string): Buffer => element('text', Buffer.from(value))

/** An object identifier from its dotted form. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...more] = dotted.split('.').map(Number)
  return element('identifier', Buffer.from([first * 40 + second, ...more.flatMap(inSevens)]))
}

/** A moment to the second (RFC 5280, 4.1.2.5: years from 2050 on have four digits), milliseconds since the epoch. */
export function moment(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/\.\d+|[-:T]/g, '')
  return digits < '2050' ? element('moment', Buffer.from(digits.slice(2))) : element('lateMoment', Buffer.from(digits))
}

/** The elements that follow each other in `bytes`, each with its tag and length. */
export function elementsOf(bytes: Buffer): readonly Buffer[] {
  const found: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const { start, length } = measure(bytes.subarray(at))
    found.push(bytes.subarray(at, at + start + length))
    at += start + length
  }
  return found
}

/** What an element holds. */
export function contentOf(bytes: Buffer): Buffer {
  const { start, length } = measure(bytes)
  return bytes.subarray(start, start + length)
}

/** Where the content of the first element begins and how long it is; throws when there is none. */
function measure(bytes: Buffer): { readonly start: number; readonly length: number } {
  const first = bytes.readUInt8(1)
  if (first < 0x80) return { start: 2, length: first }
  const count = first & 0x7f
  return { start: 2 + count, length: bytes.readUIntBE(2, count) }
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const bytes = bytesOf(length)
  return Buffer.from([0x80 | bytes.length, ...bytes])
}

const bytesOf = (value: number): readonly number[] =>
  value < 256 ? [value] : [...bytesOf(Math.floor(value / 256)), value % 256]

/** Seven bits a byte, all but the last one marked. */
const inSevens = (value: number): readonly number[] => {
  const before = (rest: number): readonly number[] =>
    rest === 0 ? [] : [...before(Math.floor(rest / 128)), (rest % 128) | 0x80]
  return [...before(Math.floor(value / 128)), value % 128]
}
