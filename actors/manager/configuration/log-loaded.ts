// Where the values of a configuration that was read come from: a line for each scope whose settings ask for it.

import type { WriteLog } from '../../../lib/base/log-codes.js'
import type { Configuration, Scope } from '../../../lib/settings/configuration/configuration.js'

/** The verbosity from which such a line is written. */
const EVENT = 3

/** `configuration-read` with the number of values by file, environment, flags and saved changes. */
export function logLoaded({ server, clusters }: Configuration, log: WriteLog): void {
  for (const [scope, values] of [['Default', server] as const, ...clusters])
    if (values.settings['log-config-load'] && values.settings['log-config-load-level'] >= EVENT)
      log('info', 'configuration-read', { scope, ...countOrigins(values) })
}

function countOrigins({ given, saved }: Scope): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { origin } of [...given.values(), ...saved.values()]) {
    const source = origin.file ?? origin.kind
    counts[source] = (counts[source] ?? 0) + 1
  }
  return counts
}
