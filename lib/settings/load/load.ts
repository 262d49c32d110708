// Loads the configuration: built-in, files, environment, flags, then saved changes; all faults at once.
import path from 'node:path'
import type { Secret } from '../../base/secret.js'
import { checkConfiguration } from '../configuration/check.js'
import { type Configuration, settle } from '../configuration/configuration.js'
import { type Fault, faultAt, type RawEntry } from '../configuration/fault.js'
import { parseEntry } from '../configuration/layer.js'
import { readKeyFile } from '../secret/secrets.js'
import { findSetting, type SettingName, settingRow } from '../table/index.js'
import { readFiles } from './files.js'
import { readGiven } from './given.js'
import { readEnvironment, readFlags } from './invocation.js'
import { carryOver } from './reload.js'
import { restoreSaved } from './restore.js'

export interface LoadInput {
  /** The main file; absent when flags and environment give everything. */
  readonly file?: string
  /** `--name=value`, without the flags of the command itself. */
  readonly flags?: readonly string[]
  readonly environment?: Readonly<Record<string, string | undefined>>
}

export type Loaded =
  | {
      readonly ok: true
      readonly configuration: Configuration
      readonly warnings: readonly Fault[]
      /** Entries that have no effect here; the problem of each says why. */
      readonly recognised: readonly Fault[]
      /** Scopes ('' the server's) whose saved changes are to be written again: some are no longer in force. */
      readonly outdated: readonly string[]
    }
  | {
      readonly ok: false
      readonly faults: readonly Fault[]
      readonly warnings: readonly Fault[]
      readonly recognised: readonly Fault[]
    }

/**
 * Reads everything again. `running` is what holds now, for a reload: its changes that last until restart are carried
 * over. With faults nothing is loaded, and `running` is simply kept by the caller. Never throws.
 */
export async function loadConfiguration(input: LoadInput, running?: Configuration): Promise<Loaded> {
  const environment = readEnvironment(input.environment ?? {})
  const flags = readFlags(input.flags ?? [])
  const invoked = [...environment.entries, ...flags.entries]
  const files = await readFiles(input.file, invoked)
  const key = await readKey([...(files.sections.get('default') ?? []), ...invoked])
  const given = readGiven({ files, invoked: [environment.entries, flags.entries], key: key.value })

  const remarks = [...files.warnings, ...environment.warnings, ...given.warnings]
  const { recognised } = given
  const declared = settle({ ...given.configuration, ...(input.file === undefined ? {} : { file: input.file }) })
  const isStrict = declared.server.settings.strict
  const warnings = isStrict ? remarks.filter((warning) => !warning.foreign) : remarks
  const faults = [
    ...[...files.faults, ...environment.faults, ...flags.faults, ...key.faults, ...given.faults],
    ...checkConfiguration(declared).faults,
    ...(isStrict ? remarks.filter((warning) => warning.foreign) : []),
  ]
  if (faults.length > 0) return { ok: false, faults: [...faults].sort(byPlace), warnings, recognised }

  const saved = await restoreSaved(declared)
  const configuration = settle(running ? carryOver(running, saved.configuration) : saved.configuration)
  return {
    ok: true,
    configuration,
    outdated: saved.outdated,
    recognised: [...recognised, ...saved.recognised],
    warnings: [...warnings, ...saved.warnings, ...checkConfiguration(configuration).warnings],
  }
}

/** One line for the log; undefined when every name that was given has an effect. */
export function recognisedSummary(recognised: readonly Fault[]): string | undefined {
  const count = new Set(recognised.map(({ name }) => name?.toLowerCase())).size
  const settings = count === 1 ? 'setting has' : 'settings have'
  return count === 0 ? undefined : `${count} recognised ${settings} no effect here; --explain-config lists them`
}

/** The key of encrypted secrets; a missing file is no fault unless a secret needs it. */
async function readKey(entries: readonly RawEntry[]): Promise<{ value: Secret | undefined; faults: readonly Fault[] }> {
  const name: SettingName = 'monitoring-key-path'
  const entry = entries.findLast((candidate) => findSetting(candidate.name) === name)
  const parsed = parseEntry(name, entry?.value ?? settingRow(name).default, undefined)
  if (!parsed.ok) return { value: undefined, faults: [] }
  const key = await readKeyFile(path.resolve(String(parsed.value)))
  if (key.ok) return { value: key.value, faults: [] }
  const place = entry ?? { name, value: parsed.value, origin: { kind: 'default' } as const }
  return { value: undefined, faults: [faultAt(place, key.failure.message)] }
}

const byPlace = (left: Fault, right: Fault): number =>
  (left.origin.file ?? '').localeCompare(right.origin.file ?? '') || (left.origin.line ?? 0) - (right.origin.line ?? 0)
