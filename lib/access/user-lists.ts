// Users that are added, changed and dropped while the service runs: edits of one cluster's own lists. Pure.

import { fail, ok, type Result } from '../base/result.js'
import { reveal, type Secret, secret } from '../base/secret.js'
import { suggest } from '../base/suggest.js'
import { parseAcl } from './acl.js'
import { expandGrant, type Grant, grants } from './grants.js'
import { isReservedName } from './reserved-names.js'
import { isRole, roleGrants, roleNames } from './roles.js'

/** The lists of one cluster that the manager stores: `api-credentials-external` and its access list. */
export interface UserLists {
  readonly credentials: Secret
  readonly allow: string
  /** `api-credentials`: the password that a user has there is the one that applies. */
  readonly fixed?: Secret
}

/** A user as requested; words are separated by blanks. */
export interface UserForm {
  readonly username: string
  /** Empty: it logs in elsewhere (single sign-on), or keeps its current password. */
  readonly password: string
  /** Roles give their grants when no grants are named. */
  readonly roles: string
  readonly grants: string
}

/** The lists with a new user. `user-exists`, `wrong-state` for a password without effect, or `bad-request` naming what is wrong. */
export function addUser(lists: UserLists, form: UserForm, cluster: string): Result<UserLists> {
  const problem = checkForm(form)
  if (problem !== undefined) return fail('bad-request', problem)
  if (has(lists, form.username)) return fail('user-exists', `${form.username} is a user of ${cluster} already`)
  if (isPasswordFixed(lists, form)) return fail('wrong-state', fixedText(form.username))
  return ok({ ...lists, credentials: withPair(lists.credentials, form), allow: withEntry(lists.allow, form, cluster) })
}

/** The lists with other grants and roles of the user, and another password when one is given. `unknown-user`, `wrong-state` as of `addUser`. */
export function updateUser(lists: UserLists, form: UserForm, cluster: string): Result<UserLists> {
  const problem = checkForm(form)
  if (problem !== undefined) return fail('bad-request', problem)
  if (!has(lists, form.username)) return fail('unknown-user', strangerText(form.username))
  if (isPasswordFixed(lists, form)) return fail('wrong-state', fixedText(form.username))
  const credentials =
    form.password === '' ? lists.credentials : withPair(withoutPair(lists.credentials, form.username), form)
  return ok({ ...lists, credentials, allow: withEntry(withoutEntries(lists.allow, form.username), form, cluster) })
}

/**
 * The lists with another password of the user, whose grants stay. `unknown-token` where it has no longer the one that it was
 * mailed for, `bad-request` for what is no password.
 */
export function replacePassword(
  lists: UserLists,
  { username, from, to }: { readonly username: string; readonly from: Secret; readonly to: string },
): Result<UserLists> {
  const pair = entries(reveal(lists.credentials)).find((entry) => userOf(entry) === username)
  if (pair !== `${username}:${reveal(from)}`)
    return fail('unknown-token', `${username} has another password since the mail, or was dropped`)
  const problem = checkPassword(to)
  if (problem !== undefined) return fail('bad-request', problem)
  const form = { username, password: to, roles: '', grants: '' }
  return ok({ ...lists, credentials: withPair(withoutPair(lists.credentials, username), form) })
}

/** The lists without the user. `unknown-user`. */
export function dropUser(lists: UserLists, username: string): Result<UserLists> {
  if (!has(lists, username)) return fail('unknown-user', strangerText(username))
  return ok({
    ...lists,
    credentials: withoutPair(lists.credentials, username),
    allow: withoutEntries(lists.allow, username),
  })
}

/** The grants of a form. */
export const grantsOf = ({ grants: words, roles }: Pick<UserForm, 'grants' | 'roles'>): readonly Grant[] => [
  ...new Set(split(words).length > 0 ? split(words).flatMap(expandGrant) : split(roles).flatMap(roleGrants)),
]

const strangerText = (user: string): string =>
  `${user} was not added here: users of api-credentials are changed in the configuration`

const fixedText = (user: string): string =>
  `${user} has its password in api-credentials: change it there, in the configuration files or by the setting; grants and roles are changed without a password`

/** The first entry of a user wins: one in the list of the cluster would change nothing. */
const isPasswordFixed = ({ fixed }: UserLists, { username, password }: UserForm): boolean =>
  password !== '' && fixed !== undefined && has({ credentials: fixed }, username)

function checkForm({ username, password, roles, grants: words }: UserForm): string | undefined {
  if (!/^[^\s:,]{1,128}$/.test(username)) return `username: ${nameFault(username)}`
  if (isReservedName(username)) return `username: ${username} is a reserved name`
  const weakness = checkPassword(password)
  if (weakness !== undefined) return weakness
  const role = split(roles).find((word) => !isRole(word))
  if (role !== undefined)
    return `roles: ${role} is not a role${hint(role, roleNames) || `; there are ${roleNames.join(', ')}`}`
  const word = split(words).find((one) => one === '*' || expandGrant(one).length === 0)
  if (word !== undefined) return `grants: ${word} is not a grant${hint(word, grants)}`
  return undefined
}

/** Which of its rules a name breaks, with the rule. */
function nameFault(username: string): string {
  const banned = separators.find(([, pattern]) => pattern.test(username))
  const has = banned === undefined ? `has ${username.length} characters` : `has a ${banned[0]}`
  return `${has}, allowed are 1 to 128 characters without blank, colon or comma`
}

/** What the lists of users separate their entries with. */
const separators = [
  ['blank', /\s/],
  ['colon', /:/],
  ['comma', /,/],
] as const

const checkPassword = (password: string): string | undefined =>
  /[,\p{Cc}]|^\s|\s$/u.test(password) ? 'password: no comma or control character, no blank at an end' : undefined

function hint(word: string, known: readonly string[]): string {
  const nearest = suggest(word, known)
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}

const split = (words: string): readonly string[] => words.split(/\s+/).filter(Boolean)

const entries = (list: string): readonly string[] =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)

const userOf = (entry: string): string => entry.slice(0, Math.max(0, entry.indexOf(':')))

const has = ({ credentials }: Pick<UserLists, 'credentials'>, user: string): boolean =>
  entries(reveal(credentials)).some((pair) => userOf(pair) === user)

const withPair = (pairs: Secret, { username, password }: UserForm): Secret =>
  secret([...entries(reveal(pairs)), `${username}:${password}`].join(','))

const withoutPair = (pairs: Secret, user: string): Secret =>
  secret(
    entries(reveal(pairs))
      .filter((pair) => userOf(pair) !== user)
      .join(','),
  )

/** `user:grants:cluster:roles`. */
const withEntry = (list: string, { username, grants: words, roles }: UserForm, cluster: string): string =>
  [...entries(list), [username, split(words).join(' '), cluster, split(roles).join(' ')].join(':')].join(',')

const withoutEntries = (list: string, user: string): string =>
  entries(list)
    .filter((entry) => parseAcl(entry)[0]?.user !== user)
    .join(',')
