// The files of a repository as the saved changes of a fresh host: clusters that no file of it declares are declared by them.
import { parse, stringify } from 'smol-toml'
import { fail, ok, type Result } from '../../base/result.js'
import type { Secret } from '../../base/secret.js'
import { ADDED, sectionName } from '../../settings/load/saved.js'
import { readToml } from '../../settings/load/toml.js'
import { decryptSecret, isEncrypted } from '../../settings/secret/secrets.js'
import { findSetting, settingRow } from '../../settings/table/index.js'
import { type FileSet, FLEET_FILE, givenPath, kindOf, savedPath } from './file-set.js'
import { DEFAULT_SECTION, FLEET_SECTION, givenSection } from './given.js'

export interface Restoring {
  readonly files: FileSet
  /** Clusters that the files of this host declare: they keep their own section. */
  readonly declared: ReadonlySet<string>
  /** Whether the files of this host give the setting to the server. */
  readonly isGiven: (name: string) => boolean
  /** Every secret must be one of this key. */
  readonly key: Secret | undefined
}

export interface Restored {
  /** Text of the saved changes by scope ('' the server's). */
  readonly saved: ReadonlyMap<string, string>
  /** Settings of the former host that only a configuration file may give: to be written there. */
  readonly left: readonly string[]
}

type Table = Readonly<Record<string, unknown>>
type Document = Readonly<Record<string, Table>>

/** Failures: `bad-configuration` for a file that is not readable, `bad-secret` without the key that encrypted them. */
export function restoreFiles({ files, declared, isGiven, key }: Restoring): Result<Restored> {
  const documents = readAll(files, key)
  if (!documents.ok) return documents
  const document = (path: string): Document => documents.value.get(path) ?? {}
  const fleet = document(FLEET_FILE)
  const common = splitCommon(fleet[DEFAULT_SECTION] ?? {}, isGiven)
  const saved = new Map<string, string>()
  const server = { ...common.live, ...document(savedPath(''))[sectionName('')] }
  if (Object.keys(server).length > 0) saved.set('', render({ [sectionName('')]: server }))
  for (const cluster of clustersOf(files, fleet)) {
    const text = files.get(savedPath(cluster))
    if (declared.has(cluster)) {
      if (text !== undefined) saved.set(cluster, text)
      continue
    }
    const own = document(savedPath(cluster))
    const given = document(givenPath(cluster))[givenSection(cluster)] ?? {}
    const values = joinValues(cluster, { own, given, inherited: common.inherited })
    saved.set(cluster, render({ [sectionName(cluster)]: { [ADDED]: true, ...values } }))
  }
  return ok({ saved, left: common.left })
}

const render = (document: Document): string =>
  `# Changes made at run time; written by the manager.\n${stringify(document)}`

function readAll(files: FileSet, key: Secret | undefined): Result<ReadonlyMap<string, Document>> {
  const documents = new Map<string, Document>()
  for (const [path, text] of files) {
    const { sections, faults } = readToml(text, path, 'saved')
    const [fault] = faults
    if (fault)
      return fail('bad-configuration', `${path} of the repository: line ${fault.origin.line}: ${fault.problem}`)
    for (const { name, value } of sections.flatMap(({ entries }) => entries)) {
      if (typeof value !== 'string' || !isEncrypted(value)) continue
      const opened = key === undefined ? fail('bad-secret', 'there is no key file') : decryptSecret(value, key)
      if (!opened.ok)
        return fail(
          'bad-secret',
          `${path}: ${name}: ${opened.failure.message}; copy the key file of the former host (monitoring-key-path)`,
        )
    }
    documents.set(path, parse(text) as Document)
  }
  return ok(documents)
}

/** Those of the list, and those that have saved changes. */
function clustersOf(files: FileSet, fleet: Document): readonly string[] {
  const listed = fleet[FLEET_SECTION]?.clusters
  const named = Array.isArray(listed) ? listed.map(String) : []
  const scopes = [...named.map((name) => savedPath(name)), ...files.keys()].flatMap((path) => {
    const kind = kindOf(path)
    return kind.kind === 'saved' && kind.scope !== '' ? [kind.scope] : []
  })
  return [...new Set(scopes)].sort()
}

interface Common {
  /** Of the server, in force without a file. */
  readonly live: Table
  /** What every cluster had. */
  readonly inherited: Table
  readonly left: readonly string[]
}

function splitCommon(common: Table, isGiven: Restoring['isGiven']): Common {
  const live: Record<string, unknown> = {}
  const inherited: Record<string, unknown> = {}
  const left: string[] = []
  for (const [name, value] of Object.entries(common)) {
    const setting = findSetting(name)
    const row = setting && settingRow(setting)
    if (row?.scope === 'cluster') inherited[name] = value
    else if (isGiven(name)) continue
    else if (row?.apply === 'live' && row.machine === undefined) live[name] = value
    else left.push(name)
  }
  return { live, inherited, left }
}

interface Sources {
  readonly own: Document
  readonly given: Table
  readonly inherited: Table
}

/** What held on the former host: files before saved changes, but for secrets that were rotated and clusters added at run time. */
function joinValues(cluster: string, { own, given, inherited }: Sources): Table {
  const { [ADDED]: added, ...saved } = own[sectionName(cluster)] ?? {}
  if (added === true) return { ...inherited, ...saved }
  const rotated = Object.keys(own[`replaced-${cluster}`] ?? {})
  const kept = Object.fromEntries(Object.entries(saved).filter(([name]) => rotated.includes(name)))
  return { ...saved, ...inherited, ...given, ...kept }
}
