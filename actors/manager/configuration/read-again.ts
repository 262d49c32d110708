// The configuration read again while the manager runs: all of it, or what it says of one cluster for those who have only that one.
import { fail, ok, type Result } from '../../../lib/base/result.js'
import type { Configuration } from '../../../lib/settings/configuration/configuration.js'
import type { Fault } from '../../../lib/settings/configuration/fault.js'
import { type Loaded, type LoadInput, loadConfiguration } from '../../../lib/settings/load/load.js'
import { adoptCluster } from '../../../lib/settings/load/reload.js'
import { remarkLines, remarksOf } from '../../../lib/settings/load/report.js'

export type Reread = Extract<Loaded, { readonly ok: true }>

export interface Rereading {
  readonly running: Configuration
  /** Absent: all of it, with every fault by its place. */
  readonly cluster?: string | undefined
}

/** `bad-configuration`; `no-grant` as of `adoptCluster`. `warned` gets what does not keep it from being read. */
export async function readAgain(
  input: LoadInput,
  { running, cluster }: Rereading,
  warned: (warnings: readonly Fault[]) => void = () => {},
): Promise<Result<Reread>> {
  const read = await loadConfiguration(input, running)
  warned(read.warnings)
  if (!read.ok) return fail('bad-configuration', cluster === undefined ? allOf(read) : countOf(read.faults))
  if (cluster === undefined) return ok(read)
  const configuration = adoptCluster(running, read.configuration, cluster)
  if (!configuration.ok) return configuration
  const outdated = read.outdated.filter((scope) => scope === cluster)
  return ok({ ...read, configuration: configuration.value, outdated })
}

/** As `manager check` prints them. */
const allOf = (read: Loaded): string => remarkLines(remarksOf(read)).join('\n')

/** They may lie in parts of other clusters. */
const countOf = ({ length }: readonly Fault[]): string =>
  `the configuration files have ${length} ${length === 1 ? 'fault' : 'faults'}; a reload by those with a grant for the whole service names them`
