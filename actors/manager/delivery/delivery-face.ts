// The part of the running manager that delivers archives, certificates, the tokens that open them, and new passwords.

import type { DownloadPolicy } from '../../../lib/access/download.js'
import { globalGrants } from '../../../lib/access/grants.js'
import type { LogCode, WriteLog } from '../../../lib/base/log-codes.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { now } from '../../../lib/base/time.js'
import { acceptKey, type KnownKeys, knownKey } from '../../../lib/connect/sql/known-keys.js'
import type { SqlTarget } from '../../../lib/connect/sql/session.js'
import type { Rotation } from '../../../lib/model/operation/rotation.js'
import { addressText, type ServerId } from '../../../lib/model/server/server.js'
import { inheritedAccount } from '../../../lib/settings/configuration/receivers.js'
import {
  type BootstrapToken,
  checkBootstrapToken,
  makeBootstrapToken,
  spendBootstrapToken,
} from '../../../lib/store/index.js'
import { keysOf } from '../../cluster/state/message/wires.js'
import type { GatewayView } from '../../protocol/cluster.js'
import type { CertificateView } from '../../protocol/manager/certificate-view.js'
import type { ManagerFace } from '../../protocol/manager/face.js'
import type { Clusters } from '../configuration/clusters.js'
import type { Rotations } from '../rotation/rotations.js'
import { viewCertificates } from './certificate-view.js'
import type { Deliveries } from './deliveries.js'
import { serverDirectory } from './needs.js'

export interface DeliveryFaceParts {
  readonly clusters: Clusters
  readonly deliveries: Deliveries
  readonly rotations: Rotations
  readonly log: WriteLog<'info' | 'warn'>
}

export abstract class DeliveryFace {
  readonly #clusters: Clusters
  readonly #deliveries: Deliveries
  readonly #rotations: Rotations
  readonly #log: DeliveryFaceParts['log']

  constructor({ clusters, deliveries, rotations, log }: DeliveryFaceParts) {
    this.#clusters = clusters
    this.#deliveries = deliveries
    this.#rotations = rotations
    this.#log = log
  }

  abstract members(cluster: string): GatewayView | undefined

  async archive(cluster: string, server: ServerId): Promise<Result<{ bytes: Buffer; etag: string }>> {
    const member = this.#member(cluster, server)
    return member
      ? this.#deliveries.file(cluster, member)
      : fail('unknown-server', `${cluster} has no server ${server}`)
  }

  delivered(cluster: string): Promise<void> {
    return this.#deliveries.current(cluster)
  }

  downloadPolicy(cluster: string, server: ServerId): DownloadPolicy {
    return this.#deliveries.downloadPolicy(cluster, server)
  }

  noteDownload(fields: Readonly<Record<string, unknown>>): void {
    this.#log('refused' in fields ? 'warn' : 'info', 'config-download', fields)
  }

  async makeBootstrapToken({
    cluster,
    server,
    user,
    lifeMs,
  }: Parameters<ManagerFace['makeBootstrapToken']>[0]): Promise<Result<BootstrapToken>> {
    const directory = this.#directory(cluster, server)
    if (directory === undefined) return fail('unknown-server', `${cluster} has no server ${server}`)
    const made = await makeBootstrapToken(directory, { user, at: now(), expiresAt: now() + lifeMs })
    return this.#noted(made, 'bootstrap-token-made', { cluster, server, user })
  }

  /** Only the key of this fingerprint: what answers is not asked again, since it may be another server by then. */
  async acceptPublicKey({
    cluster,
    server,
    fingerprint,
    user,
    may,
  }: Parameters<ManagerFace['acceptPublicKey']>[0]): Promise<Result<void>> {
    const settings = this.#clusters.settings(cluster)
    const member = this.members(cluster)?.servers.find(({ id }) => id === server)
    if (!settings || !member) return fail('unknown-server', `${cluster} has no server ${server}`)
    const origin = inheritedAccount(this.#clusters.configuration, cluster)
    if (origin !== undefined && !globalGrants.some((grant) => may(grant, '')))
      return fail(
        'setting-grant',
        `db-servers-credential (${origin}) is not an account of ${cluster} alone: have the key accepted with a grant for the whole service (${globalGrants.join(' or ')})`,
      )
    const keys = judgeAcceptance(keysOf({ name: cluster, settings }))
    const address = addressText(member)
    const before = keys.ok ? knownKey(keys.value, address) : undefined
    const accepted = keys.ok ? acceptKey(keys.value, address, fingerprint) : keys
    const fields = { cluster, server: address, fingerprint, ...(before === undefined ? {} : { before }), user }
    return this.#noted(accepted, 'public-key-accepted', fields)
  }

  async checkBootstrapToken({
    cluster,
    server,
    token,
    spend,
  }: Parameters<ManagerFace['checkBootstrapToken']>[0]): Promise<boolean> {
    const directory = this.#directory(cluster, server)
    if (directory === undefined) return false
    return (spend ? spendBootstrapToken : checkBootstrapToken)(directory, token, now())
  }

  async certificates(cluster: string): Promise<Result<readonly CertificateView[]>> {
    const found = await this.#deliveries.certificates(cluster)
    return found.ok ? ok(found.value ? [viewCertificates(found.value)] : []) : found
  }

  async certify({ cluster, action, user }: Parameters<ManagerFace['certify']>[0]): ReturnType<ManagerFace['certify']> {
    return this.#noted(await this.#deliveries.certify(cluster, action), `certificates-${action}`, {
      cluster,
      user,
    })
  }

  async regenerateArchives(cluster: string, user: string): Promise<Result<{ built: number; unchanged: number }>> {
    return this.#noted(await this.#deliveries.regenerate(cluster), 'archives-regenerated', { cluster, user })
  }

  rotatePasswords(...[cluster, request]: Parameters<ManagerFace['rotatePasswords']>): Promise<Result<Rotation>> {
    return this.#rotations.begin(cluster, request)
  }

  planRotation(cluster: string): Promise<Result<{ readonly users: readonly string[] }>> {
    return this.#rotations.plan(cluster)
  }

  cancelRotation(cluster: string, user: string): Promise<Result<Rotation>> {
    return this.#rotations.cancel(cluster, user)
  }

  rotation(cluster: string): Rotation | undefined {
    return this.#rotations.latest(cluster)
  }

  /** A server or a proxy of the cluster. */
  #member(cluster: string, id: ServerId) {
    const view = this.members(cluster)
    return view && [...view.servers, ...view.proxies].find((each) => each.id === id)
  }

  /** Folder of a server or proxy; undefined for an unknown one. */
  #directory(cluster: string, server: ServerId): string | undefined {
    const settings = this.#clusters.settings(cluster)
    const member = this.#member(cluster, server)
    return settings && member && serverDirectory(settings['monitoring-datadir'], cluster, member)
  }

  #noted<T>(result: Result<T>, code: LogCode, fields: Readonly<Record<string, unknown>>): Result<T> {
    if (result.ok) this.#log('info', code, fields)
    else this.#log('warn', code, { ...fields, refused: result.failure.message })
    return result
  }
}

/** Where the cluster remembers keys; an acceptance that no session would follow is refused. */
function judgeAcceptance({ publicKeys, knownKeys }: Pick<SqlTarget, 'publicKeys' | 'knownKeys'>): Result<KnownKeys> {
  if (publicKeys !== undefined)
    return fail('wrong-state', `keys are pinned: add the one of the server to ${publicKeys} (db-servers-public-keys)`)
  if (knownKeys) return ok(knownKeys)
  return fail('wrong-state', 'db-servers-public-key-policy is strict: pin the key in db-servers-public-keys')
}
