// Who a commit is of, and what it says: one line per change, people first.
import { counted } from '../../base/counted.js'
import { isoTime } from '../../base/time.js'
import type { SettingChangeRecord } from '../../model/operation/setting-change.js'

/** One change as the message of a commit names it. */
export interface NamedChange {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly user: string
  /** `shop: failover-mode from manual to automatic`; no secret. */
  readonly text: string
}

export interface Author {
  readonly name: string
  readonly email: string
}

/** The manager itself. */
export const MANAGER: Author = { name: 'manager', email: 'manager@manager.invalid' }

/** Lines of changes in one message. */
const LONGEST_LIST = 100
const LONGEST_SUBJECT = 72
const LONGEST_VALUE = 200

/** The user of the latest change; the manager where nobody is known. */
export function authorOf(changes: readonly NamedChange[]): Author {
  const user = changes.at(-1)?.user ?? ''
  const name = user.replace(/[<>\p{Cc}]/gu, ' ').trim()
  if (name === '') return MANAGER
  const isAddress = /^[^\s@]+@[^\s@]+$/.test(name)
  return { name, email: isAddress ? name : `${name.replace(/[^\w.-]/g, '-')}@manager.invalid` }
}

/** Subject, a line per change, and the others who made them. `notes` stand below. */
export function renderMessage(
  changes: readonly NamedChange[],
  paths: readonly string[],
  notes: readonly string[] = [],
): string {
  const [only] = changes
  const subject =
    only && changes.length === 1
      ? only.text
      : changes.length > 1
        ? `${counted(changes.length, 'change')}: ${only?.text}, …`
        : `Configuration: ${paths.length === 1 ? paths[0] : counted(paths.length, 'file')}`
  const lines = changes
    .slice(-LONGEST_LIST)
    .map(({ at, user, text }) => `${isoTime(at)} ${oneLine(user) || 'manager'}: ${oneLine(text)}`)
  const omitted = changes.length > LONGEST_LIST ? [`${changes.length - LONGEST_LIST} earlier changes`] : []
  const authors = new Set(changes.slice(0, -1).map(({ user }) => user))
  authors.delete(changes.at(-1)?.user ?? '')
  const trailers = [...authors]
    .filter((user) => user !== '')
    .map((user) => {
      const { name, email } = authorOf([{ at: 0, user, text: '' }])
      return `Co-authored-by: ${name} <${email}>`
    })
  return [[cut(oneLine(subject), LONGEST_SUBJECT)], [...omitted, ...lines], notes.map(oneLine), trailers]
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n')
}

/** What a commit says of a change of a setting; several that belong together are one. */
export function nameChange({
  at,
  user,
  cluster,
  name,
  action,
  before,
  after,
  along,
  undoes,
}: SettingChangeRecord): NamedChange {
  const scope = cluster === '' ? 'server' : cluster
  const values = `from ${shown(before.value)} to ${shown(after.value)}`
  const others = Object.keys(along ?? {})
  const more = others.length === 0 ? '' : ` (with ${others.join(', ')})`
  const why = action === 'undo' ? `, undoing change ${undoes}` : action === 'clear' ? ', its change reverted' : ''
  return { at, user, text: `${scope}: ${name} ${values}${more}${why}` }
}

const shown = (value: unknown): string => (value === '' ? 'empty' : cut(String(value), LONGEST_VALUE))

const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').trim()

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length - 1)}…` : text)
