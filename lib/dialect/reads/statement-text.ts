// Normalised text and digest of statements that differ only in their values.
import { createHash } from 'node:crypto'

/** Comments, texts, names in quotes and numbers: the first to start hides the others inside it. */
const tokens =
  /\/\*[\s\S]*?(?:\*\/|$)|--[ \t][^\n]*|#[^\n]*|'(?:[^'\\]|\\.|'')*'?|"(?:[^"\\]|\\.|"")*"?|`[^`]*`?|\b0x[0-9a-f]+\b|(?<![\w.$])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\b/gi

/** The statement with `?` for every value, lists as one, without comments and redundant blanks. */
export function normaliseStatement(statement: string): string {
  return statement
    .replace(tokens, (token) => {
      if (/^(?:\/\*|--|#)/.test(token)) return ' '
      return token.startsWith('`') ? token : '?'
    })
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),;=<>]) ?/g, '$1')
    .replace(/\?(?:,\?)+/g, '?,...')
    .replace(/\(\?,\.\.\.\)(?:,\(\?,\.\.\.\))+/g, '(?,...),...')
    .replace(/;$/, '')
    .trim()
}

/** The digest of a statement's common text: 32 hexadecimal digits, as the server's own are. */
export const digestOf = (normalised: string): string => createHash('md5').update(normalised).digest('hex')
