// The option file a client program logs in with: no secret in its arguments or its environment.
import type { SqlTarget, SqlTls } from './session.js'

/** Text for `--defaults-file`; keep it in a file of mode 0600. */
export function clientOptions({ host, port, user, password, tls }: SqlTarget): string {
  const lines = ['[client]', `host=${quoted(host)}`, `port=${port}`, 'protocol=tcp', `user=${quoted(user)}`]
  return [...lines, `password=${quoted(password)}`, ...(tls === undefined ? [] : secured(tls)), ''].join('\n')
}

/** MariaDB's clients switch TLS on by `ssl`, MySQL's by `ssl-mode`; each passes over the other's word. */
function secured({ files = {}, skipVerify = false }: SqlTls): readonly string[] {
  const named = Object.entries({ 'ssl-ca': files.ca, 'ssl-cert': files.cert, 'ssl-key': files.key })
  const checks = files.ca !== undefined && !skipVerify
  return [
    'loose-ssl',
    `loose-ssl-mode=${checks ? 'VERIFY_CA' : 'REQUIRED'}`,
    ...(skipVerify ? ['loose-skip-ssl-verify-server-cert'] : []),
    ...named.flatMap(([option, file]) => (file === undefined ? [] : [`${option}=${quoted(file)}`])),
  ]
}

/** Option files read backslash escapes inside double quotes. */
const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
