// Which metrics go to carbon: lists of patterns, one per line, `#` for comments. Pure.
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

const LONGEST = 500
const MOST = 2_000
/** A repeated group with a repetition inside can take exponential time on a name that nearly matches. */
const runaway = /\([^()]*[+*}][^()]*\)\s*[+*{]/

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
  for (const [index, pattern] of patterns.entries()) {
    if (pattern.length > LONGEST)
      return fail('wrong-value', `pattern ${index + 1} is longer than ${LONGEST} characters`)
    if (runaway.test(pattern)) return fail('wrong-value', `pattern ${index + 1} repeats a group that repeats inside`)
    if (compile(pattern) === undefined) return fail('wrong-value', `pattern ${index + 1} is not a regular expression`)
  }
  return ok(undefined)
}

function compile(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern)
  } catch {
    return undefined
  }
}

/** Verdicts are cached by name: a server has a few thousand names, checked again with every sending. */
const REMEMBERED = 100_000

/**
 * The black list is checked first, then the white list must match the name; an empty white list matches all. Patterns match
 * anywhere in the name. An invalid pattern matches nothing.
 */
export function openFilter({ whitelist, blacklist }: FilterLists, use: FilterUse): MetricFilter {
  const allowed = use.whitelist ? expressions(whitelist) : []
  const forbidden = use.blacklist ? expressions(blacklist) : []
  const judged = new Map<string, boolean>()
  const judge = (name: string): boolean =>
    !forbidden.some((one) => one.test(name)) && (allowed.length === 0 || allowed.some((one) => one.test(name)))
  return (name) => {
    const known = judged.get(name)
    if (known !== undefined) return known
    if (judged.size >= REMEMBERED) judged.clear()
    const verdict = judge(name)
    judged.set(name, verdict)
    return verdict
  }
}

const expressions = (text: string): readonly RegExp[] =>
  checkFilterList(text).ok ? patternsOf(text).flatMap((pattern) => compile(pattern) ?? []) : [/(?!)/]
