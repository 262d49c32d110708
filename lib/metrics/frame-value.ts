// The values of a frame, where a byte stands for one character or for two digits: what each adds to text, code and checksum.
import { addBytes, moveOn } from './checksum.js'
import { type Code, join, symbolCodes } from './deflate-codes.js'
import { PAIRS, ZERO } from './frame-format.js'

const BYTES = 256

/** The characters that each byte stands for. */
const texts: readonly (readonly number[])[] = Array.from({ length: BYTES }, (_, byte) =>
  byte < PAIRS ? [byte] : [ZERO + Math.floor((byte - PAIRS) / 10), ZERO + ((byte - PAIRS) % 10)],
)

/** The first and the second character of each byte; where there is one, the second is it again. */
export const firstOf = Uint8Array.from(texts, (text) => text[0] as number)
export const secondOf = Uint8Array.from(texts, (text) => text.at(-1) as number)

/** The code of each byte's characters. */
export const valueCodes = Int32Array.from(texts, (text) =>
  text.map((character) => symbolCodes[character] as Code).reduce(join),
)

/** So many characters behind a byte have its effect in a table. */
const PLACES = 48

/** The checksum of each byte's characters alone; then the same with one zero byte behind them, two, and so on. */
const effects = new Int32Array(PLACES * BYTES)
for (const [byte, text] of texts.entries()) effects[byte] = addBytes(0, Uint8Array.from(text), 0, text.length)
for (let at = BYTES; at < effects.length; at += 1) effects[at] = moveOn(effects[at - BYTES] as number, 1)

/** What a byte's characters add (without carry) to the checksum of a text in which so many bytes stand behind them. */
export const effectOf = (byte: number, behind: number): number =>
  behind < PLACES ? (effects[behind * BYTES + byte] as number) : moveOn(effects[byte] as number, behind)
