// One entry of the settings history: user, setting, time, old and new value. No secrets.

/** A value for the API, masked when secret, and its origin. */
export interface SettingValueAt {
  readonly value: boolean | number | string
  readonly origin: string
}

export interface SettingChangeRecord {
  /** Increases over restarts. */
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
  /** Further settings changed with it, by name: the sizes of a service plan. */
  readonly along?: Readonly<Record<string, { readonly before: SettingValueAt; readonly after: SettingValueAt }>>
  /** The change that an undo reverts. */
  readonly undoes?: number
}
