// What is done to users and tokens, as actions of the plan sheet.
import { wordsOf } from '../../model/access/grants.js'
import type { Token } from '../../model/access/users.js'
import type { Action } from '../../plan/action.js'

export interface UserWish {
  readonly name: string
  readonly password: string
  readonly grants: ReadonlySet<string>
}

const bodyOf = ({ name, password, grants }: UserWish) => ({
  ...{ username: name, password, roles: '', grants: wordsOf(grants) },
})

export const addUser = (cluster: string, wish: UserWish): Action => ({
  ...{
    title: `Add ${wish.name}`,
    row: 'POST /api/clusters/:cluster/users/add',
    params: { cluster },
    body: bodyOf(wish),
    secrets: ['password'],
  },
  ...{ grant: ['grant-add', 'cluster-grant'], kind: 'harmless' },
})

/** A new password, and grants that are taken away, end what the user does. */
export const changeUser = (cluster: string, wish: UserWish): Action => ({
  ...{
    title: `Change ${wish.name}`,
    row: 'POST /api/clusters/:cluster/users/update',
    params: { cluster },
    body: bodyOf(wish),
  },
  ...{ secrets: ['password'], grant: ['grant-modify', 'cluster-grant'], kind: 'interrupting' },
})

export const dropUser = (cluster: string, name: string): Action => ({
  ...{
    title: `Drop ${name}`,
    row: 'POST /api/clusters/:cluster/users/drop',
    params: { cluster },
    body: { username: name },
  },
  ...{ grant: ['grant-drop', 'cluster-grant'], kind: 'destroying', command: ['user', 'drop', name] },
})

export interface TokenWish {
  readonly label: string
  /** Words of an access list; empty: everything that the user holds. */
  readonly grants: string
  readonly clusters: readonly string[]
  readonly expireDays: number
}

export const createToken = (wish: TokenWish): Action => ({
  ...{ title: `Create ${wish.label}`, row: 'POST /api/tokens', body: wish, grant: [], kind: 'harmless' },
})

/** `cluster`: of a token of any user that reaches it; else of one's own. */
export const revokeToken = ({ id, label }: Token, cluster?: string): Action => ({
  ...{
    title: `Revoke ${label}`,
    row: 'DELETE /api/tokens/:token',
    kind: 'destroying',
    command: ['token', 'revoke', id],
  },
  ...(cluster === undefined
    ? { params: { token: id }, grant: [] }
    : { params: { token: id, cluster }, grant: ['token-manage', 'cluster-grant'] }),
})
