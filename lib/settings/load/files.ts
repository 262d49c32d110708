// Reads the main file and every *.toml of the include directories, and joins their sections.
import { open, readdir } from 'node:fs/promises'
import path from 'node:path'
import { isReadByOthers } from '../../base/files/modes.js'
import { type Fault, faultAt, foreign, type Origin, type RawEntry } from '../configuration/fault.js'
import { errorCode, isEncrypted, reason } from '../secret/secrets.js'
import { findSetting, type SettingName, settingRow } from '../table/index.js'
import { readToml, type TomlDocument, type TomlSection } from './toml.js'

export interface FileReading {
  /** Entries by section, `default` for [Default] in any case, in the order they were read. */
  readonly sections: ReadonlyMap<string, readonly RawEntry[]>
  /** Where each section begins first. */
  readonly places: ReadonlyMap<string, Origin>
  readonly faults: readonly Fault[]
  readonly warnings: readonly Fault[]
}

const empty: FileReading = { sections: new Map(), places: new Map(), faults: [], warnings: [] }

/** Places searched for the main file when none is named; the first that exists is used. */
export const searchPath = (home: string, directory: string): readonly string[] => [
  path.join(home, '.config/manager/config.toml'),
  '/etc/manager/config.toml',
  '/usr/local/manager/etc/config.toml',
  path.join(directory, 'config.toml'),
]

/** `invoked`: entries of environment and flags, which may name the include directory. */
export async function readFiles(file: string | undefined, invoked: readonly RawEntry[]): Promise<FileReading> {
  if (file === undefined) {
    const origin = { kind: 'file' } as const
    const faults = invoked.length > 0 ? [] : [{ origin, problem: 'no configuration file and no settings were given' }]
    return { ...empty, faults }
  }
  const main = await readDocument(file)
  const isMainSound = main.sections.some(isDefault) || main.faults.length > 0
  const common = [...main.sections.filter(isDefault).flatMap(({ entries }) => entries), ...invoked]
  const included = await Promise.all(includeEntries(common).map((entry) => readDirectory(entry, path.dirname(file))))
  const missing: Fault = { origin: { kind: 'file', file }, problem: 'no section [Default]', foreign: true }
  return join([{ ...main, warnings: isMainSound ? main.warnings : [missing, ...main.warnings] }, ...included.flat()])
}

async function readDocument(file: string): Promise<TomlDocument> {
  try {
    const handle = await open(file, 'r')
    try {
      const document = readToml(await handle.readFile('utf8'), file)
      const open = isReadByOthers((await handle.stat()).mode) && document.sections.some(holdsPlainSecret)
      const problem = 'contains secrets and is readable by all users; set mode 0640'
      const warning: Fault = { origin: { kind: 'file', file }, problem }
      return { ...document, warnings: open ? [warning, ...document.warnings] : document.warnings }
    } finally {
      await handle.close()
    }
  } catch (error) {
    return { sections: [], faults: [{ origin: { kind: 'file', file }, problem: reason(error) }], warnings: [] }
  }
}

async function readDirectory(entry: RawEntry, base: string): Promise<readonly TomlDocument[]> {
  const directory = path.resolve(base, String(entry.value))
  try {
    const names = (await readdir(directory)).filter((name) => name.endsWith('.toml') && !name.startsWith('.'))
    return await Promise.all(names.sort().map((name) => readDocument(path.join(directory, name))))
  } catch (error) {
    const problem = `${directory}: ${reason(error)}`
    const isMissing = errorCode(error) === 'ENOENT'
    return [
      isMissing
        ? { sections: [], faults: [], warnings: [foreign(entry, problem)] }
        : { sections: [], faults: [faultAt(entry, problem)], warnings: [] },
    ]
  }
}

/** The last entry of each setting that names a directory to merge. */
function includeEntries(entries: readonly RawEntry[]): readonly RawEntry[] {
  const names: readonly SettingName[] = ['include', 'monitoring-confdir-extra']
  return names
    .map((name) => entries.findLast((entry) => findSetting(entry.name) === name))
    .filter((entry) => entry !== undefined)
    .filter(({ value }) => typeof value === 'string' && value !== '')
}

function join(documents: readonly TomlDocument[]): FileReading {
  const sections = new Map<string, readonly RawEntry[]>()
  const places = new Map<string, Origin>()
  for (const section of documents.flatMap((document) => document.sections)) {
    const name = isDefault(section) ? 'default' : section.name
    sections.set(name, [...(sections.get(name) ?? []), ...section.entries])
    if (!places.has(name)) places.set(name, { kind: 'file', line: section.line, file: section.file })
  }
  return {
    sections,
    places,
    faults: documents.flatMap(({ faults }) => faults),
    warnings: documents.flatMap(({ warnings }) => warnings),
  }
}

const isDefault = ({ name }: TomlSection): boolean => name.toLowerCase() === 'default'

const holdsPlainSecret = ({ entries }: TomlSection): boolean =>
  entries.some(({ name, value }) => {
    const setting = findSetting(name)
    return (
      setting !== undefined &&
      settingRow(setting).secret &&
      typeof value === 'string' &&
      value !== '' &&
      !isEncrypted(value)
    )
  })
