// Splits a statement into tokens for its check: nothing in quotes or comments counts as a word.
import { fail, ok, type Result } from '../../base/result.js'
import { findForeignHint } from './hints.js'

export interface Token {
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'variable' | 'sign'
  /** As written; a quoted name without its quotes. */
  readonly text: string
  /** Where it begins in the text. */
  readonly start: number
  /** Where the text goes on behind it. */
  readonly end: number
}

/** Longest statement that is judged, characters. */
const LONGEST_STATEMENT = 100_000

/**
 * What begins at a place of the text, tried in this order. Strings and names end at their own quote, doubled or behind a
 * backslash it belongs to them, as in sessions with an empty sql_mode; `--` needs a blank behind it.
 */
const patterns: readonly [kind: Token['kind'] | 'blank' | 'hint' | 'active' | 'open', pattern: RegExp][] = [
  ['blank', /[ \t\r\n\f\v]+/y],
  // Without `*`, `/` and `;` inside, so that every server agrees where it ends.
  ['hint', /\/\*\+[^*/;]*\*\//y],
  // Run by some servers or changing how the statement runs: /*! … */, /*M! … */, /*+ … */.
  ['active', /\/\*(?:M?!|\+)/y],
  ['blank', /\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//y],
  ['open', /\/\*/y],
  ['blank', /(?:--(?=[ \t\r\n\f\v]|$)|#)[^\n]*/y],
  ['text', /'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"/y],
  ['name', /`(?:[^`]|``)+`/y],
  ['open', /['"`]/y],
  ['variable', /@@?(?:[\w.$\u0080-\uffff]+|`(?:[^`]|``)*`|'[^'\\]*'|"[^"\\]*")?/y],
  ['number', /0[xb][0-9a-f]+\b|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![\w$\u0080-\uffff])/iy],
  ['word', /[\w$\u0080-\uffff]+/y],
  ['sign', /:=|[-+*/%(),.;=<>!&|^~?:{}[\]\\]/y],
]

/** Failure: `unsafe-statement`. */
export function cutStatement(statement: string): Result<readonly Token[]> {
  if (statement.length > LONGEST_STATEMENT) return unsafe(`is longer than ${LONGEST_STATEMENT} characters`)
  const tokens: Token[] = []
  let at = 0
  while (at < statement.length) {
    const [kind, text] = begin(statement, at)
    const foreign = kind === 'hint' ? findForeignHint(text) : undefined
    if (foreign !== undefined) return unsafe(`holds a hint that may change more than its plan: ${foreign}`)
    if (kind === 'active') return unsafe(`holds a comment that servers act on: ${statement.slice(at, at + 20)}`)
    if (kind === 'open') return unsafe(`is cut off, or holds a quote or comment that does not end: ${text}`)
    if (text === '')
      return unsafe(`holds the character U+${(statement.codePointAt(at) ?? 0).toString(16).padStart(4, '0')}`)
    const start = at
    at += text.length
    if (kind === 'blank' || kind === 'hint') continue
    tokens.push({ kind, text: kind === 'name' ? unquoted(text) : text, start, end: at })
  }
  return ok(tokens)
}

export const unsafe = (why: string): Result<never> => fail('unsafe-statement', `the sampled statement ${why}`)

/** What begins at a place, and its text; '' where nothing known does. */
export function begin(statement: string, at: number): readonly [(typeof patterns)[number][0], string] {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at
    const found = pattern.exec(statement)
    if (found) return [kind, found[0]]
  }
  return ['sign', '']
}

const unquoted = (name: string): string => name.slice(1, -1).replaceAll('``', '`')
