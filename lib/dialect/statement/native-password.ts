// The stored hash of a password of `mysql_native_password`.
import { createHash } from 'node:crypto'

/** `*` and SHA-1 of the SHA-1, as `PASSWORD()` of MariaDB writes it. */
export const nativePassword = (password: string): string =>
  `*${createHash('sha1').update(createHash('sha1').update(password).digest()).digest('hex').toUpperCase()}`
