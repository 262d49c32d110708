// Names that give a whole account of the administration of proxies, `user:password`: two settings hold it.
import { fail, ok, type Result } from '../../base/result.js'
import type { SettingName } from '../table/index.js'

const accounts: ReadonlyMap<string, readonly [user: SettingName, password: SettingName]> = new Map([
  ['proxysql-servers-credential', ['proxysql-user', 'proxysql-password']],
  ['maxscale-servers-credential', ['maxscale-user', 'maxscale-pass']],
])

/** Whether it can be set although no setting has this name. */
export const isAccountName = (name: string): boolean => accounts.has(name.toLowerCase())

export interface AccountParts {
  /** What the change is named after: a secret, so that undoing it does not restore a mask as the password. */
  readonly name: SettingName
  readonly values: Readonly<Partial<Record<SettingName, string>>>
}

/** The two settings with their values; undefined for any other name, `wrong-value` for what is no account. */
export function splitAccount(name: string, value: string): Result<AccountParts> | undefined {
  const [user, password] = accounts.get(name.toLowerCase()) ?? []
  if (user === undefined || password === undefined) return undefined
  const at = value.indexOf(':')
  if (at < 1) return fail('wrong-value', `${name}: expected user:password`)
  return ok({ name: password, values: { [user]: value.slice(0, at), [password]: value.slice(at + 1) } })
}
