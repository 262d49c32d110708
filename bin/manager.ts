// The monitor daemon: reads the configuration, starts actors and gateway, and ends cleanly.
import { existsSync } from 'node:fs'
import { packageVersion } from '../lib/base/package-root.js'
import type { Result } from '../lib/base/result.js'
import {
  explainRecognised,
  type Fault,
  type LoadInput,
  loadConfiguration,
  recognisedSummary,
  renderFault,
} from '../lib/settings/index.js'
import { prepareWorkingDirectory } from '../lib/store/index.js'
import { runManager } from './compose.js'
import { readArguments, usage, usualFiles } from './daemon/arguments.js'
import { runCheck } from './daemon/check.js'
import { runConfigurator } from './daemon/configurator.js'
import { encryptInput, makeKey } from './daemon/secrets.js'

const CONFIGURATION_FAULT = 2

const complain = (faults: readonly Fault[]): void => {
  for (const fault of faults) process.stderr.write(`${renderFault(fault)}\n`)
}

const { command, file, flags, rest } = readArguments(process.argv.slice(2))

if (command === 'version') process.stdout.write(`${packageVersion}\n`)
else if (command === 'help') process.stdout.write(usage())
else if (command === 'keygen') report(await makeKey(rest), process.stderr)
else if (command === 'encrypt') report(await encryptInput(rest), process.stdout)
else if (command === 'configurator') process.exitCode = await runConfigurator(rest, file)
else if (command === 'check') await check()
else if (command === 'explain-config') await explain()
else await monitor()

async function monitor(): Promise<void> {
  const input = readInput()
  const loaded = await loadConfiguration(input)
  if (!loaded.ok) {
    complain([...loaded.warnings, ...loaded.faults])
    process.exitCode = CONFIGURATION_FAULT
    return
  }
  const { settings } = loaded.configuration.server
  const prepared = await prepareWorkingDirectory(settings['monitoring-datadir'])
  if (prepared.ok) complain(loaded.warnings)
  const summary = prepared.ok ? recognisedSummary(loaded.recognised) : undefined
  if (summary !== undefined) process.stderr.write(`${summary}\n`)
  const run = prepared.ok ? await runManager({ loaded, input }) : prepared
  if (run.ok) return
  process.stderr.write(`${run.failure.message}\n`)
  process.exitCode = run.failure.code === 'bad-configuration' ? CONFIGURATION_FAULT : 1
}

async function check(): Promise<void> {
  const { status, text } = await runCheck(readInput())
  process.stdout.write(text)
  process.exitCode = status
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
