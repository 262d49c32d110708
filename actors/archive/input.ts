// What an archive is built from, and the label that equal inputs share.
import { hash } from 'node:crypto'
import type {
  Overlays,
  PathContext,
  ProxyInput,
  ServerInput,
  Software,
  TemplateInput,
} from '../../lib/configure/index.js'

/** The request for one server's archive. Its overlays and certificates are read from its folder and its cluster's. */
export interface ArchiveInput extends Omit<ServerInput, 'overlays' | 'tls'> {
  readonly software: Software
  /** Plain settings of the cluster by name (`prov-db-tags` …); the same object for all its servers saves work. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Whose certificates it carries; absent: none. The same object for all servers of the cluster. */
  readonly certificates?: CertificateSource
  /** Writes the `init/` tree beside the archive before the build returns; otherwise an existing one follows later. */
  readonly tree?: boolean
  /** The previous archive was built for an assumed software and never used: a difference is no change for the server. */
  readonly guessed?: boolean
}

/** Where the certificates of a cluster come from. */
export interface CertificateSource {
  /** Hosts of all its servers. */
  readonly hosts: readonly string[]
  /** PEM files to use instead of creating certificates. */
  readonly files?: CertificateFiles
}

export interface CertificateFiles {
  readonly ca: string
  readonly serverCert: string
  readonly serverKey: string
  readonly clientCert?: string
  readonly clientKey?: string
}

/**
 * `ensure`: they exist, for all hosts; `rotate`: all recreated, the previous authority stays trusted; `retire`: it is
 * no longer trusted; `reload`: read from the files again.
 */
export type CertifyAction = 'ensure' | 'rotate' | 'retire' | 'reload'

export interface CertifyTask extends CertificateSource {
  readonly cluster: string
  /** Folder of the cluster, absolute. */
  readonly directory: string
  readonly action: CertifyAction
}

/** Everything of a template that crosses to a thread; the rules are there already. */
export type TemplateSource = Omit<TemplateInput, 'rules'>

/** One server's part of a batch. */
export interface BatchServer extends Omit<ServerInput, 'overlays' | 'tls'> {
  /** Folder of the server, absolute. */
  readonly directory: string
  /** Names everything but what is read from its folder. */
  readonly label: string
  readonly certified: boolean
  readonly tree: boolean
  readonly guessed: boolean
}

export interface Batch {
  readonly kind: 'build'
  readonly template: TemplateSource
  /** Names the template: equal keys, equal templates. */
  readonly key: string
  readonly servers: readonly BatchServer[]
  /** Builds even what is unchanged. */
  readonly force: boolean
}

/** The request for one proxy's archive. */
export interface ProxyArchiveInput extends ProxyInput {
  /** Whose certificates it contains where the tag ssl requires some. */
  readonly certificates?: CertificateSource
  /** Writes the `init/` tree beside the archive too. */
  readonly tree?: boolean
}

export interface ProxyTask {
  /** Folder of the proxy, absolute. */
  readonly directory: string
  readonly input: ProxyInput
  readonly tree: boolean
}

export interface ProxyBatch {
  readonly kind: 'proxies'
  readonly rulesDigest: string
  readonly proxies: readonly ProxyTask[]
  readonly force: boolean
}

/** The work of a pool thread. */
export type Task =
  | Batch
  | ProxyBatch
  | { readonly kind: 'certify'; readonly tasks: readonly CertifyTask[] }
  /** Writes the `init/` trees of these folders from their archives. */
  | { readonly kind: 'unpack'; readonly directories: readonly string[] }

export type Outcome = 'built' | 'unchanged' | { readonly failed: string }

/** Part of every label: increase it when equal input must give other bytes (the layout of the archive changed). */
export const LAYOUT = 3

export const templateKey = (rules: string, source: TemplateSource): string =>
  digest(JSON.stringify([LAYOUT, rules, source]))

/** The label of a server's archive without what is read from its folder. */
export const serverLabel = (template: string, input: Omit<ServerInput, 'overlays'>): string => {
  const { cluster, server, context, peers } = input
  return digest(JSON.stringify([template, cluster, server.id, server.host, server.port, contextText(context), peers]))
}

/** The label of a server's archive: its ETag. */
export const archiveLabel = (base: string, overlays: Overlays, tls: string | undefined): string =>
  digest(JSON.stringify([base, overlays, tls]))

export const digest = (text: string | Uint8Array): string => hash('sha256', text).slice(0, 32)

function contextText(context: PathContext): string {
  if (context.kind === 'container') return ''
  return context.kind === 'package' ? context.basedir : context.directory
}

/** How many archives were rebuilt, and how many were up to date. */
export interface BuildCount {
  readonly built: number
  readonly unchanged: number
}
