// From rules, tags and settings to the tree of files of a proxy.
import { closedMode, narrowestMode } from '../../base/files/modes.js'
import { fail, ok, type Result } from '../../base/result.js'
import { judgeGates } from '../facts/gates.js'
import type { ConfiguredServer } from '../facts/paths.js'
import type { ConfiguredProxy, ProxyValues } from '../facts/proxy-facts.js'
import { databaseRows, proxyVariables, secretVariables } from '../facts/proxy-variables.js'
import { namesOfVariables, pattern } from '../facts/variables.js'
import type { Rule, RulePart, RuleSet } from '../rules/rules.js'
import { selectRules } from '../rules/select.js'
import { GENERATED_MARKER } from '../tree/fragment.js'
import { completeTree, type FileTree, type TreeEntry } from '../tree/tree.js'

/** All input of the files of one proxy. */
export interface ProxyInput extends Omit<ProxyValues, 'tags'> {
  readonly tags: readonly string[]
}

/** The files of one proxy. Pure: equal input gives an equal tree. `bad-configuration` names variables without a value. */
export function evaluateProxy(rules: RuleSet, input: ProxyInput): Result<FileTree> {
  const chosen = choose(rules, input)
  const values: ProxyValues = { ...input, tags: chosen.tags }
  const files = [
    ...chosen.rules.flatMap(({ files: whole }) => whole.map(wholeFile)),
    ...partedFiles(chosen, input.proxy),
  ]
  const missing = new Set(files.flatMap(({ pieces }) => pieces).flatMap((piece) => lacking(piece, values)))
  if (missing.size > 0) return fail('bad-configuration', [...missing].join('; '))
  const written = files.map(
    ({ path, mode, pieces }): TreeEntry => ({
      ...{ kind: 'file', path, mode: pieces.some(namesSecret) ? closedMode(mode) : mode },
      text: pieces.map((piece) => printPiece(piece, values)).join(''),
    }),
  )
  const fixed = chosen.rules.flatMap(({ directories, links }): readonly TreeEntry[] => [
    ...directories.map((each) => ({ kind: 'directory' as const, ...each })),
    ...links.map((each) => ({ kind: 'link' as const, ...each })),
  ])
  return ok(completeTree([...fixed, ...written]))
}

/** Whether the files of a proxy contain a password. */
export function holdsSecrets(rules: RuleSet, input: Pick<ProxyInput, 'proxy' | 'tags'>): boolean {
  const chosen = choose(rules, input)
  const pieces = [...chosen.rules.flatMap(({ files }) => files.map(wholeFile)), ...partedFiles(chosen, input.proxy)]
  return pieces.some(({ pieces: some }) => some.some(namesSecret))
}

const namesSecret = ({ text }: Piece): boolean => namesOfVariables(text).some((name) => secretVariables.includes(name))

interface Chosen {
  readonly rules: readonly Rule[]
  /** Effective tags, included ones too. */
  readonly tags: ReadonlySet<string>
}

function choose(set: RuleSet, { proxy, tags }: Pick<ProxyInput, 'proxy' | 'tags'>): Chosen {
  const { rules, chosen } = selectRules(set, tags, { flavour: proxy.software })
  return { rules, tags: chosen }
}

interface Piece {
  readonly text: string
  readonly each: boolean
  readonly between: string
  readonly quoted: boolean
}

interface Draft {
  readonly path: string
  readonly mode: number
  readonly pieces: readonly Piece[]
}

const plain = (text: string): Piece => ({ text, each: false, between: '', quoted: false })

const wholeFile = ({ path, mode, content }: Rule['files'][number]): Draft => ({
  ...{ path, mode },
  pieces: [plain(content)],
})

/** Files made of the parts that hold, in the order of their numbers, then of their tags. */
function partedFiles({ rules, tags }: Chosen, { software }: ConfiguredProxy): readonly Draft[] {
  const parts = rules
    .flatMap((rule) => rule.parts)
    .filter((part) => judgeGates(part.gates, { flavour: software }) !== 'shut' && holds(part, tags))
    .toSorted((left, right) => left.at - right.at)
  return [...new Set(parts.map(({ file }) => file))].map((path) => {
    const own = parts.filter(({ file }) => file === path)
    const head = `${GENERATED_MARKER}: ${path.split('/').at(-1)}. Changes here are lost.\n`
    return { path, mode: narrowestMode(own.map((part) => part.mode)), pieces: [plain(head), ...own] }
  })
}

const holds = (part: RulePart, tags: ReadonlySet<string>): boolean =>
  part.with.every((tag) => tags.has(tag)) && !part.without.some((tag) => tags.has(tag))

/** Obstacles to printing a piece, a sentence each. */
function lacking({ text, each, quoted }: Piece, values: ProxyValues): readonly string[] {
  if (each && values.databases.length === 0) return ['there is no database: set db-servers-hosts']
  return namesOfVariables(text).flatMap((name) => {
    const variable = proxyVariables[name]
    if (variable === undefined) return []
    const value = variable.compute(values)
    if (value === undefined) return [`%%ENV:${name}%% has no value: ${variable.missing ?? 'it is not set'}`]
    const isBroken = (quoted || secretVariables.includes(name)) && /[\r\n]/.test(value)
    return isBroken ? [`%%ENV:${name}%% must be one line`] : []
  })
}

function printPiece({ text, each, between, quoted }: Piece, values: ProxyValues): string {
  const print = (database?: ConfiguredServer): string =>
    text.replace(pattern, (written, name: string) => {
      const value = proxyVariables[name]?.compute(values) ?? (database && databaseRows[name]?.compute(database))
      if (value === undefined) return written
      return quoted ? value.replace(/["\\]/g, '\\$&') : value
    })
  if (!each) return print()
  const copies = values.databases.map(print)
  return between === '' ? copies.join('') : joinLines(copies, between)
}

/** A separator is put at the end of a line, not at the start of the next. */
const joinLines = (copies: readonly string[], between: string): string =>
  `${copies.map((copy) => copy.replace(/\n$/, '')).join(`${between}\n`)}\n`
