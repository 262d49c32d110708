// What the routes can request about the users of the running manager.
import type { UserForm } from '../../../lib/access/user-lists.js'
import type { Result } from '../../../lib/base/result.js'
import type { Caller } from './caller.js'

export interface UserRequest extends UserForm {
  readonly cluster: string
  /** The requesting user. */
  readonly by: string
  /** What it may do. */
  readonly may: Caller['may']
}

/** Which account a mail describes: the API's own, or the databases'. */
export type CredentialsKind = 'sys' | 'db'

export interface CredentialsRequest {
  readonly cluster: string
  readonly username: string
  readonly kind: CredentialsKind
  /** The requesting user. */
  readonly by: string
  /** What it may do. */
  readonly may: Caller['may']
}

/** A user of a cluster, without its password. */
export interface UserView {
  readonly user: string
  /** Words of the access lists that apply there, as written. */
  readonly access: string
  readonly roles: readonly string[]
  /** The grants of these words and roles, less what is discarded. */
  readonly grants: readonly string[]
  /** Added at run time, so it can be updated and dropped; otherwise it is in the configuration. */
  readonly added: boolean
  /** It has no password: it logs in by single sign-on only. */
  readonly signOn: boolean
}

/** What a mailed token opened. */
export interface Redeemed {
  readonly user: string
  /** Of a user of the service the one that holds from now on. */
  readonly password: string
}

export interface UsersFace {
  /** Users that hold any grant on the cluster, in the order of the lists; none for an unknown cluster. */
  list(cluster: string): readonly UserView[]
  /** In force and saved when the call returns; `user-exists`, `unknown-user`, `bad-request`. */
  add(request: UserRequest): Promise<Result<void>>
  update(request: UserRequest): Promise<Result<void>>
  drop(request: Pick<UserRequest, 'cluster' | 'username' | 'by' | 'may'>): Promise<Result<void>>
  /** Grants that the user now holds on the cluster; none for an unknown user. */
  grants(cluster: string, username: string): readonly string[]
  /**
   * The address that `sendCredentials` would mail to. `unknown-user`; `no-grant` unless the requester holds all that the user
   * holds anywhere; `wrong-state` where no address is trusted, or the password is set in the configuration; `mail-failed`.
   */
  judgeCredentials(request: CredentialsRequest): Result<string>
  /** Mails a token that sets another password of the user, or shows the account of the databases, once; `too-often`. */
  sendCredentials(request: CredentialsRequest): Promise<Result<void>>
  /**
   * What a mailed token opens, once; `unknown-token`. Of a user of the service it sets `password`, or one that is made: its
   * sessions end.
   */
  redeem(token: string, password: string): Promise<Result<Redeemed>>
  /**
   * Mails what opens the vault's token once to `mail-to` as the configuration files give it. `disabled` without a vault,
   * `wrong-state`, `http-failed`, `mail-failed`, `too-often`.
   */
  sendVaultToken(request: { readonly cluster: string; readonly by: string }): Promise<Result<void>>
}
