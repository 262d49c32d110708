// Changes kept over restarts: `<datadir>/<cluster>/<cluster>.toml` and `<datadir>/default.toml`, each with its last good copy.
import type { Dirent } from 'node:fs'
import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises'
import path from 'node:path'
import { stringify } from 'smol-toml'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { reveal, type Secret } from '../../base/secret.js'
import { type Configuration, scopeOf } from '../configuration/configuration.js'
import type { Fault, RawEntry } from '../configuration/fault.js'
import type { Entry } from '../configuration/layer.js'
import { isClusterName } from '../kit/cluster-name.js'
import { encryptSecret, errorCode, reason } from '../secret/secrets.js'
import { findSetting, type SettingName, settingRow } from '../table/index.js'
import { readToml } from './toml.js'

/** In a saved section: the cluster was added at run time, no other file declares it. */
export const ADDED = 'added-at-run-time'

export interface SavedReading {
  readonly entries: readonly RawEntry[]
  /** By the name of a setting, the fingerprint of the given secret that the saved one replaces. */
  readonly replaced: ReadonlyMap<SettingName, string>
  readonly added: boolean
  readonly warnings: readonly Fault[]
}

/** The file of a cluster's saved changes, or of the server's ('' as a cluster). */
export const savedFile = (datadir: string, cluster: string): string =>
  cluster === '' ? path.join(datadir, 'default.toml') : path.join(datadir, cluster, `${cluster}.toml`)

/** Its text, empty where there is none. Failure: `file-unreadable`. */
export async function readSavedText(datadir: string, cluster: string): Promise<Result<string>> {
  const file = savedFile(datadir, cluster)
  try {
    return ok(await readFile(file, 'utf8'))
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? ok('') : fail('file-unreadable', `${file}: ${reason(error)}`)
  }
}

/** Reads saved changes. A damaged file is a warning, and its last good copy is read in its place. */
export async function readSaved(datadir: string, cluster: string): Promise<SavedReading> {
  const file = savedFile(datadir, cluster)
  const current = await readSection(file, cluster)
  if (current.problem === undefined) return current.reading
  const copy = await readSection(`${file}.old`, cluster)
  const usable = copy.problem === undefined && copy.found
  const problem = `${current.problem}; ${usable ? 'the last good copy (.old) is used' : 'no good copy exists, saved changes are not applied'}`
  const warning: Fault = { origin: { kind: 'saved', file }, section: cluster || 'default', problem, lost: true }
  return { ...copy.reading, warnings: [warning, ...copy.reading.warnings] }
}

export interface AddedReading {
  readonly names: readonly string[]
  readonly warnings: readonly Fault[]
}

/** Clusters that exist only because they were added at run time; `declared` are those of the files. */
export async function readAdded(datadir: string, declared: ReadonlySet<string>): Promise<AddedReading> {
  let entries: readonly Dirent[]
  try {
    entries = await readdir(datadir, { withFileTypes: true })
  } catch (error) {
    const problem = `the working directory cannot be read: ${reason(error)}`
    const warnings: Fault[] = [{ origin: { kind: 'saved', file: datadir }, problem }]
    return { names: [], warnings: errorCode(error) === 'ENOENT' ? [] : warnings }
  }
  const names = entries
    .filter((entry) => entry.isDirectory() && isClusterName(entry.name) && !declared.has(entry.name))
    .map(({ name }) => name)
  const readings = await Promise.all(names.map((name) => readSaved(datadir, name)))
  return {
    names: names.filter((_, index) => readings[index]?.added),
    warnings: readings.filter(({ added }) => !added).flatMap(({ warnings }) => warnings),
  }
}

/** Writes what a scope ('' the server's) keeps over restarts. Failures: `unknown-cluster`, `file-unwritable`. */
export async function saveChanges(configuration: Configuration, cluster: string): Promise<Result<void>> {
  const text = renderSaved(configuration, cluster)
  return text.ok ? writeSaved(configuration.server.settings['monitoring-datadir'], cluster, text.value) : text
}

/** The text of the file of a scope's saved changes, of the settings that `holds` names. Failure: `unknown-cluster`. */
export function renderSaved(
  configuration: Configuration,
  cluster: string,
  holds: (name: string) => boolean = () => true,
): Result<string> {
  const scope = scopeOf(configuration, cluster)
  if (!scope) return fail('unknown-cluster', `no cluster ${cluster}`)
  const within = <K extends string, V>(entries: ReadonlyMap<K, V>) => [...entries].filter(([name]) => holds(name))
  const values = within(scope.saved).map(([name, entry]) => [name, storedValue(name, entry, configuration.key)])
  const leftOut = within(scope.leftOut).map(([name, value]) => [name, JSON.parse(reveal(value))])
  const marks = within(scope.replaced)
  const section = { ...(scope.added ? { [ADDED]: true } : {}), ...Object.fromEntries([...leftOut, ...values]) }
  const replaced = marks.length === 0 ? {} : { [replacedName(cluster)]: Object.fromEntries(marks) }
  const sections = { [sectionName(cluster)]: section, ...replaced }
  return ok(textOf(sections))
}

/** The text of a scope's file with the settings that `holds` names as `theirs` has them, and the others as they are in `own`. */
export function joinSaved(own: string, theirs: string, holds: (name: string) => boolean): string {
  const sections: Record<string, Record<string, unknown>> = {}
  const take = (text: string, isTaken: (name: string) => boolean) => {
    for (const { name, entries } of readToml(text, '', 'saved').sections)
      sections[name] = { ...sections[name], ...valuesOf(entries.filter((entry) => isTaken(entry.name))) }
  }
  take(own, (name) => !holds(name))
  take(theirs, holds)
  return textOf({ [sectionName('')]: {}, ...sections })
}

const valuesOf = (entries: readonly RawEntry[]) => Object.fromEntries(entries.map(({ name, value }) => [name, value]))

const textOf = (sections: Readonly<Record<string, object>>): string =>
  `# Changes made at run time; written by the manager.\n${stringify(sections)}`

/**
 * Writes that file: mode 0600, atomically. The former one is kept as `.old`, or as `.damaged` when it cannot be read: the
 * last good copy stays.
 */
export async function writeSaved(datadir: string, cluster: string, text: string): Promise<Result<void>> {
  const file = savedFile(datadir, cluster)
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: modeOf('stateFolder') })
    const former = await readSection(file, cluster)
    if (former.text !== '')
      await replaceFile(`${file}.${former.problem === undefined ? 'old' : 'damaged'}`, former.text)
    await replaceFile(file, text)
    return done
  } catch (error) {
    return fail('file-unwritable', `${file}: ${reason(error)}`)
  }
}

/** Sets the saved changes of a removed cluster aside, so that it does not come back; its other files stay. */
export async function setAsideSaved(datadir: string, cluster: string): Promise<Result<void>> {
  const file = savedFile(datadir, cluster)
  try {
    await rename(file, `${file}.removed`)
    return done
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? done : fail('file-unwritable', `${file}: ${reason(error)}`)
  }
}

interface SectionReading {
  readonly found: boolean
  readonly text: string
  readonly problem?: string
  readonly reading: SavedReading
}

const nothing: SavedReading = { entries: [], replaced: new Map(), added: false, warnings: [] }

async function readSection(file: string, cluster: string): Promise<SectionReading> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    const found = errorCode(error) !== 'ENOENT'
    return { found, text: '', reading: nothing, ...(found ? { problem: `cannot be read: ${reason(error)}` } : {}) }
  }
  const { sections, faults } = readToml(text, file, 'saved')
  const section = sections.find(({ name }) => name === sectionName(cluster))
  const [fault] = faults
  if (fault) return { found: true, text, problem: `line ${fault.origin.line}: ${fault.problem}`, reading: nothing }
  if (!section) return { found: true, text, problem: `no section [${sectionName(cluster)}]`, reading: nothing }
  const entries = section.entries.filter(({ name }) => name !== ADDED)
  const added = section.entries.some(({ name, value }) => name === ADDED && value === true)
  const replaced = sections.find(({ name }) => name === replacedName(cluster))?.entries ?? []
  return { found: true, text, reading: { entries, replaced: fingerprintsOf(replaced), added, warnings: [] } }
}

const fingerprintsOf = (entries: readonly RawEntry[]): ReadonlyMap<SettingName, string> =>
  new Map(
    entries.flatMap(({ name, value }) => {
      const setting = findSetting(name)
      return setting !== undefined && typeof value === 'string' ? [[setting, value]] : []
    }),
  )

/** The section of the saved changes of a scope ('' the server's). */
export const sectionName = (cluster: string): string => `saved-${cluster === '' ? 'default' : cluster}`

const replacedName = (cluster: string): string => `replaced-${cluster === '' ? 'default' : cluster}`

/** A value as it stands in a file: secrets encrypted, where there is a key. */
export function storedValue(name: SettingName, { value }: Entry, key: Secret | undefined): unknown {
  const { secret, shape } = settingRow(name)
  return secret && key !== undefined ? encryptSecret(value as Secret, key) : shape.plain(value)
}

/** Writes beside the file, forces it to the disk and renames it: a reader sees the old file or the new one. */
async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.new`
  const handle = await open(temporary, 'w', modeOf('state'))
  try {
    await handle.chmod(modeOf('state'))
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, file)
  await syncDirectory(path.dirname(file))
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
