// An account of the databases, as far as others may let somebody in by the same password.

export interface DatabaseAccount {
  readonly user: string
  /** Where it may come from, as the database writes it; `%` for everywhere. */
  readonly host: string
  /** Any of them opens it. */
  readonly ways: readonly LoginWay[]
  /** `certificate`: one of the client's own. */
  readonly tls: 'none' | 'any' | 'certificate'
  readonly locked: boolean
}

export interface LoginWay {
  readonly plugin: string
  /** What the plugin compares with; '' for none. */
  readonly text: string
}
