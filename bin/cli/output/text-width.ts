// How many columns of a terminal a text takes, and cutting it to them: wide characters take two, marks none.

/** East Asian wide and full-width characters, and symbols that terminals draw as pictures. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

/** Marks over other characters (variation selectors are some), and joiners. */
const weightless = /\p{M}|[\u200b-\u200f\u2060]/u

/** What would move the cursor or change the terminal, and halves of characters. */
const control = /[\p{Cc}\u061c\u202a-\u202e\u2066-\u2069\u2028\u2029\p{Cs}]/gu

const plain = /^[\x20-\x7e]*$/

export function textWidth(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  for (const character of text) width += characterWidth(character)
  return width
}

const characterWidth = (character: string): number => (weightless.test(character) ? 0 : wide.test(character) ? 2 : 1)

/** The text in so many columns; `…` replaces what does not fit. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  if (width < 1) return ''
  return `${headOf(text, width - 1)}…`
}

/** The same, but the end is kept: a GTID position is identified by its last number. */
export function cutFront(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  if (width < 1) return ''
  const reversed = [...text].reverse().join('')
  return `…${[...headOf(reversed, width - 1)].reverse().join('')}`
}

/** As much of the beginning as so many columns hold. */
export function headOf(text: string, width: number): string {
  let head = ''
  let used = 0
  for (const character of text) {
    used += characterWidth(character)
    if (used > width) break
    head += character
  }
  return head
}

/** One line of harmless text: what a database says must not steer the terminal of who reads it. */
export const tame = (text: string): string => (plain.test(text) ? text : text.replace(control, blankOrSign))

const blankOrSign = (character: string): string => (/[\n\r\t\u2028\u2029]/.test(character) ? ' ' : '�')

/** The text with blanks up to so many columns. */
export const padText = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - textWidth(text)))
