// The monitor daemon: reads the configuration, starts actors and gateway, and ends cleanly.
import { existsSync } from 'node:fs'
import { restoreConfiguration } from '../actors/manager/repository/restore.js'
import { versionText } from '../lib/base/package-root.js'
import type { Result } from '../lib/base/result.js'
import {
  explainRecognised,
  type Fault,
  type LoadInput,
  loadConfiguration,
  recognisedSummary,
  renderFault,
} from '../lib/settings/index.js'
import { occupy, prepareFormat, prepareWorkingDirectory } from '../lib/store/index.js'
import { runManager } from './compose.js'
import { readArguments, usage, usualFiles } from './daemon/arguments.js'
import { runCheck } from './daemon/check.js'
import { runConfigurator } from './daemon/configurator.js'
import { makeLoginLink } from './daemon/login-link.js'
import { encryptInput, makeKey } from './daemon/secrets.js'
import { runDoctor } from './doctor/doctor.js'
import { importCommand } from './import/command.js'
import { runReplay } from './replay/command.js'
import { backupCommand, formatCommand, restoreCommand } from './state/commands.js'

const CONFIGURATION_FAULT = 2

const complain = (faults: readonly Fault[]): void => {
  for (const fault of faults) process.stderr.write(`${renderFault(fault)}\n`)
}

const { command, file, flags, rest } = readArguments(process.argv.slice(2))

if (command === 'version') process.stdout.write(`${versionText()}\n`)
else if (command === 'help') process.stdout.write(usage())
else if (command === 'keygen') report(await makeKey(rest), process.stderr)
else if (command === 'login-link') report(await makeLoginLink(rest[0], readInput()), process.stdout)
else if (command === 'encrypt') report(await encryptInput(rest), process.stdout)
else if (command === 'backup-state') report(await backupCommand(readInput()), process.stdout)
else if (command === 'restore-state') report(await restoreCommand(readInput()), process.stdout)
else if (command === 'state-format') report(await formatCommand(readInput()), process.stdout)
else if (command === 'import') await importFiles()
else if (command === 'doctor') await doctor()
else if (command === 'configurator') process.exitCode = await runConfigurator(rest, file)
else if (command === 'replay') process.exitCode = await runReplay(rest, (text) => process.stdout.write(text))
else if (command === 'check') await check()
else if (command === 'explain-config') await explain()
else await monitor()

async function monitor(): Promise<void> {
  const input = readInput()
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

async function check(): Promise<void> {
  const { status, text } = await runCheck(readInput())
  process.stdout.write(text)
  process.exitCode = status
}

async function doctor(): Promise<void> {
  const { status, text } = await runDoctor(readInput())
  process.stdout.write(text)
  process.exitCode = status
}

async function importFiles(): Promise<void> {
  const { isTTY: isTerminal = false } = process.stdout
  const imported = await importCommand(rest, { isTerminal, width: process.stderr.columns ?? 200 })
  if (!imported.ok) process.stderr.write(`${imported.failure.message}\n`)
  if (!imported.ok) process.exitCode = CONFIGURATION_FAULT
  if (imported.ok) process.stderr.write(imported.value.report)
  if (imported.ok) process.stdout.write(imported.value.text)
}

async function explain(): Promise<void> {
  const loaded = await loadConfiguration(readInput())
  if (!loaded.ok) complain(loaded.faults)
  if (!loaded.ok) process.exitCode = CONFIGURATION_FAULT
  process.stdout.write(explainRecognised(loaded))
}

function readInput(): LoadInput {
  const found = file ?? usualFiles().find((candidate) => existsSync(candidate))
  return { flags, environment: process.env, ...(found === undefined ? {} : { file: found }) }
}

function report(result: Result<string>, stream: NodeJS.WriteStream): void {
  if (result.ok) stream.write(`${result.value}\n`)
  else process.stderr.write(`${result.failure.message}\n`)
  if (!result.ok) process.exitCode = 1
}
