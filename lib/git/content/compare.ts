// Three states of the configuration compared, setting by setting: what goes out, what comes in, and who wins where both changed.
import { isDeepStrictEqual } from 'node:util'
import { parse, stringify } from 'smol-toml'
import { ADDED, sectionName } from '../../settings/load/saved.js'
import { readToml } from '../../settings/load/toml.js'
import { differingPaths, type FileSet, kindOf } from './file-set.js'

/** What others changed in one scope ('' is the server's), not yet in force here. */
export interface ScopeEdit {
  readonly scope: string
  /** add: a cluster that is not known here; remove: its file is gone. */
  readonly change: 'add' | 'remove' | 'edit'
  /** As the file has them; undefined takes a change back. */
  readonly values: ReadonlyMap<string, unknown>
}

export interface Compared {
  /** New text by path, to be committed on top of the remote state; undefined removes the file. */
  readonly outgoing: ReadonlyMap<string, string | undefined>
  readonly incoming: readonly ScopeEdit[]
  /** Settings that both sides changed: `shop: failover-mode`. This side wins. */
  readonly conflicts: readonly string[]
  /** Files of which changes of others have no effect: the manager writes them. */
  readonly ignored: readonly string[]
  /** Files of others that are not readable as TOML. */
  readonly unreadable: readonly string[]
}

export interface States {
  /** What both sides had when they last agreed. */
  readonly base: FileSet
  readonly local: FileSet
  readonly remote: FileSet
  readonly instance: string
}

type Table = Record<string, unknown>
type Document = Record<string, Table>

interface Findings {
  readonly outgoing: Map<string, string | undefined>
  readonly incoming: ScopeEdit[]
  readonly conflicts: string[]
  readonly ignored: string[]
  readonly unreadable: string[]
}

interface Texts {
  readonly path: string
  readonly base: string | undefined
  readonly local: string | undefined
  readonly remote: string | undefined
}

/**
 * By setting, and by file where one side has none: only this side changed it: it goes out; only the other: it comes in; both,
 * differently: this side wins, since its servers run with it, and the conflict is named. Equal states give nothing.
 */
export function compareStates({ base, local, remote, instance }: States): Compared {
  const found: Findings = { outgoing: new Map(), incoming: [], conflicts: [], ignored: [], unreadable: [] }
  for (const path of differingPaths(local, remote)) {
    const texts = { path, base: base.get(path), local: local.get(path), remote: remote.get(path) }
    const kind = kindOf(path, instance)
    if (kind.kind === 'saved') compareSaved(kind.scope, texts, found)
    else if (kind.kind !== 'foreign') compareWritten(texts, found)
  }
  return found
}

/** The settings of which `to` has another value than `from`; of files that either cannot read, none. */
export function editsBetween(from: FileSet, to: FileSet, instance: string): readonly ScopeEdit[] {
  return compareStates({ base: from, local: from, remote: to, instance }).incoming
}

function compareWritten({ path, base, local, remote }: Texts, found: Findings): void {
  found.outgoing.set(path, local)
  if (remote !== base && remote !== undefined) found.ignored.push(path)
}

function compareSaved(scope: string, texts: Texts, found: Findings): void {
  const { path, base, local, remote } = texts
  const keepsOwn = local !== base
  if (remote === base) return void found.outgoing.set(path, local)
  const others = readDocument(remote)
  if (others === undefined) found.unreadable.push(path)
  if (others === undefined || remote === undefined || local === undefined) {
    if (keepsOwn) {
      found.outgoing.set(path, local)
      found.conflicts.push(path)
    } else if (remote === undefined) found.incoming.push(removalOf(scope, readDocument(local) ?? {}))
    else if (others)
      found.incoming.push({ scope, change: changeOf(scope, others, 'add'), values: savedValues(scope, others) })
    return
  }
  compareSettings(scope, { ...texts, others }, found)
}

/** A file of saved changes is a whole cluster only where it was added at run time: others are declared by configuration files. */
const changeOf = (scope: string, document: Document, whole: 'add' | 'remove'): ScopeEdit['change'] =>
  document[sectionName(scope)]?.[ADDED] === true ? whole : 'edit'

function removalOf(scope: string, own: Document): ScopeEdit {
  const names = [...savedValues(scope, own).keys()]
  const change = changeOf(scope, own, 'remove')
  return { scope, change, values: new Map(change === 'edit' ? names.map((name) => [name, undefined]) : []) }
}

function compareSettings(
  scope: string,
  { path, base, local, others }: Texts & { others: Document },
  found: Findings,
): void {
  const [was, own] = [readDocument(base) ?? {}, readDocument(local) ?? {}]
  const merged: Document = structuredClone(others)
  const values = new Map<string, unknown>()
  let isOutgoing = false
  for (const section of new Set([...Object.keys(own), ...Object.keys(others)])) {
    const isSaved = section === sectionName(scope)
    for (const name of new Set([...Object.keys(own[section] ?? {}), ...Object.keys(others[section] ?? {})])) {
      const [before, here, there] = [was, own, others].map((document) => document[section]?.[name])
      if (isDeepStrictEqual(here, there)) continue
      const isTheirs = isSaved && name !== ADDED && isDeepStrictEqual(here, before)
      if (isTheirs) values.set(name, there)
      else {
        isOutgoing = true
        put(merged, { section, name, value: here })
        if (isSaved && !isDeepStrictEqual(there, before)) found.conflicts.push(`${scope || 'server'}: ${name}`)
      }
    }
  }
  if (values.size > 0) found.incoming.push({ scope, change: 'edit', values })
  if (isOutgoing) found.outgoing.set(path, `# Changes made at run time; written by the manager.\n${stringify(merged)}`)
}

function put(document: Document, { section, name, value }: { section: string; name: string; value: unknown }): void {
  const { [name]: _, ...rest } = document[section] ?? {}
  document[section] = value === undefined ? rest : { ...rest, [name]: value }
}

function savedValues(scope: string, document: Document): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(document[sectionName(scope)] ?? {}).filter(([name]) => name !== ADDED))
}

/** Sections with their values; undefined where it is not readable as such. No text is an empty document. */
function readDocument(text: string | undefined): Document | undefined {
  if (text === undefined) return {}
  if (readToml(text, '', 'saved').faults.length > 0) return undefined
  return parse(text) as Document
}
