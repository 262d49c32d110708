// The daemon's main command: reads the configuration, brings the working directory in order, starts actors and gateway.
import { restoreConfiguration } from '../actors/manager/repository/restore.js'
import type { Result } from '../lib/base/result.js'
import { type Fault, type LoadInput, loadConfiguration, recognisedSummary, renderFault } from '../lib/settings/index.js'
import { occupy, prepareFormat, prepareWorkingDirectory } from '../lib/store/index.js'
import { runManager } from './compose.js'
import { CONFIGURATION_FAULT } from './daemon/status.js'

/** Starts the monitor; resolves when it runs, or when it cannot: the fault is on standard error, the exit status is set. */
export async function monitor(input: LoadInput): Promise<void> {
  const declared = await loadConfiguration(input)
  if (!declared.ok) return refuse(declared)
  const { settings } = declared.configuration.server
  const prepared = await openDirectory(settings['monitoring-datadir'])
  const restored = prepared.ok ? await restoreConfiguration(declared.configuration) : prepared
  const isRestored = restored.ok && restored.value !== undefined
  const loaded = isRestored ? await loadConfiguration(input) : declared
  if (!loaded.ok) return refuse(loaded)
  if (restored.ok) complain(loaded.warnings)
  const summary = restored.ok ? recognisedSummary(loaded.recognised) : undefined
  if (summary !== undefined) process.stderr.write(`${summary}\n`)
  const traits = isRestored && restored.value ? { restored: restored.value } : {}
  const run = restored.ok ? await runManager({ loaded, input, ...traits }) : restored
  if (run.ok) return
  process.stderr.write(`${run.failure.message}\n`)
  process.exitCode = run.failure.code === 'bad-configuration' ? CONFIGURATION_FAULT : 1
}

function refuse({ warnings, faults }: Extract<Awaited<ReturnType<typeof loadConfiguration>>, { ok: false }>): void {
  complain([...warnings, ...faults])
  process.exitCode = CONFIGURATION_FAULT
}

/** The working directory in the format of this version, marked as in use. */
async function openDirectory(directory: string): Promise<Result<void>> {
  const prepared = await prepareWorkingDirectory(directory)
  if (!prepared.ok) return prepared
  const current = await prepareFormat(directory)
  if (!current.ok) return current
  if (!(await occupy(directory)))
    process.stderr.write(`another manager runs on ${directory}: end one of them, they overwrite each other's state\n`)
  return current
}

function complain(faults: readonly Fault[]): void {
  for (const fault of faults) process.stderr.write(`${renderFault(fault)}\n`)
}
