// Puts changes saved at run time on top of what files, environment and flags give.
import { isSecret, secret } from '../../base/secret.js'
import {
  type Configuration,
  emptyScope,
  givenValue,
  type Scope,
  scopeOf,
  settle,
} from '../configuration/configuration.js'
import { type Fault, faultAt, type RawEntry, renderOrigin } from '../configuration/fault.js'
import { type Entry, type Layer, readLayer } from '../configuration/layer.js'
import { permitPath } from '../configuration/machine.js'
import { shownValue } from '../configuration/view.js'
import { isFingerprintOf } from '../secret/fingerprint.js'
import { isForAll } from '../table/for-all.js'
import { findSetting, type SettingName, settingRow } from '../table/index.js'
import { sameValue } from '../table/settings.js'
import { readAdded, readSaved } from './saved.js'

export interface Restored {
  readonly configuration: Configuration
  readonly warnings: readonly Fault[]
  readonly recognised: readonly Fault[]
  /** Scopes ('' the server's) whose files still hold values that are no longer in force: to be saved again. */
  readonly outdated: readonly string[]
}

/** Faulty saved changes are reported and left out; clusters added at run time are restored. */
export async function restoreSaved(declared: Configuration): Promise<Restored> {
  const datadir = declared.server.settings['monitoring-datadir']
  const added = await readAdded(datadir, new Set(declared.clusters.keys()))
  const names = [...declared.clusters.keys(), ...added.names]
  const server = await withSaved(declared, declared.server, '')
  const scopes = await Promise.all(
    names.map((name) => withSaved(declared, declared.clusters.get(name) ?? { ...emptyScope, added: true }, name)),
  )
  const clusters = new Map(names.flatMap((name, index) => (scopes[index] ? [[name, scopes[index].scope]] : [])))
  return {
    configuration: { ...declared, server: server.scope, clusters },
    warnings: [added, server, ...scopes].flatMap(({ warnings }) => warnings),
    recognised: [server, ...scopes].flatMap(({ recognised }) => recognised),
    outdated: ['', ...names].filter((_, index) => [server, ...scopes][index]?.isOutdated),
  }
}

/** What a scope's file of saved changes says by now, in a configuration that runs; files, environment and flags as they were read. */
export async function restoreScope(running: Configuration, name: string): Promise<Restored> {
  const own = scopeOf(running, name)
  if (!own) return { configuration: running, warnings: [], recognised: [], outdated: [] }
  const { scope, warnings, recognised, isOutdated } = await withSaved(running, own, name)
  const clusters = new Map(running.clusters)
  if (name !== '') clusters.set(name, scope)
  const configuration = settle({ ...running, clusters, ...(name === '' ? { server: scope } : {}) })
  return { configuration, warnings, recognised, outdated: isOutdated ? [name] : [] }
}

async function withSaved(
  declared: Configuration,
  scope: Scope,
  name: string,
): Promise<{ scope: Scope; warnings: readonly Fault[]; recognised: readonly Fault[]; isOutdated: boolean }> {
  const reading = await readSaved(declared.server.settings['monitoring-datadir'], name)
  const wanted = name === '' ? 'server' : 'cluster'
  const fitting = reading.entries.filter((entry) => fits(entry, wanted))
  const misplaced = reading.entries.filter((entry) => !fitting.includes(entry))
  const { layer: read, faults, warnings, recognised } = readLayer(fitting, { scope: wanted, key: declared.key })
  const refused = [...read].flatMap(([setting, entry]) => refusedPath(declared.server, scope, { name, setting, entry }))
  const layer: Layer = new Map([...read].filter(([setting]) => !refused.some((fault) => fault.name === setting)))
  const unread = new Set([...faults, ...misplaced, ...recognised, ...refused].map((entry) => entry.name))
  const leftOut = reading.entries
    .filter((entry) => unread.has(entry.name))
    .map((entry) => [entry.name, secret(JSON.stringify(entry.value))] as const)
  const outdated = await overtaken(declared, { ...scope, saved: layer, replaced: reading.replaced })
  const without = <T>(values: ReadonlyMap<SettingName, T>) =>
    new Map([...values].filter(([setting]) => !outdated.has(setting)))
  const restored = { ...scope, saved: without(layer), replaced: without(reading.replaced) }
  return {
    scope: { ...restored, leftOut: new Map(leftOut) },
    isOutdated: outdated.size > 0,
    recognised,
    warnings: [
      ...reading.warnings,
      ...[...faults, ...refused].map((fault) => leftOutFault(name, fault, fault.problem)),
      ...misplaced.map((entry) => leftOutFault(name, faultAt(entry, ''), 'it belongs to another scope')),
      ...warnings,
      ...[...outdated].map(([setting, entry]) => overtakenFault(declared.server, { scope, setting, entry, name })),
      ...overruled(declared.server, restored, name),
    ],
  }
}

interface SavedEntry {
  /** Of the scope. */
  readonly name: string
  readonly setting: SettingName
  readonly entry: Entry
}

/** A program or a file of the manager's machine that must not be set at run time: saved by an earlier version, or by hand. */
function refusedPath(server: Scope, own: Scope, { name, setting, entry }: SavedEntry): readonly Fault[] {
  const permitted = permitPath(server, own, { scope: name, setting, value: entry.value })
  return permitted.ok ? [] : [{ origin: entry.origin, name: setting, problem: permitted.failure.message }]
}

const leftOutFault = (scope: string, fault: Fault, problem: string): Fault => ({
  ...fault,
  section: scope || 'default',
  problem: `saved value left out: ${problem}`,
  lost: true,
})

/** A name that is no setting is judged where the layer is read. */
function fits({ name }: RawEntry, wanted: 'server' | 'cluster'): boolean {
  const setting = findSetting(name)
  return setting === undefined || settingRow(setting).scope === wanted || (wanted === 'server' && isForAll(setting))
}

/** Rotated secrets in whose place another one is given by now than the one that they replaced. */
async function overtaken({ server, key }: Configuration, scope: Scope): Promise<Layer> {
  const judged = [...scope.replaced].map(async ([name, replaced]) => {
    const saved = scope.saved.get(name)
    const given = givenValue(server, scope, name)?.value
    // One that cannot be opened is kept with its mark: without its key nothing can be compared.
    if (!saved || !isSecret(given) || (await isFingerprintOf(replaced, given, key))) return []
    return [[name, saved] as const]
  })
  return new Map((await Promise.all(judged)).flat())
}

interface Overtaken {
  readonly scope: Scope
  readonly setting: SettingName
  readonly entry: Entry
  readonly name: string
}

function overtakenFault(server: Scope, { scope, setting, entry, name }: Overtaken): Fault {
  const given = givenValue(server, scope, setting)
  const place = given ? renderOrigin(given.origin) : 'the configuration'
  const problem = `dropped: ${place} gives another value than the one that was rotated, so that one holds`
  return { origin: entry.origin, section: name || 'default', name: setting, problem }
}

/** Saved values that a file, a variable or a flag overrules. */
function overruled(server: Scope, scope: Scope, section: string): readonly Fault[] {
  return [...scope.saved].flatMap(([name, { value, origin }]) => {
    const given = givenValue(server, scope, name)
    if (given === undefined || scope.replaced.has(name) || sameValue(name, given.value, value)) return []
    const holds = `${shownValue(name, given.value)} of ${renderOrigin(given.origin)}`
    const shown = String(shownValue(name, value))
    return [
      { origin, section: section || 'default', name, value: shown, problem: `saved value not applied: ${holds} holds` },
    ]
  })
}
