// Patterns that users give: RE2 syntax, matched in time linear in the text, whatever the pattern is.
import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import { fail, ok, type Result } from './result.js'

export interface Pattern {
  /** Whether it is found anywhere in the text. */
  test(text: string): boolean
  /** Plain words with at most an anchor: costs nothing worth counting. */
  readonly isPlain: boolean
}

export interface PatternTraits {
  readonly ignoreCase?: boolean
}

const LONGEST = 500
/** Instructions of a compiled pattern: each costs at most about 0.15 µs a character. */
const MOST_STEPS = 200
/** As texts of databases may be long, only so much of their beginning is searched, characters. */
const LONGEST_TEXT = 2_000

/**
 * `wrong-value` says what is wrong. What only backtracking engines have (look-around, back references) is refused; `(?!)`, a
 * customary way to write nothing, is understood.
 */
export function compilePattern(text: string, { ignoreCase = false }: PatternTraits = {}): Result<Pattern> {
  const key = `${ignoreCase} ${text}`
  const known = compiledBefore.get(key)
  if (known) return known
  const compiled = compile(text, ignoreCase)
  compiledBefore.set(key, compiled)
  return compiled
}

/** A standing repair asks with every probe; compiling costs a hundred times as much as matching. */
const compiledBefore = new LRUCache<string, Result<Pattern>>({ max: 2_000 })

function compile(text: string, ignoreCase: boolean): Result<Pattern> {
  if (text.length > LONGEST) return fail('wrong-value', `is longer than ${LONGEST} characters`)
  if (text === '(?!)') return ok({ test: () => false, isPlain: true })
  const plain = /^(\^?)(\w*)(\$?)$/.exec(text)
  if (plain && !ignoreCase) return ok(plainPattern(plain))
  try {
    const compiled = RE2JS.compile(text, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    if (compiled.programSize() > MOST_STEPS)
      return fail('wrong-value', `takes ${compiled.programSize()} steps for each character; allowed: ${MOST_STEPS}`)
    return ok({ test: (given) => compiled.test(given.slice(0, LONGEST_TEXT)), isPlain: false })
  } catch (error) {
    return fail('wrong-value', `is no pattern (RE2 syntax): ${error instanceof Error ? error.message : String(error)}`)
  }
}

function plainPattern([, start, word = '', end]: RegExpExecArray): Pattern {
  if (start && end) return { test: (text) => text === word, isPlain: true }
  if (start) return { test: (text) => text.startsWith(word), isPlain: true }
  return { test: (text) => (end ? text.endsWith(word) : text.includes(word)), isPlain: true }
}
