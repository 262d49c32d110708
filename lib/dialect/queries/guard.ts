// Judges a sampled statement before the server is asked for its plan: one statement, whose plan or, when it is to run, whose
// run changes nothing. The server refuses what is missed here: it receives one prepared statement in a read-only transaction.
import { ok, type Result } from '../../base/result.js'
import type { Flavour } from '../../model/server/version.js'
import { grammarWords, harmlessFunctions } from './harmless.js'
import { cutStatement, type Token, unsafe } from './tokens.js'

export interface Judged {
  /** The statement itself: without a closing `;` and an EXPLAIN in front of it. */
  readonly statement: string
  /** `locks`: it changes data, or locks rows while it reads. Its plan can be shown, but it must not run. */
  readonly kind: 'reads' | 'locks'
  /** Names in it, each with its schema where it has one: some of them are tables and views. */
  readonly names: readonly (readonly [schema: string | undefined, name: string])[]
  /** Calls of functions not known to be harmless built-in ones; empty unless requested. */
  readonly calls: readonly Call[]
}

export interface Call {
  readonly schema?: string
  readonly name: string
  /** Where the name begins in the statement. */
  readonly at: number
}

const reading = new Set(['SELECT', 'WITH', 'TABLE', 'VALUES'])
const writing = new Set(['INSERT', 'REPLACE', 'UPDATE', 'DELETE'])
const verbs = new Set([...writing, 'SELECT'])
/** Words allowed between the verb of a writing statement and the name of its table. */
const beforeTable = new Set(['INTO', 'LOW_PRIORITY', 'DELAYED', 'HIGH_PRIORITY', 'IGNORE'])

/** Runs of words that no statement may hold, and why. */
export const forbidden: readonly [words: readonly string[], why: string][] = [
  [['OUTFILE'], 'writes a file'],
  [['DUMPFILE'], 'writes a file'],
  [['NEXT', 'VALUE', 'FOR'], 'takes a number from a sequence'],
  [['PREVIOUS', 'VALUE', 'FOR'], 'reads a sequence'],
  [['PROCEDURE'], 'calls a procedure'],
]

/**
 * Failure: `unsafe-statement`, with the reason. With `stored` the caller checks the stored functions that are called;
 * without it they are refused.
 */
export function judgeStatement(
  text: string,
  flavour: Flavour,
  { stored = false }: { readonly stored?: boolean } = {},
): Result<Judged> {
  const statement = withoutExplain(text)
  const cut = cutStatement(statement)
  if (!cut.ok) return cut
  const tokens = withoutEnd(cut.value)
  const kind = kindOf(tokens)
  if (!kind) return unsafe(`is of a kind that has no plan: ${statement.slice(0, 60)}`)
  const fault = findFault(tokens, kind)
  if (fault !== undefined) return unsafe(fault)
  const calls = unknownCalls(tokens, harmlessFunctions[flavour])
  if (calls[0] && !stored) return unsafe(unknownCall(calls[0].name))
  const locks = kind === 'writes' || isLocking(tokens)
  return ok({
    statement: statement.slice(0, tokens.at(-1)?.end),
    kind: locks ? 'locks' : 'reads',
    names: namesIn(tokens),
    calls,
  })
}

export const unknownCall = (name: string): string => `calls ${name}, which is not known to be harmless`

/** The statement that an EXPLAIN is about; anything else is refused by its first word. */
const withoutExplain = (text: string): string =>
  text.replace(/^\s*(?:EXPLAIN|DESCRIBE|DESC)\s+(?:(?:EXTENDED|PARTITIONS|ANALYZE)\s+|FORMAT\s*=\s*\w+\s+)*/i, '')

function withoutEnd(tokens: readonly Token[]): readonly Token[] {
  const last = tokens.findLastIndex((token) => !isSign(token, ';'))
  return tokens.slice(0, last + 1)
}

/** By its first word, behind brackets; of a WITH by the first verb outside of them. */
function kindOf(tokens: readonly Token[]): 'reads' | 'writes' | undefined {
  const [first] = tokens.filter((token) => !isSign(token, '('))
  if (!first) return undefined
  if (isOneOf(first, writing)) return isSign(tokens[0], '(') ? undefined : 'writes'
  if (!isOneOf(first, reading)) return undefined
  if (!isWord(first, 'WITH')) return 'reads'
  const verb = outside(tokens).find((token) => isOneOf(token, verbs))
  return verb && isOneOf(verb, writing) ? 'writes' : 'reads'
}

/** Tokens outside of brackets. */
function outside(tokens: readonly Token[]): readonly Token[] {
  let depth = 0
  return tokens.filter((token) => {
    if (isSign(token, '(')) depth += 1
    if (isSign(token, ')')) depth -= 1
    return depth === 0
  })
}

function findFault(tokens: readonly Token[], kind: 'reads' | 'writes'): string | undefined {
  if (tokens.some((token) => isSign(token, ';'))) return 'holds several statements'
  if (tokens.some((token) => isSign(token, '?')))
    return 'is a prepared one, and its parameters were not kept: the slow log keeps them'
  if (tokens.some((token) => isSign(token, ':='))) return 'assigns a variable'
  const phrase = forbidden.find(([words]) => holds(tokens, words))
  if (phrase) return phrase[1]
  return storesResult(tokens, kind) ? 'stores its result: INTO' : undefined
}

/** An INTO anywhere but before the table of a writing statement. */
function storesResult(tokens: readonly Token[], kind: 'reads' | 'writes'): boolean {
  const [first, ...others] = tokens.flatMap((token, at) => (isWord(token, 'INTO') ? [at] : []))
  if (first === undefined) return false
  const isTarget = kind === 'writes' && tokens.slice(1, first).every((token) => isOneOf(token, beforeTable))
  return others.length > 0 || !isTarget
}

export const isLocking = (tokens: readonly Token[]): boolean =>
  [
    ['FOR', 'UPDATE'],
    ['FOR', 'SHARE'],
    ['LOCK', 'IN', 'SHARE', 'MODE'],
  ].some((words) => holds(tokens, words))

export const holds = (tokens: readonly Token[], words: readonly string[]): boolean =>
  tokens.some((_, index) => words.every((word, offset) => isWord(tokens[index + offset], word)))

/** Names before a bracket that are neither grammar, nor a harmless function, nor the name of a list of columns. */
export function unknownCalls(tokens: readonly Token[], harmless: ReadonlySet<string>): readonly Call[] {
  return tokens.flatMap((token, at): Call[] => {
    if (!isName(token) || !isSign(tokens[at + 1], '(') || isColumnList(tokens, at)) return []
    const call = { name: token.text, at: token.start }
    if (isSign(tokens[at - 1], '.')) return [{ ...call, schema: tokens[at - 2]?.text ?? '' }]
    return token.kind !== 'name' && (isOneOf(token, grammarWords) || isOneOf(token, harmless)) ? [] : [call]
  })
}

function isColumnList(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]
  // INSERT INTO t (a, b), INSERT t (a), INSERT INTO s.t (a).
  if (isTableOfInsert(tokens, at)) return true
  // `(SELECT …) AS t (a, b)`, `CAST(x AS CHAR(10))`: no call can stand behind an AS or a bracket.
  if (isWord(before, 'AS') || isSign(before, ')')) return true
  // `= ANY (SELECT …)`, `JOIN LATERAL (SELECT …)`: a nested list has its own brackets. `'$[*]' COLUMNS (…)`.
  if (isWord(tokens[at + 2], 'SELECT') || (before?.kind === 'text' && isWord(tokens[at], 'COLUMNS'))) return true
  // WITH t (a, b) AS (…).
  const end = closing(tokens, at + 1)
  return isWord(tokens[end + 1], 'AS') && isSign(tokens[end + 2], '(') && !isSign(before, '.')
}

function isTableOfInsert(tokens: readonly Token[], at: number): boolean {
  const [verb, ...others] = tokens.slice(0, at + 1)
  if (!verb || !(isWord(verb, 'INSERT') || isWord(verb, 'REPLACE'))) return false
  const [, dot, , further] = others.filter((token) => !isOneOf(token, beforeTable))
  return dot === undefined || (isSign(dot, '.') && further === undefined)
}

/** Index of the bracket that closes the one at `open`. */
function closing(tokens: readonly Token[], open: number): number {
  let depth = 0
  return tokens.findIndex((token, at) => {
    if (at < open) return false
    if (isSign(token, '(')) depth += 1
    if (isSign(token, ')')) depth -= 1
    return depth === 0
  })
}

/** Reserved words in nearly every statement, excluded to save lookups. */
const neverNames = new Set([
  'SELECT',
  'FROM',
  'WHERE',
  'AND',
  'OR',
  'IN',
  'AS',
  'ON',
  'JOIN',
  'BY',
  'GROUP',
  'ORDER',
  'LIMIT',
])

export function namesIn(tokens: readonly Token[]): Judged['names'] {
  const found = new Map<string, readonly [string | undefined, string]>()
  for (const [at, token] of tokens.entries()) {
    if (!isName(token) || isSign(tokens[at + 1], '(') || isSign(tokens[at + 1], '.')) continue
    if (isOneOf(token, neverNames)) continue
    const schema = isSign(tokens[at - 1], '.') ? tokens[at - 2]?.text : undefined
    found.set(JSON.stringify([schema, token.text]), [schema, token.text])
  }
  return [...found.values()]
}

export const isSign = (token: Token | undefined, text: string): boolean => token?.kind === 'sign' && token.text === text
export const isWord = (token: Token | undefined, text: string): boolean =>
  token?.kind === 'word' && token.text.toUpperCase() === text
export const isOneOf = ({ kind, text }: Token, words: ReadonlySet<string>): boolean =>
  kind === 'word' && words.has(text.toUpperCase())
export const isName = (token: Token): boolean => token.kind === 'word' || token.kind === 'name'
