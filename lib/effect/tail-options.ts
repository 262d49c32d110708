// The option file a client program logs in with: no secret in its arguments or its environment.
import type { SqlTarget } from '../connect/sql.js'

/** Text for `--defaults-file`; keep it in a file of mode 0600. */
export function clientOptions({ host, port, user, password, tls }: SqlTarget): string {
  const lines = ['[client]', `host=${quoted(host)}`, `port=${port}`, 'protocol=tcp', `user=${quoted(user)}`]
  const secured = tls === undefined ? [] : ['ssl', ...(tls.skipVerify ? ['loose-skip-ssl-verify-server-cert'] : [])]
  return [...lines, `password=${quoted(password)}`, ...secured, ''].join('\n')
}

/** Option files read backslash escapes inside double quotes. */
const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
