// What is said of a replication account that cannot log in where replicas are to log in.
import type { SourceLogin } from '../../../model/server/reading.js'

/** No full stop: the caller ends the sentence. */
export const deniedLogin = ({ message, repair = '' }: SourceLogin): string =>
  `${message}. No replica could follow it. On the primary: ${repair} Or correct replication-credential`
