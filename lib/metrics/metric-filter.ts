// Which metrics go to carbon: lists of patterns, one per line, `#` for comments.
import { compilePattern, type Pattern } from '../base/pattern.js'
import { fail, ok, type Result } from '../base/result.js'

/** Texts of the two lists as in their files. */
export interface FilterLists {
  readonly whitelist: string
  readonly blacklist: string
}

export interface FilterUse {
  readonly whitelist: boolean
  readonly blacklist: boolean
}

/** Whether a metric is sent, by its full name. */
export type MetricFilter = (name: string) => boolean

export const filterTemplates = ['none', 'minimal', 'grafana', 'all'] as const
export type FilterTemplate = (typeof filterTemplates)[number]

const MOST = 2_000
/** Those that are more than a word with an anchor. */
const MOST_EXPRESSIONS = 200

/** Patterns of a list, without comments and blank lines. */
export const patternsOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

/** Checks every pattern of a list. `wrong-value` names the line. */
export function checkFilterList(text: string): Result<void> {
  const patterns = patternsOf(text)
  if (patterns.length > MOST) return fail('wrong-value', `${patterns.length} patterns; allowed: ${MOST}`)
  const expressions: Pattern[] = []
  for (const [index, pattern] of patterns.entries()) {
    const compiled = compilePattern(pattern)
    if (!compiled.ok) return fail('wrong-value', `pattern ${index + 1} ${compiled.failure.message}`)
    if (!compiled.value.isPlain) expressions.push(compiled.value)
  }
  if (expressions.length > MOST_EXPRESSIONS)
    return fail('wrong-value', `${expressions.length} patterns are no plain words; allowed: ${MOST_EXPRESSIONS}`)
  return ok(undefined)
}

/** Verdicts are cached by name: a server has a few thousand names, checked again with every sending. */
const REMEMBERED = 100_000
/** Time that one list may take of each window, milliseconds: names that are not judged then are judged in a later one. */
const BUDGET_MS = 50
const WINDOW_MS = 5_000

/**
 * The black list is checked first, then the white list must match the name; an empty white list matches all. Patterns match
 * anywhere in the name. A list with an invalid pattern matches nothing. Names for which there was no time yet are not sent.
 */
export function openFilter(
  { whitelist, blacklist }: FilterLists,
  use: FilterUse,
  clock: () => number = () => performance.now(),
): MetricFilter {
  const allowed = use.whitelist ? patterns(whitelist) : []
  const forbidden = use.blacklist ? patterns(blacklist) : []
  const isPlain = [...allowed, ...forbidden].every((one) => one.isPlain)
  const judged = new Map<string, boolean>()
  const judge = (name: string): boolean =>
    !forbidden.some((one) => one.test(name)) && (allowed.length === 0 || allowed.some((one) => one.test(name)))
  let window = { since: clock(), spentMs: 0 }
  return (name) => {
    const known = judged.get(name)
    if (known !== undefined) return known
    if (judged.size >= REMEMBERED) judged.clear()
    const begin = isPlain ? 0 : clock()
    if (begin - window.since > WINDOW_MS) window = { since: begin, spentMs: 0 }
    if (window.spentMs > BUDGET_MS) return false
    const verdict = judge(name)
    if (!isPlain) window.spentMs += clock() - begin
    judged.set(name, verdict)
    return verdict
  }
}

const nothing: Pattern = { test: () => false, isPlain: true }

const patterns = (text: string): readonly Pattern[] =>
  checkFilterList(text).ok
    ? patternsOf(text).flatMap((pattern) => {
        const compiled = compilePattern(pattern)
        return compiled.ok ? [compiled.value] : []
      })
    : [nothing]
