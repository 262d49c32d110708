// The servers of a cluster as the configurator sees them: what each reports, and what it is configured from.

import { fail, ok, type Result } from '../../../lib/base/result.js'
import { MINUTE, SECOND } from '../../../lib/base/time.js'
import {
  type Options,
  parseOptions,
  readConfigureSettings,
  type Software,
  type Subject,
} from '../../../lib/configure/index.js'
import type { ServerConfiguration } from '../../../lib/model/server/configuration.js'
import { addressText, type ServerAddress, type ServerId } from '../../../lib/model/server/server.js'
import type { Settings } from '../../../lib/settings/index.js'
import type { ClusterProtocol, GatewayView } from '../../protocol/cluster.js'
import type { ActorRef } from '../../protocol/envelope.js'
import { archiveInputs } from '../delivery/archives.js'

export type Member = GatewayView['servers'][number]

export interface ServersParts {
  readonly cluster: (name: string) => ActorRef<ClusterProtocol> | undefined
  readonly members: (cluster: string) => GatewayView | undefined
  readonly settings: (cluster: string) => Settings | undefined
}

export interface SeenMember {
  readonly member: Member
  readonly configuration: Result<ServerConfiguration>
}

/** Logging in and three reads; the actor has a separate deadline for each. */
const READ_MS = 20 * SECOND
/** A list of statements, each with a separate deadline. */
const CHANGE_MS = 5 * MINUTE
/** Servers of one cluster that are read concurrently. */
const AT_ONCE = 8

export class Servers {
  readonly #parts: ServersParts

  constructor(parts: ServersParts) {
    this.#parts = parts
  }

  settings(cluster: string): Result<Settings> {
    const settings = this.#parts.settings(cluster)
    return settings ? ok(settings) : fail('unknown-cluster', `no cluster ${cluster}`)
  }

  /** The members, the primary first. */
  members(cluster: string): readonly Member[] {
    const { servers = [], primary } = this.#parts.members(cluster) ?? {}
    return servers.toSorted((a, b) => Number(b.id === primary) - Number(a.id === primary))
  }

  primary(cluster: string): string | undefined {
    return this.#parts.members(cluster)?.primary
  }

  /** Asks the actor of a cluster. */
  async ask<T extends keyof ClusterProtocol & string>(
    cluster: string,
    type: T,
    payload: ClusterProtocol[T]['in'],
  ): Promise<Result<ClusterProtocol[T]['out']>> {
    const actor = this.#parts.cluster(cluster)
    const deadlineMs = type === 'run-statements' ? CHANGE_MS : READ_MS
    return actor ? actor.ask(type, payload, { deadlineMs }) : fail('unknown-cluster', `no cluster ${cluster}`)
  }

  read(cluster: string, { id }: Pick<Member, 'id'>): Promise<Result<ServerConfiguration>> {
    return this.ask(cluster, 'read-configuration', { server: id })
  }

  /** The content of the option files of a server; undefined where they cannot be read. */
  async deployed({ cluster, server }: { cluster: string; server: ServerId }): Promise<Options | undefined> {
    const text = await this.ask(cluster, 'read-option-files', { service: server })
    return text.ok ? parseOptions(text.value) : undefined
  }

  /** Every server of the cluster with its answer, the primary first. */
  async readAll(cluster: string): Promise<readonly SeenMember[]> {
    const members = this.members(cluster)
    const seen: SeenMember[] = []
    for (let from = 0; from < members.length; from += AT_ONCE) {
      const part = members.slice(from, from + AT_ONCE)
      const answers = part.map(async (member) => ({ member, configuration: await this.read(cluster, member) }))
      seen.push(...(await Promise.all(answers)))
    }
    return seen
  }

  /** What the configuration of a server is built from, for the software that it runs. */
  subject(cluster: string, member: ServerAddress, software: Software): Result<Subject> {
    const settings = this.settings(cluster)
    if (!settings.ok) return settings
    const address = addressText(member)
    const input = archiveInputs(cluster, settings.value).find(({ server }) => addressText(server) === address)
    if (!input) return fail('unknown-server', `${cluster} has no server ${address}`)
    const read = readConfigureSettings(input.settings)
    if (!read.ok) return read
    const { flavour, version } = software
    return ok({ ...input, ...read.value, software: { flavour, ...(version === undefined ? {} : { version }) } })
  }
}
