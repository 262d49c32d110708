// An account as one setting: `user:password`, split at the first colon.
import { reveal, type Secret, secret } from '../../base/secret.js'

export interface Credentials {
  readonly user: string
  readonly password: Secret
}

/** A text without a colon is a user without a password. */
export function credentials(value: Secret): Credentials {
  const text = reveal(value)
  const colon = text.indexOf(':')
  return colon < 0
    ? { user: text, password: secret('') }
    : { user: text.slice(0, colon), password: secret(text.slice(colon + 1)) }
}
