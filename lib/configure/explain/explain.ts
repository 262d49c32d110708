// Describes the effect of a tag on a server, and of a change of tags on the configuration.

import { judgeGates } from '../facts/gates.js'
import type { Rule, RuleSet } from '../rules/rules.js'
import { selectRules } from '../rules/select.js'
import { prepareValues, type ServerInput, type TemplateInput } from '../tree/evaluate.js'
import { type WrittenOption, writtenOptions } from '../tree/fragment.js'
import { type Direction, renderStatements } from '../tree/live.js'

/** A server with all input of its configuration. */
export type Subject = Omit<TemplateInput, 'rules' | 'context'> & ServerInput

/** Effect of a tag (or of a fragment that always holds) on this server, a line each. */
export function explainTag(rule: Rule, subject: Subject): readonly string[] {
  const { tag, category, doc, source, place } = rule
  const holds = judgeGates(rule.gates, subject.software) !== 'shut'
  return [
    `${tag} (${category})${rule.always ? ', always' : ''}: ${doc}`,
    `source: ${source}`,
    `written in: ${place.file}:${place.line}`,
    ...listed('includes', rule.includes),
    ...listed('excludes', rule.excludes),
    ...(rule.package === undefined ? [] : [`needs the package: ${rule.package}`]),
    ...(holds ? effectLines(rule, subject) : ['does not apply to this flavour and version: nothing is written']),
  ]
}

const effectLines = (rule: Rule, subject: Subject): readonly string[] => [
  ...optionLines(rule, subject),
  ...statementLines(rule, 'apply', subject),
  ...statementLines(rule, 'back', subject),
]

const listed = (name: string, tags: readonly string[]): readonly string[] =>
  tags.length === 0 ? [] : [`${name}: ${tags.join(', ')}`]

function optionLines(rule: Rule, subject: Subject): readonly string[] {
  const options = writtenOptions(rule, subject.software, prepareValues(subject))
  if (options.length === 0) return ['writes no option']
  return [
    'writes:',
    ...options.flatMap(({ why, ...option }) => [...why.map((each) => `  # ${each}`), `  ${lineOf(option)}`]),
  ]
}

const lineOf = ({ name, value }: Pick<WrittenOption, 'name' | 'value'>): string =>
  value === undefined ? name : `${name} = ${value}`

/** For rules whose options take effect when a data folder is created. */
const IN_NEW_DATA = 'in a new data folder (rolling reprovision)'

const titles: Readonly<Record<Direction, string>> = { apply: 'applied live by', back: 'taken back live by' }

function statementLines(rule: Rule, direction: Direction, subject: Subject): readonly string[] {
  if (rule.restart)
    return direction === 'apply' ? [`takes effect: ${rule.reprov ? IN_NEW_DATA : 'at the next start'}`] : []
  const statements = renderStatements(rule, direction, subject)
  return statements.length === 0 ? [] : [`${titles[direction]}:`, ...statements.map((sql) => `  ${sql}`)]
}

export interface Difference {
  /** As option files spell it, without `loose_`; an optimizer switch with its name after a dot. */
  readonly name: string
  readonly before?: string
  readonly after?: string
}

export interface TagChange {
  readonly differences: readonly Difference[]
  /** Tags that no rule defines. */
  readonly unknown: readonly string[]
  /** Chosen tags that contradict each other. */
  readonly conflicts: readonly (readonly [string, string])[]
  /** The change takes effect at the next start only. */
  readonly restart: boolean
  /** … and only in a newly created data folder. */
  readonly reprov: boolean
  /** What applies the change to the running server, in order; nothing when a restart is needed. */
  readonly statements: readonly string[]
}

/** Changes for a server when its tags become `tags`. */
export function compareTags(rules: RuleSet, subject: Subject, tags: readonly string[]): TagChange {
  const before = selectRules(rules, subject.tags, subject.software)
  const after = selectRules(rules, tags, subject.software)
  const added = after.rules.filter((rule) => !before.rules.includes(rule))
  const dropped = before.rules.filter((rule) => !after.rules.includes(rule))
  const restart = [...added, ...dropped].some((rule) => rule.restart)
  const names = new Set(dropped.flatMap(({ options }) => options.map(({ name }) => name)))
  // Options that a dropped tag had overridden apply again.
  const uncovered = after.rules.filter(
    (rule) => !added.includes(rule) && !rule.restart && rule.options.some(({ name }) => names.has(name)),
  )
  const differences = compareOptions(optionsOf(before.rules, subject), optionsOf(after.rules, subject))
  return {
    ...{ differences, unknown: after.unknown, conflicts: after.conflicts, restart: restart && differences.length > 0 },
    reprov: [...added, ...dropped].some((rule) => rule.reprov),
    statements: restart
      ? []
      : [
          ...dropped.flatMap((rule) => renderStatements(rule, 'back', subject)),
          ...[...uncovered, ...added].flatMap((rule) => renderStatements(rule, 'apply', subject)),
        ],
  }
}

type Options = ReadonlyMap<string, string>

/** The effective options: a later one overrides an earlier one, libraries and single switches are merged. */
export function optionsOf(rules: readonly Rule[], subject: Subject): Options {
  const values = prepareValues(subject)
  const options = new Map<string, string>()
  for (const { name, value = '' } of rules.flatMap((rule) => writtenOptions(rule, subject.software, values))) {
    const plain = name.replace(/^loose_/, '')
    if (plain === 'plugin_load_add') options.set(`${plain}.${value}`, 'loaded')
    else if (plain !== 'optimizer_switch') options.set(plain, value)
    else
      for (const [one = '', state = ''] of value.split(',').map((each) => each.split('=')))
        options.set(`${plain}.${one}`, state)
  }
  return options
}

/** The values of a server's tags, as its variables show them. */
export function expectedOptions(set: RuleSet, subject: Subject): Options {
  const options = new Map(optionsOf(selectRules(set, subject.tags, subject.software).rules, subject))
  // The bare name that disables the log is last where it is written.
  if (options.delete('skip_log_bin')) options.set('log_bin', 'OFF')
  return options
}

function compareOptions(before: Options, after: Options): readonly Difference[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return names
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => {
      const [was, is] = [before.get(name), after.get(name)]
      return { name, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) }
    })
}

/** A change in lines: `+` added, `-` removed, `~` changed. */
export function renderTagChange({
  differences,
  unknown,
  conflicts,
  restart,
  reprov,
  statements,
}: TagChange): readonly string[] {
  return [
    ...unknown.map((tag) => `! no rule defines the tag ${tag}`),
    ...conflicts.map(([one, other]) => `! ${one} and ${other} contradict each other`),
    ...(differences.length === 0 ? ['nothing changes in the options'] : differences.map(differenceLine)),
    ...(restart ? [`takes effect ${reprov ? IN_NEW_DATA : 'at the next start'}`] : []),
    ...(statements.length === 0 ? [] : ['applied live by:', ...statements.map((sql) => `  ${sql}`)]),
  ]
}

function differenceLine({ name, before, after }: Difference): string {
  if (before === undefined) return `+ ${lineOf(after === '' ? { name } : { name, value: after ?? '' })}`
  if (after === undefined) return `- ${lineOf(before === '' ? { name } : { name, value: before })}`
  return `~ ${name}: ${before} -> ${after}`
}
