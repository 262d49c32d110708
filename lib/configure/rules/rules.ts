// The shape of a rule set: the effects of each tag.
import type { Gate } from '../facts/gates.js'

export const ruleCategories = [
  ...(['charset', 'disk', 'engine', 'log', 'memory', 'network', 'optimizer', 'proxy'] as const),
  ...(['replication', 'security', 'system'] as const),
] as const

export type RuleCategory = (typeof ruleCategories)[number]

/** One line of a fragment. */
export interface RuleOption {
  readonly section: 'mysqld' | 'client' | 'sst'
  readonly name: string
  /** Undefined: the bare name is written. */
  readonly value?: string
  readonly gates: readonly Gate[]
  /** Written with `loose_`, so that a server without it (plugin not loaded) still starts. */
  readonly loose: boolean
}

/** A statement that applies a tag to a running server or reverts it. */
export interface RuleStatement {
  readonly sql: string
  readonly gates: readonly Gate[]
}

/** The kind of service that a rule set configures. */
export type RuleKind = 'database' | 'proxy'

/** A piece of a file of a proxy; the pieces of all effective rules, in the order of their numbers, form the file. */
export interface RulePart {
  /** Path in the tree. */
  readonly file: string
  readonly at: number
  readonly gates: readonly Gate[]
  /** Written only where all of these tags are in effect. */
  readonly with: readonly string[]
  /** Written only where none of these tags is in effect. */
  readonly without: readonly string[]
  /** Repeated for each database of the cluster. */
  readonly each: boolean
  /** Separator of two repetitions. */
  readonly between: string
  /** Values are inside double quotes: their quotes and backslashes are escaped with a backslash. */
  readonly quoted: boolean
  /** Of the whole file: what any piece forbids is forbidden. */
  readonly mode: number
  readonly text: string
}

/** One tag (or one fragment that always applies) with all its effects. */
export interface Rule {
  readonly tag: string
  readonly category: RuleCategory
  readonly doc: string
  /** Address of the page that documents it. */
  readonly source: string
  /** Applies to every server, without a tag. */
  readonly always: boolean
  readonly gates: readonly Gate[]
  /** Number of the link in rc.d: a later fragment overrides an earlier one. */
  readonly order: number
  readonly options: readonly RuleOption[]
  readonly live: readonly RuleStatement[]
  readonly back: readonly RuleStatement[]
  /** A change of the tag takes effect at the next start only. */
  readonly restart: boolean
  /** It is stored in the data folder: a change takes effect only in a newly created one, not by a restart. */
  readonly reprov: boolean
  /** Tags that this one includes. */
  readonly includes: readonly string[]
  /** Tags that contradict this one. */
  readonly excludes: readonly string[]
  readonly directories: readonly { readonly path: string; readonly mode: number }[]
  readonly files: readonly { readonly path: string; readonly mode: number; readonly content: string }[]
  readonly links: readonly { readonly path: string; readonly target: string }[]
  /** Of proxies only. */
  readonly parts: readonly RulePart[]
  /** The Debian package of the plugin, when it is not in the server's package. */
  readonly package?: string
  /** Why no available server can prove it by starting; its text is still checked. */
  readonly unproven?: string
  /** Where it is written: file and line. */
  readonly place: Place
}

export interface Place {
  readonly file: string
  readonly line: number
}

export interface RuleSet {
  /** By tag, in the order of files and lines. */
  readonly rules: readonly Rule[]
}

/** A fault of a rule set, and its place. */
export interface Fault extends Place {
  readonly message: string
}
