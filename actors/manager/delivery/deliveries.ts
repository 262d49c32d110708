// What the manager delivers to servers: archives built when tags or resources change, certificates, download permissions.

import path from 'node:path'
import { type DownloadPolicy, isOpen } from '../../../lib/access/download.js'
import { counted } from '../../../lib/base/counted.js'
import type { WriteLog } from '../../../lib/base/log-codes.js'
import { paced } from '../../../lib/base/paced.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { DAY, HOUR, isoTime, SECOND, sleep } from '../../../lib/base/time.js'
import { holdsSecrets } from '../../../lib/configure/index.js'
import type { Finding } from '../../../lib/model/finding.js'
import { addressText, type ServerAddress } from '../../../lib/model/server/server.js'
import type { Settings } from '../../../lib/settings/index.js'
import type { Material } from '../../../lib/tls/index.js'
import type { Archive, ArchiveService, BuildCount } from '../../archive/index.js'
import type { GatewayView } from '../../protocol/cluster.js'
import { noteSoftware, readSoftware, type SoftwareRecords, writeSoftware } from '../configuration/software.js'
import { archiveInputs, certificateSource } from './archives.js'
import { proxyInputs } from './proxy-archives.js'

export interface DeliveryParts {
  readonly archives: ArchiveService
  readonly settings: (cluster: string) => Settings | undefined
  /** Updates the other content of archives to the settings, before each build. */
  readonly settle?: (cluster: string) => Promise<void>
  readonly log: WriteLog<'info' | 'error'>
  /** The findings of a cluster may have changed. */
  readonly onFindings: (cluster: string) => void
}

/** Changes that come together are built together. */
const GATHER_MS = 50
/** Clusters of one build: builds requested by users need not wait for a whole fleet. */
const AT_ONCE = 32
/** Longest pause between two clusters whose archives are to be built. */
const LONGEST_REST_MS = 10
/** Longest wait of a download for a build; then the archive is delivered as it is. */
const FRESH_MS = 10 * SECOND
/** How long before their expiry certificates raise a finding. */
const SOON_MS = 30 * DAY

export class Deliveries {
  readonly #parts: DeliveryParts
  readonly #due = new Set<string>()
  readonly #building = new Map<string, Promise<void>>()
  readonly #software = new Map<string, SoftwareRecords>()
  /** Servers that reported their software after their archives had been built for an assumed one, by cluster. */
  readonly #guessed = new Map<string, ReadonlySet<string>>()
  /** Why archives of a cluster could not be built. */
  readonly #failed = new Map<string, string>()
  readonly #clock: NodeJS.Timeout
  #timer: NodeJS.Timeout | undefined
  #busy = false

  constructor(parts: DeliveryParts) {
    this.#parts = parts
    this.#clock = setInterval(() => [...this.#software.keys()].forEach(parts.onFindings), HOUR)
    this.#clock.unref()
  }

  /** Something that archives are built from has changed, or may have. */
  changed(cluster: string): void {
    if (this.#isObserved(cluster)) {
      this.#parts.onFindings(cluster)
      return
    }
    this.#due.add(cluster)
    this.#timer ??= setTimeout(() => void this.#buildDue(), GATHER_MS)
  }

  /** The current members of a cluster: one that reports another version gets another configuration. */
  async noteMembers(cluster: string, view: GatewayView): Promise<void> {
    const settings = this.#parts.settings(cluster)
    const before = this.#software.get(cluster)
    if (!settings || !before) return
    const records = noteSoftware(before, view)
    if (records === before) return
    const learned = Object.keys(records).filter((address) => before[address] === undefined)
    this.#guessed.set(cluster, new Set([...(this.#guessed.get(cluster) ?? []), ...learned]))
    this.#software.set(cluster, records)
    const written = await writeSoftware(directoryOf(settings, cluster), records)
    if (!written.ok) this.#parts.log('error', 'software-not-saved', { cluster, reason: written.failure.message })
    this.changed(cluster)
  }

  /** Rebuilds everything of the cluster, trees too. */
  async regenerate(cluster: string): Promise<Result<BuildCount>> {
    if (this.#isObserved(cluster)) return observing(cluster)
    return this.#build(cluster, { force: true })
  }

  /** The archive for the current settings: waits for a change that is not built yet, up to a limit. */
  async file(cluster: string, server: ServerAddress): Promise<Result<Archive>> {
    await this.current(cluster)
    return this.#parts.archives.file(cluster, server)
  }

  /** Resolves when every earlier change is in the archives, or after the longest wait. */
  async current(cluster: string): Promise<void> {
    if (this.#due.delete(cluster)) void this.#buildTogether([cluster])
    const building = this.#building.get(cluster)
    if (building) await Promise.race([building, sleep(FRESH_MS)])
  }

  /** Who may download the archive of a server or proxy: one that contains passwords is never public. */
  downloadPolicy(cluster: string, service: string): DownloadPolicy {
    const settings = this.#parts.settings(cluster)
    if (!settings) return { secure: true, addresses: [], tokens: false }
    const policy = downloadPolicy(settings)
    const proxy = isOpen(policy) ? proxyInputs(cluster, settings).find((each) => each.proxy.id === service) : undefined
    return proxy && holdsSecrets(this.#parts.archives.proxyRules, proxy) ? { ...policy, secure: true } : policy
  }

  /** Changes the certificates, then builds the archives that contain them. */
  async certify(
    cluster: string,
    action: 'rotate' | 'retire' | 'reload',
  ): Promise<Result<BuildCount & { readonly changed: boolean }>> {
    const settings = this.#parts.settings(cluster)
    if (!settings) return fail('unknown-cluster', `no cluster ${cluster}`)
    if (this.#isObserved(cluster)) return observing(cluster)
    const done = await this.#parts.archives.certify({ ...certificateSource(settings), cluster, action })
    if (!done.ok) return done
    const built = await this.#build(cluster, { force: false })
    return built.ok ? ok({ changed: done.value.changed, ...built.value }) : built
  }

  certificates(cluster: string): Promise<Result<Material | undefined>> {
    return this.#parts.archives.certificates(cluster)
  }

  /** Findings about the deliveries of a cluster. */
  findings(cluster: string, at: number): readonly Finding[] {
    const settings = this.#parts.settings(cluster)
    if (!settings) return []
    const certified = this.#parts.archives.certified(cluster)
    const failed = this.#failed.get(cluster)
    return [
      ...(settings['monitoring-observe'] ? [wouldCreate(settings)] : []),
      ...(isOpen(downloadPolicy(settings)) ? [{ code: 'WARN0310', detail: '' } as const] : []),
      ...(failed === undefined ? [] : [{ code: 'WARN0312', detail: failed } as const]),
      ...(certified?.rotating ? [{ code: 'WARN0313', detail: '' } as const] : []),
      ...(certified ? expiry(certified.expiresAt, at) : []),
    ]
  }

  forget(cluster: string): void {
    this.#due.delete(cluster)
    this.#software.delete(cluster)
    this.#guessed.delete(cluster)
    this.#failed.delete(cluster)
  }

  async close(): Promise<void> {
    clearInterval(this.#clock)
    clearTimeout(this.#timer)
    this.#due.clear()
    await this.#parts.archives.close()
  }

  async #buildDue(): Promise<void> {
    this.#timer = undefined
    if (this.#busy) return
    this.#busy = true
    while (this.#due.size > 0) {
      const clusters = [...this.#due].slice(0, AT_ONCE)
      for (const cluster of clusters) this.#due.delete(cluster)
      await this.#buildTogether(clusters)
    }
    this.#busy = false
  }

  /** Noted by cluster while it lasts. */
  async #buildTogether(clusters: readonly string[]): Promise<void> {
    const work = this.#buildAll(clusters)
    for (const cluster of clusters) this.#building.set(cluster, work)
    await work
    for (const cluster of clusters) if (this.#building.get(cluster) === work) this.#building.delete(cluster)
  }

  /** All at once; where that fails, one cluster at a time shows which of them is at fault. */
  async #buildAll(clusters: readonly string[]): Promise<void> {
    const inputs = []
    const proxies = []
    // Requests of the gateway are handled in between.
    const gently = paced(LONGEST_REST_MS)
    for (const cluster of clusters) {
      inputs.push(...(await gently(() => this.#inputs(cluster))))
      proxies.push(...this.#proxies(cluster))
    }
    const { archives } = this.#parts
    const together = bothOf(await Promise.all([archives.build(inputs), archives.buildProxies(proxies)]))
    if (!together.ok) for (const cluster of clusters) await this.#build(cluster, { force: false })
    else for (const cluster of clusters) this.#settle(cluster, undefined)
  }

  async #build(cluster: string, { force }: { readonly force: boolean }): Promise<Result<BuildCount>> {
    if (!this.#parts.settings(cluster)) return fail('unknown-cluster', `no cluster ${cluster}`)
    const inputs = await this.#inputs(cluster)
    // The tree that the local orchestrator runs a server on is updated by that server's start.
    const wanted = force ? inputs.map((input) => ({ ...input, tree: input.context.kind !== 'local' })) : inputs
    const { archives } = this.#parts
    const built = bothOf(
      await Promise.all([archives.build(wanted, { force }), archives.buildProxies(this.#proxies(cluster), { force })]),
    )
    this.#settle(cluster, built.ok ? undefined : built.failure.message)
    return built
  }

  #isObserved(cluster: string): boolean {
    return this.#parts.settings(cluster)?.['monitoring-observe'] === true
  }

  #settle(cluster: string, failure: string | undefined): void {
    if (failure !== undefined) this.#parts.log('error', 'archives-failed', { cluster, reason: failure })
    if (failure === undefined) this.#failed.delete(cluster)
    else this.#failed.set(cluster, failure)
    this.#parts.onFindings(cluster)
  }

  #proxies(cluster: string) {
    const settings = this.#parts.settings(cluster)
    return settings ? proxyInputs(cluster, settings) : []
  }

  async #inputs(cluster: string) {
    await this.#parts.settle?.(cluster)
    const settings = this.#parts.settings(cluster)
    if (!settings) return []
    const known = this.#software.get(cluster) ?? (await readSoftware(directoryOf(settings, cluster)))
    this.#software.set(cluster, known)
    const guessed = this.#guessed.get(cluster)
    this.#guessed.delete(cluster)
    return archiveInputs(cluster, settings, known).map((input) =>
      guessed?.has(addressText(input.server)) ? { ...input, guessed: true } : input,
    )
  }
}

const observing = (cluster: string): Result<never> =>
  fail('observing', `${cluster} is only observed (monitoring-observe): nothing is created`)

const wouldCreate = (settings: Settings): Finding => ({
  code: 'WARN0355',
  detail: `Configuration archives, a certificate authority and keys for ${counted(settings['db-servers-hosts'].length, 'server')}, flags for their hosts, and tags read from them.`,
})

/** The outcomes of servers and of proxies together. */
function bothOf([servers, proxies]: readonly [Result<BuildCount>, Result<BuildCount>]): Result<BuildCount> {
  const failures = [servers, proxies].flatMap((each) => (each.ok ? [] : [each.failure]))
  const [first] = failures
  if (first) return fail(first.code, failures.map(({ message }) => message).join('; '))
  if (!servers.ok || !proxies.ok) return servers
  return ok({
    built: servers.value.built + proxies.value.built,
    unchanged: servers.value.unchanged + proxies.value.unchanged,
  })
}

const downloadPolicy = (settings: Settings): DownloadPolicy => ({
  secure: settings['api-credentials-secure-config'],
  addresses: settings['api-config-download-addresses'],
  tokens: settings['api-config-download-tokens'],
})

function expiry(expiresAt: number, at: number): readonly Finding[] {
  if (expiresAt - at > SOON_MS) return []
  const detail = `${isoTime(expiresAt)} is when the first of them expires.`
  return [expiresAt <= at ? { code: 'ERR00131', detail } : { code: 'WARN0311', detail }]
}

const directoryOf = (settings: Settings, cluster: string): string => path.join(settings['monitoring-datadir'], cluster)
