// The daemon's program: its commands, each of which loads what it needs when it is asked for.
import { existsSync } from 'node:fs'
import { versionText } from '../lib/base/package-root.js'
import type { Result } from '../lib/base/result.js'
import type { LoadInput } from '../lib/settings/index.js'
import { type Arguments, readArguments, usage, usualFiles } from './daemon/arguments.js'
import { CONFIGURATION_FAULT } from './daemon/status.js'

const { command, file, flags, rest } = readArguments(process.argv.slice(2))

const commands: Readonly<Record<Arguments['command'], () => Promise<void> | void>> = {
  monitor: async () => (await import('./monitor.js')).monitor(readInput()),
  check: async () => print(await (await import('./daemon/check.js')).runCheck(readInput())),
  'explain-config': async () => explain(),
  keygen: async () => report(await (await import('./daemon/secrets.js')).makeKey(rest), process.stderr),
  'login-link': async () => report(await (await import('./daemon/login-link.js')).loginLinkCommand(readInput())),
  encrypt: async () => report(await (await import('./daemon/secrets.js')).encryptInput(rest)),
  import: async () => importFiles(),
  'backup-state': async () => report(await (await import('./state/commands.js')).backupCommand(readInput())),
  'restore-state': async () => report(await (await import('./state/commands.js')).restoreCommand(readInput())),
  'state-format': async () => report(await (await import('./state/commands.js')).formatCommand(readInput())),
  doctor: async () => print(await (await import('./doctor/doctor.js')).runDoctor(readInput())),
  configurator: async () => {
    process.exitCode = await (await import('./daemon/configurator.js')).runConfigurator(rest, file)
  },
  replay: async () => {
    const { runReplay } = await import('./replay/command.js')
    process.exitCode = await runReplay(rest, (text) => process.stdout.write(text))
  },
  version: () => void process.stdout.write(`${versionText()}\n`),
  help: () => void process.stdout.write(usage()),
}

await commands[command]()

async function importFiles(): Promise<void> {
  const { importCommand } = await import('./import/command.js')
  const { isTTY: isTerminal = false } = process.stdout
  const imported = await importCommand(rest, { isTerminal, width: process.stderr.columns ?? 200 })
  if (!imported.ok) process.stderr.write(`${imported.failure.message}\n`)
  if (!imported.ok) process.exitCode = CONFIGURATION_FAULT
  if (imported.ok) process.stderr.write(imported.value.report)
  if (imported.ok) process.stdout.write(imported.value.text)
}

async function explain(): Promise<void> {
  const { explainRecognised, loadConfiguration, renderFault } = await import('../lib/settings/index.js')
  const loaded = await loadConfiguration(readInput())
  for (const fault of loaded.ok ? [] : loaded.faults) process.stderr.write(`${renderFault(fault)}\n`)
  if (!loaded.ok) process.exitCode = CONFIGURATION_FAULT
  process.stdout.write(explainRecognised(loaded))
}

function readInput(): LoadInput {
  const found = file ?? usualFiles().find((candidate) => existsSync(candidate))
  return { flags, environment: process.env, ...(found === undefined ? {} : { file: found }) }
}

function print({ status, text }: { readonly status: number; readonly text: string }): void {
  process.stdout.write(text)
  process.exitCode = status
}

function report(result: Result<string>, stream: NodeJS.WriteStream = process.stdout): void {
  if (result.ok) stream.write(`${result.value}\n`)
  else process.stderr.write(`${result.failure.message}\n`)
  if (!result.ok) process.exitCode = 1
}
