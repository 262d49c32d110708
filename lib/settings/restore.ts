// Puts changes saved at run time on top of what files, environment and flags give.
import { secret } from '../base/secret.js'
import { type Configuration, emptyScope, givenValue, type Scope } from './configuration.js'
import { type Fault, faultAt, type RawEntry, renderOrigin } from './fault.js'
import { readLayer } from './layer.js'
import { readAdded, readSaved } from './saved.js'
import { sameValue } from './settings.js'
import { findSetting, settingRow } from './table/index.js'
import { shownValue } from './view.js'

export interface Restored {
  readonly configuration: Configuration
  readonly warnings: readonly Fault[]
}

/** What is wrong with saved changes is told and left out; clusters added at run time come back. */
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
  }
}

async function withSaved(
  declared: Configuration,
  scope: Scope,
  name: string,
): Promise<{ scope: Scope; warnings: readonly Fault[] }> {
  const reading = await readSaved(declared.server.settings['monitoring-datadir'], name)
  const wanted = name === '' ? 'server' : 'cluster'
  const fitting = reading.entries.filter((entry) => scopeOfEntry(entry) === undefined || scopeOfEntry(entry) === wanted)
  const misplaced = reading.entries.filter((entry) => !fitting.includes(entry))
  const { layer, faults, warnings } = readLayer(fitting, { scope: wanted, key: declared.key })
  const unread = new Set([...faults, ...misplaced].map((entry) => entry.name))
  const leftOut = reading.entries
    .filter((entry) => unread.has(entry.name))
    .map((entry) => [entry.name, secret(JSON.stringify(entry.value))] as const)
  return {
    scope: { ...scope, saved: layer, leftOut: new Map(leftOut) },
    warnings: [
      ...reading.warnings,
      ...faults.map((fault) => leftOutFault(name, fault, fault.problem)),
      ...misplaced.map((entry) => leftOutFault(name, faultAt(entry, ''), 'it belongs to another scope')),
      ...warnings,
      ...overruled(declared.server, { ...scope, saved: layer }, name),
    ],
  }
}

const leftOutFault = (scope: string, fault: Fault, problem: string): Fault => ({
  ...fault,
  section: scope || 'default',
  problem: `saved value left out: ${problem}`,
  lost: true,
})

const scopeOfEntry = ({ name }: RawEntry) => {
  const setting = findSetting(name)
  return setting === undefined ? undefined : settingRow(setting).scope
}

/** Saved values that a file, a variable or a flag overrules. */
function overruled(server: Scope, scope: Scope, section: string): readonly Fault[] {
  return [...scope.saved].flatMap(([name, { value, origin }]) => {
    const given = givenValue(server, scope, name)
    if (given === undefined || sameValue(name, given.value, value)) return []
    const holds = `${shownValue(name, given.value)} of ${renderOrigin(given.origin)}`
    const shown = String(shownValue(name, value))
    return [
      { origin, section: section || 'default', name, value: shown, problem: `saved value not applied: ${holds} holds` },
    ]
  })
}
