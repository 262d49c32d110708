// What the routes may ask about the users of the running manager.
import type { UserForm } from '../../../lib/access/user-lists.js'
import type { Result } from '../../../lib/base/result.js'

export interface UserRequest extends UserForm {
  readonly cluster: string
  /** Who asks. */
  readonly by: string
}

/** Which account a mail tells: the API's own, or the databases'. */
export type CredentialsKind = 'sys' | 'db'

/** A user of a cluster, without its password. */
export interface UserView {
  readonly user: string
  /** Words of the access lists that hold there, as they are written. */
  readonly access: string
  readonly roles: readonly string[]
  /** What the words and roles come to, less what is discarded. */
  readonly grants: readonly string[]
  /** Added here, so that it can be updated and dropped; else it stands in the configuration. */
  readonly added: boolean
  /** It has no password: it logs in by single sign-on only. */
  readonly signOn: boolean
}

export interface UsersFace {
  /** Those who hold any grant on the cluster, in the order of the lists; none for a cluster that is not there. */
  list(cluster: string): readonly UserView[]
  /** In force and saved when answered; `user-exists`, `unknown-user`, `bad-request`. */
  add(request: UserRequest): Promise<Result<void>>
  update(request: UserRequest): Promise<Result<void>>
  drop(request: Pick<UserRequest, 'cluster' | 'username' | 'by'>): Promise<Result<void>>
  /** Grants that the user holds on the cluster now; none for a stranger. */
  grants(cluster: string, username: string): readonly string[]
  /** Mails credentials to the user; `unknown-user`, `mail-failed`. */
  sendCredentials(request: {
    readonly cluster: string
    readonly username: string
    readonly kind: CredentialsKind
    readonly by: string
  }): Promise<Result<void>>
  /** Mails the vault's token to `mail-to`; `disabled` without a vault or an address, `http-failed`, `mail-failed`. */
  sendVaultToken(request: { readonly cluster: string; readonly by: string }): Promise<Result<void>>
}
