// What is read of another tool's configuration, and what a row of a table says about one of its names.
import type { Result } from '../../lib/base/result.js'
import type { SettingName } from '../../lib/settings/index.js'

/** One value as it stands in a file. */
export interface Entry {
  readonly file: string
  readonly line: number
  /** Empty where the format has no sections. */
  readonly section: string
  readonly name: string
  readonly value: string
  /** The items where the format has lists. */
  readonly items?: readonly string[]
}

/** The accounts: each half comes from another name. */
export type Part = 'user' | 'password' | 'replication-user' | 'replication-password'

export type Plain = string | number | boolean

/** What a conversion makes of one value. */
export interface Gift {
  readonly settings?: Readonly<Partial<Record<SettingName, Plain>>>
  /** Items of lists, added to those of other values. */
  readonly items?: Readonly<Partial<Record<SettingName, readonly string[]>>>
  readonly part?: Part
  /** Why nothing is taken over, and what to do. */
  readonly problem?: string
}

/** What a conversion may know beside its value. */
export interface Context {
  readonly cluster: string
  /** Addresses of the servers of the cluster. */
  readonly hosts: readonly string[]
  /** Of the server in whose section the value stands. */
  readonly address?: string
  /** Of a server by the name of its section. */
  addressOf(name: string): string | undefined
}

export type Convert = (entry: Entry, context: Context) => Gift

/** One name of another tool. */
export interface ForeignRow {
  /** As it is spelled there; `*` at the end: every name that begins so. */
  readonly name: string
  /** The kinds of sections in which it has this meaning. */
  readonly in: readonly string[]
  /** Ours: what it becomes, or what to use instead. */
  readonly ours: readonly SettingName[]
  /** Taken over by this; without: not taken over. */
  readonly convert?: Convert
  /** Nothing here corresponds to it and nothing needs to. */
  readonly ignored?: true
  readonly remark: string
}

/** What the command line adds to the files. */
export interface Wishes {
  readonly hosts: readonly string[]
  readonly cluster?: string
  readonly proxyHost?: string
}

/** The values that concern one cluster, with the kind of section of each. */
export interface Sighting {
  readonly kind: string
  readonly entry: Entry
  readonly address?: string
}

export interface Host {
  readonly address: string
  readonly from: string
}

/** A setting that no single value gives. */
export interface Derived {
  readonly setting: SettingName
  readonly value: Plain
  readonly from: string
}

export interface ClusterInput {
  readonly name: string
  readonly hosts: readonly Host[]
  readonly parts: readonly Sighting[]
  readonly derived: readonly Derived[]
  /** What the files do not say and a person has to. */
  readonly missing: readonly string[]
  /** The account of the monitor replicates where no other one is named. */
  readonly sharesAccount?: true
  addressOf(name: string): string | undefined
}

export interface Sorted {
  readonly clusters: readonly ClusterInput[]
  /** Values that belong to no cluster. */
  readonly others: readonly Sighting[]
}

/** One tool: its names, how its files are read, and which clusters they describe. */
export interface Foreign {
  readonly title: string
  readonly rows: readonly ForeignRow[]
  read(text: string, file: string): Result<readonly Entry[]>
  sort(entries: readonly Entry[], wishes: Wishes): Result<Sorted>
}

export const placeOf = ({ file, line }: Entry): string => `${file}:${line}`
