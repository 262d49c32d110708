// One row per setting: the row's type and the function that fills in what most rows have in common.
import type { Grant } from '../../access/grants.js'
import type { Secret } from '../../base/secret.js'
import type { Shape } from './shape.js'

export type SettingValue = boolean | number | string | readonly string[] | Readonly<Record<string, number>> | Secret

/** server: one value for the whole manager; cluster: one per cluster, `[Default]` gives the value for all. */
export type SettingScope = 'server' | 'cluster'

/**
 * What a setting reaches on the manager's own machine, or with its account. program, file: a path; a cluster may name one at
 * run time only below `monitoring-cluster-files`. key: a path that only configuration files, environment and flags may
 * name. account: an action with the manager's account; changed at run time only with a grant for the whole service.
 */
export type MachineReach = 'program' | 'file' | 'key' | 'account'

export interface SettingRow<T = SettingValue> {
  readonly shape: Shape<T>
  readonly default: T
  readonly scope: SettingScope
  /** live: acts at once when changed; restart: at the next start. */
  readonly apply: 'live' | 'restart'
  /** What a user needs to change it. */
  readonly grant: Grant
  /** Absent: nothing of the manager's machine. */
  readonly machine?: MachineReach
  /** Never printed, logged or returned. */
  readonly secret: boolean
  /** Other spellings: old names, and names of the interface that mean the same. */
  readonly was: readonly string[]
  /** JSON key where it is not the name in lower camel case. */
  readonly json?: string
  /** Further JSON keys that existing clients read, misspelt ones among them. */
  readonly jsonWas: readonly string[]
  /** The default as the document shows it, where the true one depends on the machine. */
  readonly shown?: string
  /** One line: what it does. */
  readonly doc: string
}

/** What a row spells out; the grant follows from the scope, `secret` from the shape. */
export interface SettingForm<T> {
  readonly shape: Shape<T>
  readonly default: NoInfer<T>
  readonly scope: SettingScope
  readonly apply: 'live' | 'restart'
  readonly doc: string
  readonly grant?: Grant
  readonly machine?: MachineReach
  readonly was?: readonly string[]
  readonly json?: string
  readonly jsonWas?: readonly string[]
  readonly shown?: string
}

export const setting = <T>(form: SettingForm<T>): SettingRow<T> => ({
  grant: form.scope === 'server' ? 'global-settings' : 'cluster-settings',
  was: [],
  jsonWas: [],
  secret: form.shape.kind === 'secret',
  ...form,
})
