// Text that a server or another program wrote, for people to read.

/**
 * Without characters that are not shown or that change how others are shown: Unicode's category C (control, format, direction,
 * unassigned) and its separators of lines and paragraphs. Line feeds and tabs stay.
 */
export const printable = (text: string): string => (plain.test(text) ? text : text.replace(hidden, ''))

const plain = /^[\t\n -~]*$/
const hidden = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu
