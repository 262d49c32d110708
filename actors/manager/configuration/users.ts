// Users of clusters: their lists are settings that the manager stores, changed together or not at all.

import { parseAcl } from '../../../lib/access/acl.js'
import { parseCredentials } from '../../../lib/access/credentials.js'
import { listUsers } from '../../../lib/access/index.js'
import { addUser, dropUser, type UserLists, updateUser } from '../../../lib/access/user-lists.js'
import type { LogCode, WriteLog } from '../../../lib/base/log-codes.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { reveal, secret } from '../../../lib/base/secret.js'
import { vaultToken } from '../../../lib/connect/http/vault.js'
import { type Mail, sendMail } from '../../../lib/notify/index.js'
import { accessLists, credentials, type Settings } from '../../../lib/settings/index.js'
import type { ApiTokens } from '../../../lib/store/index.js'
import type { Redeemed, UserRequest, UsersFace, UserView } from '../../protocol/manager/users.js'
import type { Clusters } from './clusters.js'
import { type Handover, OneTimeSecrets } from './one-time.js'
import { permitChange } from './permit-change.js'

const PAIRS = 'api-credentials-external'
const ALLOW = 'api-credentials-acl-allow-external'

type Sending = Parameters<UsersFace['sendCredentials']>[0]

export class Users implements UsersFace {
  readonly #clusters: Clusters
  readonly #tokens: Pick<ApiTokens, 'cutOff'>
  readonly #log: WriteLog
  readonly #offers = new OneTimeSecrets()

  constructor(clusters: Clusters, tokens: Pick<ApiTokens, 'cutOff'>, log: WriteLog) {
    this.#clusters = clusters
    this.#tokens = tokens
    this.#log = log
  }

  /** The same over other clusters, those of a rehearsal: no token is cut off, nothing is logged. */
  static rehearsal(clusters: Clusters): Users {
    return new Users(clusters, { cutOff: async () => done }, () => {})
  }

  /** A previous user may have had this name: its tokens give no access to the new user's cluster. */
  async add(request: UserRequest): Promise<Result<void>> {
    const cut = await this.#cutTokens(request)
    if (!cut.ok) return cut
    return this.#edit('user-added', request, (lists) => addUser(lists, request, request.cluster))
  }

  update(request: UserRequest): Promise<Result<void>> {
    return this.#edit('user-updated', request, (lists) => updateUser(lists, request, request.cluster))
  }

  async drop(request: Pick<UserRequest, 'cluster' | 'username' | 'by' | 'may'>): Promise<Result<void>> {
    const dropped = await this.#edit('user-dropped', request, (lists) => dropUser(lists, request.username))
    return dropped.ok ? this.#cutTokens(request) : dropped
  }

  list(cluster: string): readonly UserView[] {
    const settings = this.#clusters.settings(cluster)
    return settings ? viewUsers(settings, cluster) : []
  }

  grants(cluster: string, username: string): readonly string[] {
    return this.list(cluster).find(({ user }) => user === username)?.grants ?? []
  }

  async sendCredentials({ cluster, username, kind, by }: Sending): Promise<Result<void>> {
    const settings = this.#clusters.settings(cluster)
    if (!settings) return fail('unknown-cluster', `no cluster ${cluster}`)
    const pair = findPair(settings, username)
    if (pair === undefined) return fail('unknown-user', `${username} is not a user of ${cluster}`)
    const to = username.includes('@') ? username : settings['mail-to']
    if (to === '') return fail('mail-failed', `${username} is not a mail address, and mail-to is empty`)
    const handover = kind === 'db' ? databaseAccount(settings) : { user: username, secret: secret(pair) }
    const place = kind === 'db' ? `Databases of ${cluster}: ${settings['db-servers-hosts'].join(', ')}` : undefined
    const text = this.#handOver(handover, place)
    const mail: Mail = { to, subject: `${cluster}: your account`, text }
    const sent = await sendMail(settings, mail)
    const fields = { cluster, username, kind, to, user: by, ...(sent.ok ? {} : { refused: sent.failure.message }) }
    this.#log(sent.ok ? 'info' : 'warn', 'credentials-sent', fields)
    return sent
  }

  async sendVaultToken({ cluster, by }: Parameters<UsersFace['sendVaultToken']>[0]): Promise<Result<void>> {
    const settings = this.#clusters.settings(cluster)
    if (!settings) return fail('unknown-cluster', `no cluster ${cluster}`)
    const sent = await this.#mailVaultToken(cluster, settings)
    const fields = { cluster, to: settings['mail-to'], user: by, ...(sent.ok ? {} : { refused: sent.failure.message }) }
    this.#log(sent.ok ? 'info' : 'warn', 'vault-token-sent', fields)
    return sent
  }

  redeem(token: string): Result<Redeemed> {
    const redeemed = this.#offers.redeem(token)
    this.#log(
      redeemed.ok ? 'info' : 'warn',
      'credentials-redeemed',
      redeemed.ok ? { username: redeemed.value.user } : {},
    )
    return redeemed
  }

  /** The text of a mail: it opens the secret once, and holds none. */
  #handOver(handover: Handover, ...lines: readonly (string | undefined)[]): string {
    const address = this.#clusters.server['api-public-url']
    const isOpen = reveal(handover.secret) !== ''
    const opening = [
      'The password can be read once, within a day and until the manager is restarted:',
      `  curl -d token=${this.#offers.offer(handover)} ${address}/api/one-time-credentials`,
    ]
    return [
      `Address: ${address}`,
      ...lines.filter((line) => line !== undefined),
      `User: ${handover.user}`,
      ...(isOpen ? opening : ['You log in by single sign-on.']),
      '',
    ].join('\n')
  }

  /** Only the recipients in mail-to read it: the requester does not see it. */
  async #mailVaultToken(cluster: string, settings: Settings): Promise<Result<void>> {
    const to = settings['mail-to']
    if (to === '') return fail('disabled', 'mail-to is empty: there is no recipient')
    const token = await vaultToken(settings)
    if (!token.ok) return token
    const handover = { user: 'vault', secret: secret(token.value) }
    const text = this.#handOver(
      handover,
      `Vault: ${settings['vault-server-addr']}`,
      `Mount: ${settings['vault-mount']}`,
    )
    return sendMail(settings, { to, subject: `${cluster}: vault token`, text })
  }

  /** A token knows its owner by name: where the cluster has no such user, no token of that name may open it later. */
  async #cutTokens({ cluster, username, by }: Pick<UserRequest, 'cluster' | 'username' | 'by'>): Promise<Result<void>> {
    const places = [...this.#clusters.configuration.clusters.keys()].filter((name) => this.#knows(name, username))
    if (places.includes(cluster)) return done
    return this.#tokens.cutOff(username, cluster, { others: places, by })
  }

  #knows(cluster: string, username: string): boolean {
    const settings = this.#clusters.settings(cluster)
    return settings !== undefined && parseCredentials(accessLists(settings).credentials).has(username)
  }

  async #edit(
    code: LogCode,
    { cluster, username, by, may }: Pick<UserRequest, 'cluster' | 'username' | 'by' | 'may'>,
    change: (lists: UserLists) => Result<UserLists>,
  ): Promise<Result<void>> {
    const make = (settings: Settings) => {
      const changed = change({ credentials: settings[PAIRS], allow: settings[ALLOW] })
      if (!changed.ok) return changed
      return ok({ [PAIRS]: reveal(changed.value.credentials), [ALLOW]: changed.value.allow })
    }
    const edited = await this.#clusters.edit(cluster, make, { permit: permitChange({ cluster, may }) })
    const why = edited.ok ? {} : { refused: edited.failure.message }
    this.#log(edited.ok ? 'info' : 'warn', code, { cluster, username, user: by, ...why })
    return edited.ok ? done : edited
  }
}

export function viewUsers(settings: Settings, cluster: string): readonly UserView[] {
  const lists = accessLists(settings)
  const entries = parseAcl(lists.allow).filter(({ clusters }) => clusters.has('*') || clusters.has(cluster))
  const added = parseCredentials(settings[PAIRS])
  return listUsers(lists, cluster).map(({ user, grants, roles }) => ({
    user,
    access: [...new Set(entries.filter((entry) => entry.user === user).flatMap((entry) => entry.grants))].join(' '),
    roles: held(roles),
    grants: held(grants),
    added: added.has(user),
    signOn: findPair(settings, user) === '',
  }))
}

const held = (flags: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.entries(flags).flatMap(([name, flag]) => (flag ? [name] : []))

/** The password of a user in the lists of the cluster; empty for one that logs in elsewhere. */
export function findPair(settings: Settings, username: string): string | undefined {
  const pairs = reveal(accessLists(settings).credentials).split(',')
  const pair = pairs.find((entry) => entry.trim().startsWith(`${username}:`))
  return pair?.trim().slice(username.length + 1)
}

function databaseAccount(settings: Settings): Handover {
  const { user, password } = credentials(settings['db-servers-credential'])
  return { user, secret: password }
}
