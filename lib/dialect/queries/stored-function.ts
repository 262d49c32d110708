// Judges the text of a stored function: servers may execute it during optimization, side effects included. One that only
// computes and reads is accepted: local variables, branches, reads into variables. Loops are refused.
import { ok, type Result } from '../../base/result.js'
import type { Flavour } from '../../model/server/version.js'
import { forbidden, holds, isLocking, isName, isSign, isWord, type Judged, namesIn, unknownCalls } from './guard.js'
import { harmlessFunctions } from './harmless.js'
import { cutStatement, type Token, unsafe } from './tokens.js'

export interface StoredFunction {
  readonly definition: string
  readonly parameters: readonly string[]
  /** sql_mode in which its text is parsed. */
  readonly sqlMode: string
}

/** Modes that change quoting or grammar. */
const otherTongues = /ANSI_QUOTES|NO_BACKSLASH_ESCAPES|ORACLE/i

/** Words of stored functions that a bracket may follow without a call. */
const grammar = ['RETURN', 'ELSEIF']

/** What it reads and calls in turn. Failure: `unsafe-statement`. */
export function judgeFunction(stored: StoredFunction, flavour: Flavour): Result<Pick<Judged, 'names' | 'calls'>> {
  if (otherTongues.test(stored.sqlMode)) return unsafe(`has a text in the sql_mode ${stored.sqlMode}`)
  const cut = cutStatement(stored.definition)
  if (!cut.ok) return cut
  const tokens = cut.value
  const phrase = forbidden.find(([words]) => holds(tokens, words))
  if (phrase) return unsafe(phrase[1])
  if (isLocking(tokens)) return unsafe('locks rows')
  const fault = new Walk(tokens, stored.parameters).findFault()
  return fault === undefined
    ? ok({ names: namesIn(tokens), calls: unknownCalls(tokens, new Set([...harmlessFunctions[flavour], ...grammar])) })
    : unsafe(fault)
}

/** Goes through the text statement by statement. */
class Walk {
  readonly #tokens: readonly Token[]
  readonly #own: Set<string>
  /** What an END closes: statements with statements in them, or a CASE of an expression. */
  readonly #open: ('block' | 'expression')[] = []
  /** Positions at which a local variable is assigned. */
  readonly #assigned = new Set<number>()

  constructor(tokens: readonly Token[], parameters: readonly string[]) {
    this.#tokens = tokens
    this.#own = new Set(parameters.map((name) => name.toLowerCase()))
  }

  findFault(): string | undefined {
    let begins = true
    for (let at = 0; at < this.#tokens.length; at += 1) {
      const token = this.#tokens[at]
      if (isSign(token, ';')) {
        begins = true
        continue
      }
      const fault = begins ? this.#faultOfStatement(at) : this.#faultWithin(at)
      if (fault !== undefined) return fault
      begins = begins ? isWord(token, 'BEGIN') || isWord(token, 'ELSE') : this.#isBranch(at)
      // END IF, END CASE
      if (isWord(token, 'END') && (isWord(this.#tokens[at + 1], 'IF') || isWord(this.#tokens[at + 1], 'CASE'))) at += 1
    }
    return undefined
  }

  #faultOfStatement(at: number): string | undefined {
    const word = this.#tokens[at]?.kind === 'word' ? this.#tokens[at]?.text.toUpperCase() : ''
    switch (word) {
      case 'BEGIN':
      case 'IF':
      case 'CASE':
        this.#open.push('block')
        return undefined
      case 'END':
        this.#open.pop()
        return undefined
      case 'ELSEIF':
      case 'ELSE':
      case 'WHEN':
      case 'RETURN':
      case 'SELECT':
        return undefined
      case 'DECLARE':
        return this.#declare(at)
      case 'SET':
        return this.#set(at)
      default:
        return `does more than compute and read: ${this.#tokens[at]?.text ?? ''}`
    }
  }

  #faultWithin(at: number): string | undefined {
    const token = this.#tokens[at]
    if (isWord(token, 'CASE')) this.#open.push('expression')
    if (isWord(token, 'END')) this.#open.pop()
    if (isSign(token, ':=') && !this.#assigned.has(at)) return 'assigns a variable'
    if (isSign(token, '?')) return 'holds a parameter'
    return isWord(token, 'INTO') && !this.#isIntoOwn(at) ? 'stores a result outside its local variables' : undefined
  }

  /** Behind it a statement begins. */
  #isBranch(at: number): boolean {
    const token = this.#tokens[at]
    return (isWord(token, 'THEN') || isWord(token, 'ELSE')) && this.#open.at(-1) === 'block'
  }

  /** `DECLARE a, b INT DEFAULT 0`: no cursor, condition or handler. */
  #declare(at: number): string | undefined {
    const end = this.#endOf(at)
    const words = this.#tokens.slice(at + 1, end)
    if (words.some((word) => ['CURSOR', 'CONDITION', 'HANDLER'].some((each) => isWord(word, each))))
      return 'declares a cursor, a condition or a handler'
    for (let next = at + 1; next < end; next += 2) {
      this.#own.add((this.#tokens[next]?.text ?? '').toLowerCase())
      if (!isSign(this.#tokens[next + 1], ',')) break
    }
    return undefined
  }

  /** `SET a = …` of a local variable, one at a time. */
  #set(at: number): string | undefined {
    const [name, sign] = [this.#tokens[at + 1], this.#tokens[at + 2]]
    if (!this.#isOwn(name) || !(isSign(sign, '=') || isSign(sign, ':=')))
      return 'sets something other than a local variable'
    this.#assigned.add(at + 2)
    let depth = 0
    for (const token of this.#tokens.slice(at + 3, this.#endOf(at))) {
      if (isSign(token, '(')) depth += 1
      if (isSign(token, ')')) depth -= 1
      if (depth === 0 && isSign(token, ',')) return 'sets several variables at once'
    }
    return undefined
  }

  #isIntoOwn(at: number): boolean {
    for (let next = at + 1; ; next += 2) {
      if (!this.#isOwn(this.#tokens[next])) return false
      if (!isSign(this.#tokens[next + 1], ',')) return true
    }
  }

  readonly #isOwn = (token: Token | undefined): boolean =>
    token !== undefined && isName(token) && this.#own.has(token.text.toLowerCase())

  #endOf(at: number): number {
    const end = this.#tokens.findIndex((token, index) => index > at && isSign(token, ';'))
    return end < 0 ? this.#tokens.length : end
  }
}
