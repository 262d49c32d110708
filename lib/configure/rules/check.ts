// Reads the files of a rule set and names every fault in them with file and line.
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml'
import type * as z from 'zod'
import { judgeKind } from './judge-kind.js'
import { judgeOptions } from './judge-options.js'
import { type Known, nothingKnown } from './known.js'
import { checkRelations } from './relations.js'
import { ruleRow, toRule } from './rule-row.js'
import type { Fault, Place, Rule, RuleKind, RuleSet } from './rules.js'

export interface RuleFile {
  /** Its name in messages: the path below the rules' folder. */
  readonly file: string
  readonly text: string
}

export interface CheckedRules {
  readonly set: RuleSet
  readonly faults: readonly Fault[]
}

export interface CheckOptions {
  /** Known options, which names are checked against. */
  readonly known?: Known
  /** Whose configuration they make; that of databases when absent. */
  readonly kind?: RuleKind
}

/** The rules of all files, and their faults; a set with faults must not be used. */
export function checkRules(files: readonly RuleFile[], options: CheckOptions = {}): CheckedRules {
  const { known = nothingKnown, kind = 'database' } = options
  const read = files.map((file) => readRules(file, { known, kind }))
  const rules = read.flatMap((each) => each.rules)
  const faults = [...read.flatMap((each) => each.faults), ...checkRelations(rules, kind)]
  return { set: { rules }, faults: faults.toSorted((a, b) => a.file.localeCompare(b.file) || a.line - b.line) }
}

export const faultText = ({ file, line, message }: Fault): string => `${file}:${line}: ${message}`

interface ReadRules {
  readonly rules: readonly Rule[]
  readonly faults: readonly Fault[]
}

function readRules({ file, text }: RuleFile, options: Required<CheckOptions>): ReadRules {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const lineAt = (offset: number) => lines.linePos(offset).line
  if (document.errors.length > 0) {
    const faults = document.errors.map((error) => ({ file, line: lineAt(error.pos[0]), message: error.message }))
    return { rules: [], faults }
  }
  if (!isMap(document.contents))
    return { rules: [], faults: [{ file, line: 1, message: 'must map tags to their rules' }] }

  const rows: Readonly<Record<string, unknown>> = document.toJS()
  const entries = document.contents.items.map((pair) => {
    const keyOffset = rangeStart(pair.key) ?? 0
    const tag = isScalar(pair.key) ? String(pair.key.value) : ''
    return readRule(tag, rows[tag], {
      place: { file, line: lineAt(keyOffset) },
      lineOf: (path) => lineAt(offsetOf(pair.value, path) ?? keyOffset),
      ...options,
    })
  })
  return { rules: entries.flatMap((each) => each.rules), faults: entries.flatMap((each) => each.faults) }
}

interface Whereabouts extends Required<CheckOptions> {
  readonly place: Place
  /** The line of the node at a path inside the entry, or of its nearest existing parent. */
  readonly lineOf: (path: readonly PropertyKey[]) => number
}

function readRule(tag: string, row: unknown, { place, lineOf, known, kind }: Whereabouts): ReadRules {
  const tagFault = /^[a-z][a-z0-9_]*$/.test(tag)
    ? []
    : [{ ...place, message: `"${tag}" is not a valid tag: use lower-case letters, digits and _` }]
  const checked = ruleRow.safeParse(row)
  if (checked.success) {
    const rule = toRule(tag, checked.data, place)
    const at = (path: readonly PropertyKey[], message: string): Fault => ({
      ...{ file: place.file, line: lineOf(path), message: `${tag}: ${message}` },
    })
    const unknown = judgeOptions(rule, known).map(({ name, message }) => at(['options', name], message))
    const foreign = judgeKind(rule, kind).map(({ path, message }) => at(path, message))
    return { rules: [rule], faults: [...tagFault, ...unknown, ...foreign] }
  }
  const faults = checked.error.issues.map((issue) => ({
    file: place.file,
    line: lineOf(issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path),
    message: `${tag}: ${issueText(issue)}`,
  }))
  return { rules: [], faults: [...tagFault, ...faults] }
}

function issueText(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `unknown key ${issue.keys.join(', ')}`
  const precise = innermost(issue).find(({ message }) => !message.startsWith('Invalid input')) ?? issue
  return [issue.path.join('.'), precise.message].filter(Boolean).join(' ')
}

/** A union reports "Invalid input"; the messages of its members name the fault. */
const innermost = (issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] =>
  issue.code === 'invalid_union' && issue.message === 'Invalid input' ? issue.errors.flat().flatMap(innermost) : [issue]

/** Byte offset of the node at `path` below `node`, or of the deepest existing part. */
function offsetOf(node: unknown, path: readonly PropertyKey[]): number | undefined {
  const [step, ...rest] = path
  if (step === undefined) return undefined
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
    if (pair === undefined) return undefined
    return offsetOf(pair.value, rest) ?? (isScalar(pair.key) ? pair.key.range?.[0] : undefined)
  }
  const item = isSeqLike(node) ? node.items[Number(step)] : undefined
  return item === undefined ? undefined : (offsetOf(item, rest) ?? rangeStart(item))
}

const isSeqLike = (node: unknown): node is { readonly items: readonly unknown[] } =>
  typeof node === 'object' && node !== null && 'items' in node && Array.isArray(node.items)

function rangeStart(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range)) return undefined
  const [start] = node.range
  return typeof start === 'number' ? start : undefined
}
