// A database account, as far as proxies need it to accept logins with the same password.

export interface DatabaseAccount {
  readonly user: string
  /** Client host, as the database writes it; `%` for any. */
  readonly host: string
  /** Any of them is sufficient for a login. */
  readonly ways: readonly LoginWay[]
  /** `certificate`: a client certificate. */
  readonly tls: 'none' | 'any' | 'certificate'
  readonly locked: boolean
}

export interface LoginWay {
  readonly plugin: string
  /** The stored password hash; '' for none. */
  readonly text: string
}
