// manager(8): the page of the manual of the daemon, from its own usage.
import { packageVersion } from '../../lib/base/package-root.js'
import { usage } from '../daemon/arguments.js'

export const renderDaemonManual = (): string =>
  `${[
    `.TH MANAGER 8 "" "manager ${packageVersion}" "System Administration"`,
    '.SH NAME',
    'manager \\- replication management of MariaDB and MySQL clusters',
    '.SH SYNOPSIS',
    '.nf',
    ...usage().split('\n').map(line),
    '.fi',
    '.SH SIGNALS',
    'SIGTERM and SIGINT end the manager within 30 seconds; the next start finishes or undoes an operation that was running.',
    'SIGHUP reads the configuration again; with errors the former one stays in force.',
    '.SH ENVIRONMENT',
    'MANAGER_<SETTING> gives a setting, for example MANAGER_API_PORT.',
    'NOTIFY_SOCKET and WATCHDOG_USEC are those of a service manager.',
    '.SH FILES',
    '.nf',
    '/etc/manager/config.toml        configuration',
    '/etc/manager/cluster.d/*.toml   one file a cluster',
    '/etc/manager/.manager.key       key of secrets at rest',
    '/var/lib/manager                saved settings, state, journals, archives',
    '.fi',
    '.SH EXIT STATUS',
    '0 after a signal, 1 when something cannot be used, 2 when the configuration has errors.',
    '.SH SEE ALSO',
    '.BR manager\\-cli (1)',
  ].join('\n')}\n`

/** A line of plain text between .nf and .fi. */
function line(plain: string): string {
  const escaped = plain.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('…', '...')
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped
}
