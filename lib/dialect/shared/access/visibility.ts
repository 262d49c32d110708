// Lists of information_schema that show only what the account has privileges on: an empty answer says "none" only to who sees all.
import type { HeldPrivileges } from '../../../model/server/reading.js'
import type { Rows } from '../../statement/statement.js'
import { parseGrants } from './privileges.js'

export type HiddenList = 'schemas' | 'tables' | 'events' | 'triggers'

/** Any one of them on all schemas shows the whole list; the first is what to grant. Verified with accounts that have one each. */
const shownBy: Readonly<Record<HiddenList, readonly string[]>> = {
  schemas: ['SHOW DATABASES', 'SELECT', 'INSERT', 'UPDATE', 'DELETE', 'CREATE', 'DROP', 'ALTER'],
  tables: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'CREATE', 'DROP', 'ALTER'],
  events: ['EVENT'],
  triggers: ['TRIGGER'],
}

const all = ['ALL', 'ALL PRIVILEGES']

/**
 * Why an account with these lines of `SHOW GRANTS` may not see all of the list, and what to run; undefined when it does. What
 * a role grants is not in the lines, so an account with one is not judged.
 */
export function hiddenFrom(list: HiddenList, lines: readonly string[]): string | undefined {
  const held = parseGrants(lines)
  if (sees(list, held) || lines.some((line) => !/ ON \S+ TO /i.test(line))) return undefined
  const [grant] = shownBy[list]
  return `the account may not see all ${list} of the server: GRANT ${grant} ON *.* TO ${held.account};`
}

/** The lines of the rows of `SHOW GRANTS`, which names its column after the account. */
export const grantLines = (rows: Rows): readonly string[] => rows.map((row) => String(Object.values(row)[0] ?? ''))

/** Whether an account with these privileges sees the whole list. */
export const sees = (list: HiddenList, { names }: HeldPrivileges): boolean =>
  [...shownBy[list], ...all].some((name) => names.includes(name))
