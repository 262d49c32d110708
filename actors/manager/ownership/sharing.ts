// The fleet that this instance shares: its ownership, and what the owner of a cluster takes over and leaves on the main thread.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import type { WriteLog } from '../../../lib/base/log-codes.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { reveal } from '../../../lib/base/secret.js'
import { now, SECOND, sleep } from '../../../lib/base/time.js'
import {
  ClusterCopy,
  type Condition,
  commonKeys,
  Etcd,
  type EtcdOptions,
  type ForwardedRequest,
  openForward,
  ownerKey,
  sealForward,
  sessionKeys,
} from '../../../lib/lease/index.js'
import { isMinor } from '../../../lib/model/operation/operation.js'
import { publicUrl } from '../../../lib/settings/configuration/public-url.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import { type ApiTokens, type BrowserSessions, isFlagName, keepCopies } from '../../../lib/store/index.js'
import type { ClusterProtocol, TenureInit } from '../../protocol/cluster.js'
import type { ActorRef } from '../../protocol/envelope.js'
import type { Peer, Peers } from '../../protocol/manager/peers.js'
import type { Clusters, NewerSettings, Sharing } from '../configuration/clusters.js'
import { FleetSessions } from './fleet-sessions.js'
import { FleetSettings } from './fleet-settings.js'
import { FleetTokens } from './fleet-tokens.js'
import { Ownership } from './ownership.js'

/** Written by the main thread in the directory of a cluster, besides flags of servers. */
const ROTATION = 'rotation.json'
/** Longest wait for a cluster to say whether an operation is running. */
const BUSY_MS = SECOND

/** How etcd is reached, by the settings; undefined where this manager has all clusters. Failure: `bad-configuration`. */
export async function readEtcdOptions(settings: Settings): Promise<Result<EtcdOptions | undefined>> {
  if (settings['cluster-store'] !== 'etcd') return ok(undefined)
  const files = {
    ca: settings['cluster-store-ca-cert'],
    cert: settings['cluster-store-client-cert'],
    key: settings['cluster-store-client-key'],
  }
  const texts: Record<string, string> = {}
  for (const [part, file] of Object.entries(files)) {
    if (file === '') continue
    const text = await readFile(file, 'utf8').catch(() => undefined)
    if (text === undefined) return fail('bad-configuration', `cluster-store: ${file} cannot be read`)
    texts[part] = text
  }
  return ok({
    endpoints: settings['cluster-store-endpoints'],
    user: settings['cluster-store-user'],
    password: reveal(settings['cluster-store-password']),
    ...texts,
  })
}

export interface SharedFleetParts {
  readonly options: EtcdOptions
  readonly clusters: Clusters
  readonly tokens: ApiTokens
  readonly browsers: BrowserSessions
  readonly ref: (cluster: string) => ActorRef<ClusterProtocol> | undefined
  /** A cluster is owned here from now on, and its directory is what the earlier owner left of a rotation. */
  readonly begun: (cluster: string) => Promise<void>
  readonly changed: () => void
  readonly log: WriteLog
}

export class SharedFleet implements Sharing, Peers {
  readonly onlyInFiles = true
  readonly #parts: SharedFleetParts
  readonly #etcd: Etcd
  readonly #leaseMs: number
  readonly #prefix: string
  readonly #ownership: Ownership
  readonly #tokens: FleetTokens
  readonly #sessions: FleetSessions
  readonly #settings: FleetSettings
  readonly #ending = new AbortController()
  /** Of this process: what it signs with is nowhere else. */
  readonly #keys = generateKeyPairSync('ed25519')
  /** What the other instances know of this one. */
  readonly #self: { readonly id: string; readonly address: string; readonly site: string } & {
    readonly key: string
    certificate?: string
  }
  readonly #copies = new Map<string, { readonly copy: ClusterCopy; readonly end: () => void }>()

  constructor(parts: SharedFleetParts) {
    this.#parts = parts
    this.#etcd = new Etcd(parts.options)
    const { server } = parts.clusters
    this.#leaseMs = server['cluster-store-lease'] * SECOND
    this.#prefix = server['cluster-store-prefix']
    this.#self = {
      // Of this process: after a restart nothing of before is its own.
      id: `${hostname()}.${process.pid}.${randomBytes(4).toString('hex')}`,
      address: server['cluster-store-address'] || publicUrl(server),
      site: server['cluster-store-site'],
      key: this.#keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    }
    this.#tokens = new FleetTokens({
      ...{ etcd: this.#etcd, prefix: this.#prefix, tokens: parts.tokens, log: parts.log },
    })
    parts.tokens.share(this.#tokens)
    this.#sessions = new FleetSessions({
      ...{ etcd: this.#etcd, prefix: this.#prefix, browsers: parts.browsers, log: parts.log },
    })
    parts.browsers.share(this.#sessions)
    this.#settings = new FleetSettings({
      ...{ etcd: this.#etcd, prefix: this.#prefix, clusters: parts.clusters, log: parts.log },
      owned: (cluster) => this.#owned(cluster),
    })
    this.#ownership = new Ownership({
      ...{ etcd: this.#etcd, prefix: this.#prefix, leaseMs: this.#leaseMs, log: parts.log, changed: parts.changed },
      self: this.#self,
      clusters: () =>
        [...parts.clusters.configuration.clusters].map(([name, { settings }]) => ({
          ...{ name, weight: Math.max(1, settings['db-servers-hosts'].length), site: settings['cluster-site'] },
        })),
      begin: (cluster, token) => this.#begin(cluster, token),
      end: (cluster) => this.#end(cluster),
      isBusy: (cluster) => this.#isBusy(cluster),
    })
  }

  /** What the others did holds here, too, if etcd answers within seconds; before anything is answered, and from then on. */
  async prepare(): Promise<void> {
    await Promise.all([this.#sessions.refresh(), this.#followCommon()])
  }

  start(): void {
    this.#ownership.start()
    void this.#etcd.watch(commonKeys(this.#prefix), () => void this.#followCommon())
    const ended = () => void this.#sessions.refresh()
    void this.#etcd.watch(sessionKeys(this.#prefix), ended, { onlyDeleted: true })
    void this.#keepReading()
  }

  /** Call it when the actors have ended. */
  close(): Promise<void> {
    this.#ending.abort()
    return this.#ownership.close()
  }

  /** Call it before `start`: what the others know is written with the lease. */
  listens(certificate: string): void {
    this.#self.certificate = certificate
  }

  ownerOf(cluster: string): Peer | undefined {
    if (this.#ownership.owns(cluster)) return undefined
    const { id = '', address = '', certificate } = this.#ownership.otherOwner(cluster) ?? {}
    return certificate !== undefined && address.startsWith('https:') ? { id, address, certificate } : undefined
  }

  seal(to: Peer, request: Omit<ForwardedRequest, 'from' | 'to' | 'at'>): string {
    return sealForward({ ...request, from: this.#self.id, to: to.id, at: now() }, this.#keys.privateKey)
  }

  open(text: string): ForwardedRequest | undefined {
    const keyOf = (instance: string) => this.#ownership.instance(instance)?.key
    return openForward(text, { self: this.#self.id, keyOf, at: now() })
  }

  owns(cluster: string): boolean {
    return this.#ownership.owns(cluster)
  }

  /** Whether this instance sends what people and programs receive about the cluster. */
  speaks(cluster: string): boolean {
    return this.owns(cluster)
  }

  findings(cluster: string): ReturnType<Ownership['findings']> {
    return this.#ownership.findings(cluster)
  }

  tenure(cluster: string): TenureInit {
    const { options } = this.#parts
    return {
      ...{ board: this.#ownership.board(cluster), leaseMs: this.#leaseMs },
      shared: { etcd: options, prefix: this.#prefix },
    }
  }

  permit(cluster: string): Result<void> {
    return this.#ownership.permit(cluster)
  }

  keep(cluster: string, text: string): Promise<Result<void>> {
    return this.#settings.keep(cluster, text)
  }

  newer(cluster: string): Promise<Result<NewerSettings | undefined>> {
    return this.#settings.newer(cluster)
  }

  #owned(cluster: string): Result<readonly Condition[]> {
    const token = this.#ownership.token(cluster)
    if (token !== undefined) return ok([{ key: ownerKey(this.#prefix, cluster), created: token }])
    const permitted = this.permit(cluster)
    return permitted.ok ? fail('not-owner', `${cluster} has another owner by now`) : permitted
  }

  async #followCommon(): Promise<void> {
    await Promise.all([this.#tokens.refresh(), this.#settings.refresh()])
  }

  /** For a watch that hangs without a word. */
  async #keepReading(): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      await sleep(this.#leaseMs / 2, signal)
      if (!signal.aborted) await this.prepare()
    }
  }

  async #begin(cluster: string, token: number): Promise<void> {
    const { clusters, begun, log } = this.#parts
    const isOwner = () => this.#ownership.owns(cluster)
    const copy = new ClusterCopy({ etcd: this.#etcd, prefix: this.#prefix, cluster, token, pieces: 0, isOwner })
    const directory = path.join(clusters.server['monitoring-datadir'], cluster)
    this.#copies.set(cluster, {
      copy,
      end: keepCopies(directory, async (name, bytes) => {
        if (name !== ROTATION && !isFlagName(name)) return done
        return bytes === undefined ? copy.remove(name) : copy.put(name, Buffer.from(bytes).toString())
      }),
    })
    const settings = await this.#settings.begin(cluster)
    if (!settings.ok) log('error', 'saved-settings-not-taken-over', { cluster, problem: settings.failure.message })
    const restarted = await clusters.restart(cluster)
    if (!restarted.ok) log('error', 'cluster-not-begun', { cluster, problem: restarted.failure.message })
    await begun(cluster)
    this.#parts.changed()
  }

  async #end(cluster: string): Promise<void> {
    this.#copies.get(cluster)?.end()
    this.#copies.delete(cluster)
    await this.#parts.clusters.restart(cluster)
    this.#parts.changed()
  }

  async #isBusy(cluster: string): Promise<boolean> {
    const snapshot = await this.#parts.ref(cluster)?.ask('snapshot', {}, { deadlineMs: BUSY_MS })
    if (!snapshot?.ok) return true
    const { operation } = snapshot.value
    return operation !== undefined && !isMinor(operation)
  }
}
