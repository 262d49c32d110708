// Turns a request for an archive into what a thread needs: template, key and label, computed once where they repeat.
import path from 'node:path'
import { LRUCache } from 'lru-cache'
import { fail, ok, type Result } from '../../lib/base/result.js'
import {
  type ConfigureSettings,
  configureSettingNames,
  readConfigureSettings,
  serverFolder,
} from '../../lib/configure/index.js'
import { addressText } from '../../lib/model/server/server.js'
import { type ArchiveInput, type BatchServer, serverLabel, type TemplateSource, templateKey } from './input.js'

export interface Wanted {
  readonly input: ArchiveInput
  readonly key: string
  readonly template: TemplateSource
  readonly server: BatchServer
}

interface KnownSettings {
  readonly read: Result<ConfigureSettings>
  /** By software and kind of context. */
  readonly templates: Map<string, Pick<Wanted, 'key' | 'template'>>
}

/** Settings that are equal in all relevant names are read once: in a fleet most clusters are. */
const REMEMBERED = 256

const keyOf = (settings: ArchiveInput['settings']): string =>
  JSON.stringify(configureSettingNames.map((name) => settings[name]))

/** A function that prepares requests; it caches what it read from each settings object, and from equal ones. */
export function createPreparer(workingDir: string, rulesDigest: string): (input: ArchiveInput) => Result<Wanted> {
  const known = new WeakMap<object, KnownSettings>()
  const alike = new LRUCache<string, KnownSettings>({ max: REMEMBERED })
  const remember = (settings: ArchiveInput['settings']): KnownSettings => {
    const before = known.get(settings)
    if (before !== undefined) return before
    const key = keyOf(settings)
    const fresh = alike.get(key) ?? { read: readConfigureSettings(settings), templates: new Map() }
    alike.set(key, fresh)
    known.set(settings, fresh)
    return fresh
  }

  return (input) => {
    const { read, templates } = remember(input.settings)
    const who = `${input.cluster} ${addressText(input.server)}`
    if (!read.ok) return fail('archive-failed', `${who}: ${read.failure.message}`)
    const folder = serverFolder(input.cluster, input.server)
    if (!isPlainFolder(folder)) return fail('archive-failed', `${who}: no name for a folder`)

    const name = JSON.stringify([input.software, input.context.kind])
    const template = templates.get(name) ?? templateOf(input, read.value, rulesDigest)
    templates.set(name, template)
    return ok({ ...template, input, server: batchServer(input, template.key, path.join(workingDir, folder)) })
  }
}

/** Two steps, neither of which leads elsewhere. */
const isPlainFolder = (folder: string): boolean => {
  const steps = folder.split('/')
  return (
    steps.length === 2 && steps.every((step) => step !== '' && step !== '.' && step !== '..' && !step.includes('\0'))
  )
}

function templateOf(input: ArchiveInput, { tags, resources }: ConfigureSettings, rulesDigest: string) {
  const template = { tags, resources, software: input.software, context: input.context.kind }
  return { template, key: templateKey(rulesDigest, template) }
}

const batchServer = (input: ArchiveInput, key: string, directory: string): BatchServer => ({
  ...{ cluster: input.cluster, server: input.server, context: input.context, directory },
  ...{ tree: input.tree ?? false, guessed: input.guessed ?? false },
  ...(input.peers === undefined ? {} : { peers: input.peers }),
  certified: input.certificates !== undefined,
  label: serverLabel(key, input),
})
