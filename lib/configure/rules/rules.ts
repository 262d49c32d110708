// The shape of a rule set: what each tag brings.
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
  /** Written with `loose_`, so that a server without it (a plugin not loaded) starts all the same. */
  readonly loose: boolean
}

/** A statement that applies a tag to a running server or takes it back. */
export interface RuleStatement {
  readonly sql: string
  readonly gates: readonly Gate[]
}

/** Whose configuration a rule set makes. */
export type RuleKind = 'database' | 'proxy'

/** A piece of a file of a proxy; the pieces of all rules that hold, in the order of their numbers, are the file. */
export interface RulePart {
  /** Path in the tree. */
  readonly file: string
  readonly at: number
  readonly gates: readonly Gate[]
  /** Written only where all of these tags hold. */
  readonly with: readonly string[]
  /** Written only where none of these tags holds. */
  readonly without: readonly string[]
  /** Repeated for each database of the cluster. */
  readonly each: boolean
  /** Stands between two repetitions. */
  readonly between: string
  /** Values stand inside double quotes: a backslash goes before each quote and backslash of theirs. */
  readonly quoted: boolean
  /** Of the whole file: what any piece forbids is forbidden. */
  readonly mode: number
  readonly text: string
}

/** One tag (or one fragment that always holds) with everything it brings. */
export interface Rule {
  readonly tag: string
  readonly category: RuleCategory
  readonly doc: string
  /** Address of the page that says so. */
  readonly source: string
  /** Holds for every server, without a tag. */
  readonly always: boolean
  readonly gates: readonly Gate[]
  /** Number of the link in rc.d: a later fragment overrides an earlier one. */
  readonly order: number
  readonly options: readonly RuleOption[]
  readonly live: readonly RuleStatement[]
  readonly back: readonly RuleStatement[]
  /** A change of the tag takes effect at the next start only. */
  readonly restart: boolean
  /** What it sets lies in the data folder: a change takes effect in one that is made anew, not by a restart. */
  readonly reprov: boolean
  /** Tags that come along with this one. */
  readonly includes: readonly string[]
  /** Tags that contradict this one. */
  readonly excludes: readonly string[]
  readonly directories: readonly { readonly path: string; readonly mode: number }[]
  readonly files: readonly { readonly path: string; readonly mode: number; readonly content: string }[]
  readonly links: readonly { readonly path: string; readonly target: string }[]
  /** Of proxies only. */
  readonly parts: readonly RulePart[]
  /** The Debian package that brings the plugin, when the server's own does not. */
  readonly package?: string
  /** Why no server at hand can prove it by starting; its text is proven all the same. */
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

/** What is wrong with a rule set, and where. */
export interface Fault extends Place {
  readonly message: string
}
