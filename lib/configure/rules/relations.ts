// Faults between rules: duplicates, undefined names, cycles, unknown variables.
import { databaseRows, proxyVariables } from '../facts/proxy-variables.js'
import { absentNames } from '../facts/variable-names.js'
import { namesOfVariables, variables } from '../facts/variables.js'
import type { Fault, Rule, RuleKind } from './rules.js'

export function checkRelations(rules: readonly Rule[], kind: RuleKind): readonly Fault[] {
  const byTag = new Map(rules.map((rule) => [rule.tag, rule]))
  return [
    ...duplicates(rules, ({ tag }) => [`the tag ${tag}`]),
    ...duplicates(rules, writtenPaths),
    ...sharedPaths(rules),
    ...rules.flatMap((rule) => unknownTags(rule, byTag)),
    ...rules.flatMap((rule) => unknownVariables(rule, kind)),
    ...danglingLinks(rules),
    ...rules.flatMap((rule) => inclusionCycle(rule, byTag)),
  ]
}

const at = ({ place, tag }: Rule, message: string): Fault => ({ ...place, message: `${tag}: ${message}` })

/** Every path of the tree that a rule writes alone. */
const writtenPaths = ({ files, links }: Rule): readonly string[] => [...files, ...links].map(({ path }) => path)

/** A file made of parts belongs to no single rule. */
function sharedPaths(rules: readonly Rule[]): readonly Fault[] {
  const parted = new Set(rules.flatMap(({ parts }) => parts.map(({ file }) => file)))
  return rules.flatMap((rule) =>
    writtenPaths(rule)
      .filter((path) => parted.has(path))
      .map((path) => at(rule, `${path} is made of parts by other rules`)),
  )
}

function duplicates(rules: readonly Rule[], claims: (rule: Rule) => readonly string[]): readonly Fault[] {
  const first = new Map<string, Rule>()
  return rules.flatMap((rule) =>
    claims(rule).flatMap((claim) => {
      const other = first.get(claim)
      if (other !== undefined)
        return [at(rule, `${claim} is already defined in ${other.place.file}:${other.place.line}`)]
      first.set(claim, rule)
      return []
    }),
  )
}

const unknownTags = (rule: Rule, byTag: ReadonlyMap<string, Rule>): readonly Fault[] =>
  [...rule.includes, ...rule.excludes, ...rule.parts.flatMap((part) => [...part.with, ...part.without])]
    .filter((tag) => !byTag.has(tag))
    .map((tag) => at(rule, `refers to the undefined tag ${tag}`))

const tables: Readonly<Record<RuleKind, object>> = { database: variables, proxy: proxyVariables }

function unknownVariables(rule: Rule, kind: RuleKind): readonly Fault[] {
  const texts = [
    ...rule.options.flatMap(({ value }) => value ?? []),
    ...[...rule.live, ...rule.back].map(({ sql }) => sql),
    ...rule.files.map(({ content }) => content),
    ...rule.parts.filter(({ each }) => !each).map(({ text }) => text),
  ]
  const repeated = rule.parts.filter(({ each }) => each).map(({ text }) => text)
  return [
    ...unknownNames(rule, texts, tables[kind]),
    ...unknownNames(rule, repeated, { ...tables[kind], ...databaseRows }),
  ]
}

const unknownNames = (rule: Rule, texts: readonly string[], table: object): readonly Fault[] =>
  [...new Set(texts.flatMap(namesOfVariables))]
    .filter((name) => !Object.hasOwn(table, name))
    .map((name) => at(rule, unknownName(name)))

function unknownName(name: string): string {
  if (Object.hasOwn(databaseRows, name)) return `%%ENV:${name}%% is allowed only in a repeated part: add each: database`
  return `unknown variable %%ENV:${name}%%; ${absentNames[name] ?? 'dist/doc/variables.md lists them'}`
}

/** A link must lead, possibly over further links, to a file or folder of a rule. */
function danglingLinks(rules: readonly Rule[]): readonly Fault[] {
  const links = new Map(rules.flatMap((rule) => rule.links.map(({ path, target }) => [path, resolve(path, target)])))
  const made = new Set(rules.flatMap((rule) => [...rule.files, ...rule.directories].map(({ path }) => path)))
  return rules.flatMap((rule) =>
    rule.links.flatMap(({ path, target }) => {
      const end = follow(path, links)
      if (end === path) return [at(rule, `the link ${path} is part of a cycle`)]
      return end !== undefined && made.has(end) ? [] : [at(rule, `the link ${path} has no target ${target}`)]
    }),
  )
}

/** The final target of a link; the link itself in a cycle, undefined when it leaves the tree. */
function follow(path: string, links: ReadonlyMap<string, string | undefined>): string | undefined {
  const seen = new Set<string>()
  let end: string | undefined = path
  while (end !== undefined && links.has(end)) {
    if (seen.has(end)) return path
    seen.add(end)
    end = links.get(end)
  }
  return end
}

/** The path in the tree of `target` relative to `path`; undefined when it leaves the tree. */
function resolve(path: string, target: string): string | undefined {
  const steps = path.split('/').slice(0, -1)
  for (const step of target.split('/')) {
    if (step === '..' && steps.pop() === undefined) return undefined
    if (step !== '..' && step !== '.') steps.push(step)
  }
  return target.startsWith('/') ? undefined : steps.join('/')
}

/** Reported once, at the tag of a cycle that comes first. */
function inclusionCycle(rule: Rule, byTag: ReadonlyMap<string, Rule>): readonly Fault[] {
  const trail = findTrail(rule.tag, rule.tag, { byTag, seen: new Set() })
  const first = trail?.toSorted()[0]
  return trail !== undefined && first === rule.tag
    ? [at(rule, `includes itself: ${[rule.tag, ...trail].join(' → ')}`)]
    : []
}

interface Walk {
  readonly byTag: ReadonlyMap<string, Rule>
  readonly seen: Set<string>
}

/** The tags that lead from `from` to `goal` by inclusion, `goal` last. */
function findTrail(from: string, goal: string, walk: Walk): readonly string[] | undefined {
  if (walk.seen.has(from)) return undefined
  walk.seen.add(from)
  for (const next of walk.byTag.get(from)?.includes ?? []) {
    if (next === goal) return [next]
    const rest = findTrail(next, goal, walk)
    if (rest !== undefined) return [next, ...rest]
  }
  return undefined
}
