// What the routes can request from the running manager: the only interface between http and everything else.

import type { DownloadPolicy } from '../../../lib/access/download.js'
import type { Result } from '../../../lib/base/result.js'
import type { ExpositionForm, ScrapeRequest } from '../../../lib/metrics/index.js'
import type { ClusterEvent } from '../../../lib/model/event.js'
import type { Finding } from '../../../lib/model/finding.js'
import type { Rotation } from '../../../lib/model/operation/rotation.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { Asked, ClusterProtocol, ClusterView, GatewayView, OperationTicket } from '../cluster.js'
import type { ActorRef } from '../envelope.js'
import type { AlertsFace } from './alerts.js'
import type { Caller } from './caller.js'
import type { CertificateView } from './certificate-view.js'
import type { ChangesFace, Foreseen, SettingView } from './changes.js'
import type { ConfiguratorFace } from './configurator.js'
import type { FleetFace } from './fleet.js'
import type { LogLine } from './log-line.js'
import type { FilterFace } from './metric-filters.js'
import type { NewServersFace } from './new-servers.js'
import type { PriceFace } from './price.js'
import type { RegistrationFace } from './registration.js'
import type { RepositoryFace } from './repository.js'
import type { SelfServiceFace } from './self-service.js'
import type { TimelineFace } from './timeline.js'
import type { UsersFace } from './users.js'

export type { Caller } from './caller.js'
export type { ChangesFace, Foreseen, ProxyChange, SettingTarget, SettingView } from './changes.js'

/** Bytes of a view and the version they belong to; equal versions mean equal bytes (the ETag). */
export interface PublishedView {
  readonly bytes: Buffer
  /** `<generation>-<version>`: changes with every change and every restart of the actor. */
  readonly etag: string
  /** `now()` when the bytes were fetched; stale when the actor is restarting. */
  readonly at: number
}

/** Cookies of a server: flags that survive restarts (see share/doc/needs.md). */
export type Need = 'prov' | 'unprov' | 'restart' | 'reprov' | 'config-change' | 'start' | 'stop' | 'config-fetch'

/** Load and sizes of the manager's host, in bytes and percent. */
export interface HostFigures {
  readonly host: {
    readonly hostname: string
    readonly cpuCores: number
    readonly cpuPercent: number
    readonly memoryTotalBytes: number
    readonly memoryUsedBytes: number
    readonly memoryUsedPercent: number
    readonly diskPath: string
    readonly diskTotalBytes: number
    readonly diskUsedBytes: number
    readonly diskUsedPercent: number
    readonly diskError?: string
  }
  readonly process: {
    readonly pid: number
    readonly rssBytes: number
    readonly heapAllocBytes: number
    readonly heapSysBytes: number
    /** Timers, sockets and requests in progress: what clients show under this name. */
    readonly goroutines: number
    readonly uptimeSeconds: number
  }
}

export interface ManagerFace extends ChangesFace {
  /** `starting` until every configured cluster has completed its first poll. */
  alive(): 'starting' | 'running'
  clusters(): readonly string[]
  cluster(name: string): ActorRef<ClusterProtocol> | undefined
  /** The bytes of a view: from the cache when its version word is unchanged, else one single-flight request. */
  view(cluster: string, view: ClusterView): Promise<Result<PublishedView>>
  /** The cached gateway view; undefined for an unknown cluster or before its first publication. */
  members(cluster: string): GatewayView | undefined
  /** A server's flag word (actors/protocol/actor.ts), read from shared memory; 0 when unknown. */
  flags(cluster: string, slot: number): number
  /** How long ago the probe began that the server answered last, milliseconds; to be read before its flags. */
  answerAge(cluster: string, slot: number): number | undefined
  /** Clusters that were stopped after repeated crashes, with the reason. */
  quarantined(): ReadonlyMap<string, string>
  /** Findings of the manager itself (default password, quarantine, open downloads). */
  findings(): readonly Finding[]
  /** The latest lines of the log, newest first; the group of the manager itself is empty. */
  logLines(): readonly LogLine[]
  /** Events after `after` (undefined: only new ones); the listener is called for each further one until `signal` aborts. */
  events(
    from: { readonly cluster: string; readonly after: number | undefined; readonly signal: AbortSignal },
    listener: (event: ClusterEvent) => void,
  ): void

  /** Settings as they are, secrets masked; '' is the server's own scope. */
  settings(cluster: string): readonly SettingView[]
  /**
   * Makes the change on a copy of the configuration: what would differ, or the failure it would end with. Nothing is saved, and
   * no server is changed.
   */
  foresee(change: (rehearsed: ChangesFace) => Promise<Result<unknown>> | Result<unknown>): Promise<Result<Foreseen>>

  /** Who is notified of what. */
  readonly alerts: AlertsFace

  /** All clusters in a row each. */
  readonly fleet: FleetFace

  /** What happened, kept over restarts. */
  readonly timeline: TimelineFace

  /** Recoveries onto new servers. */
  readonly newServers: NewServersFace

  /** The configuration in git. */
  readonly repository: RepositoryFace
  /** The registration at a hosted service. */
  readonly registration: RegistrationFace

  /** Clusters that identities create without an operator. */
  readonly selfService: SelfServiceFace

  /** Which metrics go to carbon. */
  readonly graphite: FilterFace

  /** What clusters cost, month by month. */
  readonly price: PriceFace

  /** Tags, the configuration derived from them, and the tags derived from servers. */
  readonly configurator: ConfiguratorFace
  readonly users: UsersFace

  /** The current configuration archive of a server or proxy. */
  archive(cluster: string, server: ServerId): Promise<Result<{ readonly bytes: Buffer; readonly etag: string }>>
  /** Resolves when every earlier change is in the archives: before services are started on them. */
  delivered(cluster: string): Promise<void>
  /** Who may download the archive of a server or proxy. */
  downloadPolicy(cluster: string, server: ServerId): DownloadPolicy
  /** Logs a download, or a refused one, with all details of the requester. */
  noteDownload(fields: Readonly<Record<string, unknown>>): void
  makeBootstrapToken(request: {
    readonly cluster: string
    readonly server: ServerId
    readonly user: string
    readonly lifeMs: number
  }): Promise<Result<{ readonly token: string; readonly expiresAt: number }>>
  /**
   * From now on passwords are sealed for the RSA key of this fingerprint (SHA-256) at the address of the server. `setting-grant` where the
   * account is not the cluster's own, and the caller (`may`) has no grant for the whole service.
   */
  acceptPublicKey(request: {
    readonly cluster: string
    readonly server: ServerId
    readonly fingerprint: string
    readonly user: string
    readonly may: Caller['may']
  }): Promise<Result<void>>
  /** Whether the token opens this server's archive; `spend` uses it up, for exactly one of several callers. */
  checkBootstrapToken(question: {
    readonly cluster: string
    readonly server: ServerId
    readonly token: string
    readonly spend: boolean
  }): Promise<boolean>
  /** The client certificates of the cluster with their keys; none before its first archive. */
  certificates(cluster: string): Promise<Result<readonly CertificateView[]>>
  /** Changes the certificates and builds the archives that contain them. */
  certify(request: {
    readonly cluster: string
    readonly action: 'rotate' | 'retire' | 'reload'
    readonly user: string
  }): Promise<Result<{ readonly changed: boolean; readonly built: number; readonly unchanged: number }>>
  regenerateArchives(
    cluster: string,
    user: string,
  ): Promise<Result<{ readonly built: number; readonly unchanged: number }>>

  /** Sets up replication between standalone servers; returns when they replicate, or why they do not. */
  formTopology(request: {
    readonly cluster: string
    readonly topology: string
    readonly user: string
  }): Promise<Result<OperationTicket>>
  /** Starts a rotation of the cluster's passwords; returns when it has ended (`wait`) or has been recorded. */
  rotatePasswords(cluster: string, request: Asked & { readonly wait: boolean }): Promise<Result<Rotation>>
  /** The accounts that a rotation would change, or why it could not begin. */
  planRotation(cluster: string): Promise<Result<{ readonly users: readonly string[] }>>
  /** The latest one; undefined when there was none. */
  rotation(cluster: string): Rotation | undefined
  /** Stops a rotation early: reverted where possible. Returns when that is recorded. */
  cancelRotation(cluster: string, user: string): Promise<Result<Rotation>>

  /** Whether the flag is set; `consume` clears it when it was. `by`: who asks for this service alone; it may be its host. */
  need(question: {
    readonly cluster: string
    readonly server: ServerId
    readonly need: Need
    readonly consume: boolean
    readonly by?: Pick<Caller, 'user' | 'apiToken' | 'address'>
  }): Promise<boolean>

  /** Text of `share/repocomp/current`. */
  repositoryComponent(): Promise<Result<string>>
  /** Text of `share/terms.md`. */
  terms(): Promise<Result<string>>
  /** File names in `share/grafana`. */
  dashboards(): Promise<Result<readonly string[]>>
  /** Alert rules for Prometheus, with the address of the API in their links. */
  alertRules(): Promise<Result<string>>
  hostFigures(): Promise<HostFigures>

  /** Streams the samples of every cluster and of the manager itself in Prometheus text format 0.0.4; by the settings, which of them. */
  metrics(form: ExpositionForm, request: ScrapeRequest): AsyncIterable<Buffer>
}
