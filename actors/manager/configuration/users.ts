// Users of clusters: their lists are settings that the manager stores, changed together or not at all.

import { parseAcl } from '../../../lib/access/acl.js'
import { parseCredentials } from '../../../lib/access/credentials.js'
import { listUsers } from '../../../lib/access/index.js'
import { addUser, dropUser, replacePassword, type UserLists, updateUser } from '../../../lib/access/user-lists.js'
import { createAllowance } from '../../../lib/base/allowance.js'
import type { LogCode, WriteLog } from '../../../lib/base/log-codes.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { reveal, secret } from '../../../lib/base/secret.js'
import { MINUTE } from '../../../lib/base/time.js'
import { vaultToken } from '../../../lib/connect/http/vault.js'
import { type Mail, sendMail } from '../../../lib/notify/index.js'
import { accessLists, credentials, publicUrl, type Settings } from '../../../lib/settings/index.js'
import type { ApiTokens } from '../../../lib/store/index.js'
import type { CredentialsRequest, Redeemed, UserRequest, UsersFace, UserView } from '../../protocol/manager/users.js'
import type { Clusters } from './clusters.js'
import { findPair } from './find-pair.js'
import { givenReceivers, judgeSending } from './mail-recipient.js'
import { type Handover, newPassword, OneTimeTokens } from './one-time.js'
import { permitChange } from './permit-change.js'

const PAIRS = 'api-credentials-external'
const ALLOW = 'api-credentials-acl-allow-external'

/** Mails with accounts and tokens, for each cluster. */
export const MAILS = { most: 20, withinMs: 10 * MINUTE }

export class Users implements UsersFace {
  readonly #clusters: Clusters
  readonly #tokens: Pick<ApiTokens, 'cutOff'>
  readonly #log: WriteLog
  readonly #tokensOnce = new OneTimeTokens()
  readonly #mayMail = createAllowance(MAILS)

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

  judgeCredentials(request: CredentialsRequest): Result<string> {
    return judgeSending(this.#clusters.configuration, request)
  }

  async sendCredentials(request: CredentialsRequest): Promise<Result<void>> {
    const { cluster, username, kind, by } = request
    const to = this.judgeCredentials(request)
    const sent = to.ok ? await this.#mailAccount(request, to.value) : to
    const fields = { cluster, username, kind, ...(to.ok ? { to: to.value } : {}), user: by }
    return this.#noted('credentials-sent', fields, sent)
  }

  async sendVaultToken({ cluster, by }: Parameters<UsersFace['sendVaultToken']>[0]): Promise<Result<void>> {
    const settings = this.#clusters.settings(cluster)
    if (!settings) return fail('unknown-cluster', `no cluster ${cluster}`)
    const sent = await this.#mailVaultToken(cluster, settings)
    return this.#noted('vault-token-sent', { cluster, to: settings['mail-to'], user: by }, sent)
  }

  async redeem(token: string, password: string): Promise<Result<Redeemed>> {
    const taken = this.#tokensOnce.take(token)
    if (!taken.ok) return this.#noted('credentials-redeemed', {}, taken)
    const handover = taken.value
    const opened = await this.#open(handover, password)
    if (!opened.ok && opened.failure.code !== 'unknown-token') this.#tokensOnce.giveBack(token, handover)
    return this.#noted('credentials-redeemed', { username: handover.user }, opened)
  }

  async #open(handover: Handover, password: string): Promise<Result<Redeemed>> {
    const { type, user } = handover
    if (type === 'secret')
      return password === ''
        ? ok({ user, password: reveal(handover.secret) })
        : fail('bad-request', 'password: this token shows a secret, it sets no password')
    const to = password || newPassword()
    const change = (lists: UserLists) => replacePassword(lists, { username: user, from: handover.secret, to })
    const changed = await this.#change({ cluster: handover.cluster }, change)
    return changed.ok ? ok({ user, password: to }) : changed
  }

  async #mailAccount({ cluster, username, kind }: CredentialsRequest, to: string): Promise<Result<void>> {
    const settings = this.#clusters.settings(cluster)
    if (!settings) return fail('unknown-cluster', `no cluster ${cluster}`)
    const text =
      kind === 'db'
        ? this.#handOver(
            databaseAccount(settings, cluster),
            `Databases of ${cluster}: ${settings['db-servers-hosts'].join(', ')}`,
          )
        : this.#handOver({
            ...{ type: 'password', user: username, cluster, secret: secret(findPair(settings, username) ?? '') },
          })
    return this.#send(cluster, { to, subject: `${cluster}: your account`, text })
  }

  /** The text of a mail: it opens the secret once, and holds none. */
  #handOver(handover: Handover, ...lines: readonly string[]): string {
    const address = publicUrl(this.#clusters.server)
    return [
      `Address: ${address}`,
      ...lines,
      `User: ${handover.user}`,
      ...(reveal(handover.secret) === ''
        ? ['You log in by single sign-on.']
        : openings[handover.type](
            `curl -d token=${this.#tokensOnce.offer(handover)}`,
            `${address}/api/one-time-credentials`,
          )),
      '',
    ].join('\n')
  }

  /** The requester does not see it. */
  async #mailVaultToken(cluster: string, settings: Settings): Promise<Result<void>> {
    const to = givenReceivers(this.#clusters.configuration, cluster)
    if (!to.ok) return to
    const token = await vaultToken(settings)
    if (!token.ok) return token
    const text = this.#handOver(
      { type: 'secret', user: 'vault', cluster, secret: secret(token.value) },
      `Vault: ${settings['vault-server-addr']}`,
      `Mount: ${settings['vault-mount']}`,
    )
    return this.#send(cluster, { to: to.value, subject: `${cluster}: vault token`, text })
  }

  async #send(cluster: string, mail: Mail): Promise<Result<void>> {
    const settings = this.#clusters.settings(cluster)
    if (!settings) return fail('unknown-cluster', `no cluster ${cluster}`)
    return this.#mayMail(cluster)
      ? sendMail(settings, mail)
      : fail(
          'too-often',
          `${cluster}: at most ${MAILS.most} accounts are mailed within ${MAILS.withinMs / MINUTE} minutes`,
        )
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
    const changed = await this.#change({ cluster, may }, change)
    return this.#noted(code, { cluster, username, user: by }, changed)
  }

  /** `may`: what the requester may do; absent: the user changes itself. */
  async #change(
    { cluster, may }: { readonly cluster: string; readonly may?: UserRequest['may'] },
    change: (lists: UserLists) => Result<UserLists>,
  ): Promise<Result<void>> {
    const make = (settings: Settings) => {
      const lists = { credentials: settings[PAIRS], allow: settings[ALLOW], fixed: settings['api-credentials'] }
      const changed = change(lists)
      if (!changed.ok) return changed
      return ok({ [PAIRS]: reveal(changed.value.credentials), [ALLOW]: changed.value.allow })
    }
    const permit = permitChange({ cluster, ...(may ? { may } : {}) })
    const edited = await this.#clusters.edit(cluster, make, { permit })
    return edited.ok ? done : edited
  }

  #noted<T>(code: LogCode, fields: Readonly<Record<string, unknown>>, result: Result<T>): Result<T> {
    const why = result.ok ? {} : { refused: result.failure.message }
    this.#log(result.ok ? 'info' : 'warn', code, { ...fields, ...why })
    return result
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

function databaseAccount(settings: Settings, cluster: string): Handover {
  const { user, password } = credentials(settings['db-servers-credential'])
  return { type: 'secret', user, cluster, secret: password }
}

/** How a mail says what its token does. */
const openings: Readonly<Record<Handover['type'], (command: string, address: string) => readonly string[]>> = {
  secret: (command, address) => [
    'The password can be read once, within a day and until the manager is restarted:',
    `  ${command} ${address}`,
  ],
  password: (command, address) => [
    'You can set another password once, within a day and until the manager is restarted. Your sessions end then:',
    `  ${command} --data-urlencode password=NEW-PASSWORD ${address}`,
    'Without a password the manager makes one, and shows it:',
    `  ${command} ${address}`,
  ],
}
