// Statements that apply a changed configuration to a running server, and the changes that require a restart.
import { compareVersions } from '../model/server/version.js'
import { type ProtectedClass, protectedClass } from './drift/protected.js'
import { isCompared, type Options, type Shown, sameValue, shownValue, splitName } from './drift/values.js'
import type { Subject } from './explain/explain.js'
import type { Software } from './facts/gates.js'
import { findOption, type Known, type KnownServer } from './rules/known.js'
import type { Rule, RuleSet } from './rules/rules.js'
import { selectRules } from './rules/select.js'
import { renderStatements } from './tree/live.js'

/** A variable that differs from the configuration. */
export interface Gap {
  readonly name: string
  readonly wanted: string
  readonly running: string
}

/** One statement, and the variable that it changes; `name` is absent where it changes none that is known. */
export interface Assignment {
  readonly sql: string
  readonly name?: string
  /** The running value. */
  readonly from?: string
  readonly to?: string
}

/** A difference that stays until the next start. */
export interface HeldGap extends Gap {
  /** Why no statement fixes it; absent where the server cannot change it while it runs. */
  readonly held?: ProtectedClass
}

export interface DynamicPlan {
  /** Each fixes one difference. */
  readonly statements: readonly Assignment[]
  readonly restart: readonly HeldGap[]
}

/** Differences between a server and its configuration; `only` these names when given. */
export const gapsOf = (wanted: Options, server: Shown, only?: ReadonlySet<string>): readonly Gap[] =>
  [...wanted].flatMap(([name, value]) => {
    if (!isCompared(name) || (only !== undefined && !only.has(name))) return []
    const running = shownValue(name, server)
    return running === undefined || sameValue(value, running) ? [] : [{ name, wanted: value, running }]
  })

/** A statement for every difference that this software can fix at run time, and that no class protects. */
export function planDynamic(gaps: readonly Gap[], known: Known, software: Software): DynamicPlan {
  const server = nearest(known, software)
  const planned = gaps.map((gap) => planGap(gap, statementFor(gap, server, software)))
  return {
    statements: planned.flatMap(({ assignment }) => assignment ?? []),
    restart: planned.flatMap(({ held }) => held ?? []),
  }
}

function planGap(gap: Gap, sql: string | undefined): { readonly assignment?: Assignment; readonly held?: HeldGap } {
  const { name, running: from, wanted: to } = gap
  const held = protectedClass(name, from, to)
  if (held !== undefined && (sql !== undefined || held === 'identity')) return { held: { ...gap, held } }
  return sql === undefined ? { held: gap } : { assignment: { sql, name, from, to } }
}

/** Of no use at the next start either: a server keeps its identity as long as it keeps its data. */
export const isIdentity = ({ held }: Pick<HeldGap, 'held'>): boolean => held === 'identity'

function statementFor(
  { name, wanted }: Gap,
  known: KnownServer | undefined,
  { flavour }: Software,
): string | undefined {
  const [head, tail] = splitName(name)
  if (head === 'plugin_load_add') return flavour === 'mariadb' ? `INSTALL SONAME ${text(tail ?? '')}` : undefined
  if (head === 'optimizer_switch' && tail !== undefined)
    return `SET GLOBAL optimizer_switch = ${text(`${tail}=${wanted}`)}`
  if (name === 'transaction_isolation' || name === 'tx_isolation')
    return `SET GLOBAL TRANSACTION ISOLATION LEVEL ${wanted.toUpperCase().replaceAll('-', ' ')}`
  if (known === undefined || findOption(known, name)?.change !== 'live') return undefined
  return `SET GLOBAL ${name} = ${literal(wanted)}`
}

const factors: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 }

/** Sizes as bytes: statements take no suffix. */
function literal(value: string): string {
  const [, number, suffix = ''] = /^(-?\d+)([KMGT]?)$/i.exec(value) ?? []
  if (number !== undefined) return String(Number(number) * (factors[suffix.toUpperCase()] ?? 1))
  if (/^-?\d+\.\d+$/.test(value)) return value
  return text(value)
}

const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

/** Options of the listed version nearest to the server's; options that differ between them are refused by name. */
function nearest({ servers }: Known, { flavour, version }: Software): KnownServer | undefined {
  const alike = servers.filter((each) => (each.flavour === 'mariadb') === (flavour === 'mariadb'))
  const sorted = alike.toSorted((a, b) => compareVersions(b.version, a.version))
  if (version === undefined) return sorted[0]
  return sorted.find((each) => compareVersions(each.version, { ...version, patch: 999 }) <= 0) ?? sorted.at(-1)
}

export interface TagStatements {
  /** In order: reverts of dropped tags, options that they had overridden, statements of added tags. */
  readonly statements: readonly Assignment[]
  /** What one of them would have changed and a class protects. */
  readonly held: readonly HeldGap[]
  /** Dropped tags that remain in effect until the next start. */
  readonly lingering: readonly string[]
}

export interface TagChangeInput {
  readonly rules: RuleSet
  readonly before: Subject
  readonly after: Subject
  readonly server: Shown
}

/** The rules' statements for a change of tags, as far as they may be run on the server as it is. */
export function tagAssignments({ rules, before, after, server }: TagChangeInput): TagStatements {
  const was = selectRules(rules, before.tags, before.software).rules
  const is = selectRules(rules, after.tags, after.software).rules
  const added = is.filter((rule) => !was.includes(rule))
  const dropped = was.filter((rule) => !is.includes(rule))
  const names = new Set(dropped.flatMap(({ options }) => options.map(({ name }) => name)))
  const uncovered = is.filter((rule) => !added.includes(rule) && rule.options.some(({ name }) => names.has(name)))
  const render = (list: readonly Rule[], direction: 'apply' | 'back', subject: Subject) =>
    list.filter(({ restart }) => !restart).flatMap((rule) => renderStatements(rule, direction, subject))
  const all = [...render(dropped, 'back', before), ...render([...uncovered, ...added], 'apply', after)]
  const read = all.map((sql) => readAssignment(sql, server))
  return {
    statements: read.filter((one) => heldBy(one) === undefined),
    held: read.flatMap((one) => {
      const { name, from: running = '', to: wanted = '' } = one
      const held = heldBy(one)
      return name === undefined || held === undefined ? [] : [{ name, running, wanted, held }]
    }),
    lingering: dropped.filter(({ restart, options }) => restart && options.length > 0).map(({ tag }) => tag),
  }
}

const heldBy = ({ name, from = '', to = '' }: Assignment): ProtectedClass | undefined =>
  name === undefined ? undefined : protectedClass(name, from, to)

/** The variable that a statement of the rules sets, its value now and then. */
function readAssignment(sql: string, server: Shown): Assignment {
  const [, name = '', value = ''] = /^\s*SET\s+GLOBAL\s+(\w+)\s*=\s*(.*?)\s*;?\s*$/i.exec(sql) ?? []
  if (name === '') return { sql }
  const from = shownValue(name.toLowerCase(), server)
  return {
    sql,
    name: name.toLowerCase(),
    to: value.replace(/^(['"])(.*)\1$/, '$2'),
    ...(from === undefined ? {} : { from }),
  }
}
