// What an archive is built from, and the label that equal inputs share.
import { hash } from 'node:crypto'
import type { PathContext, ServerInput, Software, TemplateInput } from '../../lib/configure/index.js'

/** One server's archive, as asked for. */
export interface ArchiveInput extends ServerInput {
  readonly software: Software
  /** Plain settings of the cluster by name (`prov-db-tags` …); the same object for all its servers saves work. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Writes the `init/` tree beside the archive, too. */
  readonly tree?: boolean
}

/** Everything of a template that crosses to a thread; the rules are there already. */
export type TemplateSource = Omit<TemplateInput, 'rules'>

/** One server's part of a batch. */
export interface BatchServer extends ServerInput {
  /** Folder of the server, absolute. */
  readonly directory: string
  /** What the archive's own label will be. */
  readonly label: string
  readonly tree: boolean
}

export interface Batch {
  readonly template: TemplateSource
  /** Names the template: equal keys, equal templates. */
  readonly key: string
  readonly servers: readonly BatchServer[]
  /** Builds even what is unchanged. */
  readonly force: boolean
}

export type Outcome = 'built' | 'unchanged' | { readonly failed: string }

/** Part of every label: raise it when equal input shall give other bytes (the layout of the archive changed). */
const LAYOUT = 1

export const templateKey = (rules: string, source: TemplateSource): string =>
  digest(JSON.stringify([LAYOUT, rules, source]))

/** The label of a server's archive: its ETag. */
export const archiveLabel = (template: string, { cluster, server, context, overlays, tls }: ServerInput): string =>
  digest(JSON.stringify([template, cluster, server.id, server.host, server.port, contextText(context), overlays, tls]))

export const digest = (text: string | Uint8Array): string => hash('sha256', text).slice(0, 32)

function contextText(context: PathContext): string {
  if (context.kind === 'container') return ''
  return context.kind === 'package' ? context.basedir : context.directory
}
