// One change of a setting as the history keeps it: who changed what, when, from what to what. No secrets.

/** A value for the wire, masked when secret, and where it comes from. */
export interface SettingValueAt {
  readonly value: boolean | number | string
  readonly origin: string
}

export interface SettingChangeRecord {
  /** Counts up over restarts. */
  readonly id: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly user: string
  /** '' for the scope of the server. */
  readonly cluster: string
  readonly name: string
  readonly action: 'set' | 'switch' | 'clear' | 'undo'
  readonly before: SettingValueAt
  readonly after: SettingValueAt
  /** Further settings that were changed with it, by name: the sizes of a service plan. */
  readonly along?: Readonly<Record<string, { readonly before: SettingValueAt; readonly after: SettingValueAt }>>
  /** The change that an undo takes back. */
  readonly undoes?: number
}
