// What the configuration of a cluster is made of, and what its files would be with other tags or resources; nothing is changed.
import path from 'node:path'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import {
  addTag,
  choosableTags,
  compareTags,
  configureSettingNames,
  dropTag,
  evaluateRules,
  type MemoryPlan,
  optionsOf,
  type RuleSet,
  readConfigureSettings,
  type Subject,
  selectRules,
  solveMemory,
} from '../../../lib/configure/index.js'
import { addressText } from '../../../lib/model/server/server.js'
import {
  exportSettings,
  findSetting,
  type SettingName,
  type Settings,
  settingRow,
  withSettings,
} from '../../../lib/settings/index.js'
import type {
  ConfigurationView,
  MemoryView,
  PreviewRequest,
  PreviewView,
  ServerPreview,
} from '../../protocol/manager/configurator.js'
import { readSoftware, type SoftwareRecords } from '../configuration/software.js'
import { archiveInputs } from '../delivery/archives.js'
import type { Servers } from './servers.js'
import { compareTagLists } from './tags.js'

export interface PreviewParts {
  readonly servers: Servers
  readonly rules: RuleSet
}

/** More lines of one file are not compared by people. */
const MOST_CHARACTERS = 40_000

export class Previews {
  readonly #parts: PreviewParts

  constructor(parts: PreviewParts) {
    this.#parts = parts
  }

  configuration(cluster: string): Result<ConfigurationView> {
    const settings = this.#parts.servers.settings(cluster)
    if (!settings.ok) return settings
    const read = readConfigureSettings(exportSettings(settings.value))
    if (!read.ok) return read
    const chosen = settings.value['prov-db-tags']
    return ok({
      tags: choosableTags(this.#parts.rules).map(({ tag, category, doc, includes, excludes }) => ({
        ...{ name: tag, category, doc, chosen: chosen.includes(tag), includes, excludes },
      })),
      memory: viewMemory(solveMemory(read.value.resources)),
    })
  }

  async preview(request: PreviewRequest): Promise<Result<PreviewView>> {
    const { servers, rules } = this.#parts
    const settings = servers.settings(request.cluster)
    if (!settings.ok) return settings
    const changed = changeSettings(rules, settings.value, request)
    if (!changed.ok) return changed
    const memory = memoryOf(settings.value, changed.value)
    if (!memory.ok) return memory
    return ok({
      tags: compareTagLists(settings.value['prov-db-tags'], changed.value['prov-db-tags']),
      memory: memory.value,
      servers: await this.compare(request.cluster, settings.value, changed.value),
    })
  }

  /** What each server that the cluster has before and after has in its files by either settings. */
  async compare(cluster: string, was: Settings, is: Settings): Promise<readonly ServerPreview[]> {
    const software = await readSoftware(path.join(was['monitoring-datadir'], cluster))
    const after = new Map(subjectsOf(cluster, is, software).map((subject) => [addressText(subject.server), subject]))
    return subjectsOf(cluster, was, software).flatMap((subject) => {
      const next = after.get(addressText(subject.server))
      return next ? [previewServer(this.#parts.rules, subject, next)] : []
    })
  }
}

/** The settings with the tags and resources of the request; the first that is wrong refuses all. */
function changeSettings(rules: RuleSet, settings: Settings, request: PreviewRequest): Result<Settings> {
  let tags = settings['prov-db-tags']
  for (const tag of request.drop) {
    const dropped = dropTag(rules, tags, tag)
    if (!dropped.ok) return dropped
    tags = dropped.value
  }
  for (const tag of request.add) {
    const added = addTag(rules, tags, { tag, replace: request.replace })
    if (!added.ok) return added
    tags = added.value
  }
  const values: Partial<Record<SettingName, unknown>> = { 'prov-db-tags': tags }
  for (const [name, text] of Object.entries(request.resources)) {
    const known = findSetting(name)
    if (!known || !configureSettingNames.includes(name)) return fail('unknown-setting', `${name} is no resource`)
    const read = settingRow(known).shape.parse(text)
    if (!read.ok) return fail('wrong-value', `${name}: ${read.failure.message}`)
    values[known] = read.value
  }
  return ok(withSettings(settings, values as Partial<Settings>))
}

function memoryOf(before: Settings, after: Settings): Result<PreviewView['memory']> {
  const [now, then] = [readConfigureSettings(exportSettings(before)), readConfigureSettings(exportSettings(after))]
  if (!now.ok) return now
  if (!then.ok) return then
  return ok({
    before: viewMemory(solveMemory(now.value.resources)),
    after: viewMemory(solveMemory(then.value.resources)),
  })
}

const viewMemory = ({ usableMb, workingConnections, figures, sumKb }: MemoryPlan): MemoryView => ({
  ...{ usableMb, workingConnections, sumKb },
  figures: Object.entries(figures).map(([name, { kb, why }]) => ({ name, kb, why })),
})

const subjectsOf = (cluster: string, settings: Settings, software: SoftwareRecords): readonly Subject[] =>
  archiveInputs(cluster, settings, software).flatMap((input) => {
    const read = readConfigureSettings(input.settings)
    return read.ok ? [{ ...input, ...read.value }] : []
  })

function previewServer(rules: RuleSet, before: Subject, after: Subject): ServerPreview {
  const { restart, reprov, statements } = compareTags(rules, before, after.tags)
  const selected = selectRules(rules, after.tags, after.software).rules
  const [was, is] = [
    optionsOf(selectRules(rules, before.tags, before.software).rules, before),
    optionsOf(selected, after),
  ]
  const names = [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name)).toSorted()
  const isAtStart = (name: string) =>
    selected.some((rule) => rule.restart && rule.options.some((option) => option.name.replace(/^loose_/, '') === name))
  return {
    server: addressText(before.server),
    differences: names.map((name) => ({
      name,
      ...(was.has(name) ? { before: was.get(name) ?? '' } : {}),
      ...(is.has(name) ? { after: is.get(name) ?? '' } : {}),
    })),
    restart: restart || names.some(isAtStart),
    reprov,
    statements,
    files: changedFiles(textsOf(rules, before), textsOf(rules, after)),
  }
}

/** Texts of the tree by path; a link is a text that names its target. Archives of databases hold no password. */
const textsOf = (rules: RuleSet, subject: Subject): ReadonlyMap<string, string> =>
  new Map(
    evaluateRules({ ...subject, rules }).flatMap((entry) =>
      entry.kind === 'file'
        ? [[entry.path, entry.text] as const]
        : entry.kind === 'link'
          ? [[entry.path, `→ ${entry.target}\n`] as const]
          : [],
    ),
  )

const changedFiles = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((file) => before.get(file) !== after.get(file))
    .toSorted()
    .map((file) => ({
      path: file,
      before: (before.get(file) ?? '').slice(0, MOST_CHARACTERS),
      after: (after.get(file) ?? '').slice(0, MOST_CHARACTERS),
    }))
