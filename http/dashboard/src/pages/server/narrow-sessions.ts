// Which sessions a filter keeps: every word stands somewhere in what is shown of it.
import type { Session } from '../../model/server/sessions.js'

export function fitsSession(session: Session, wanted: string): boolean {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return true
  const { id, user, host, schema = '', command, state = '', statement = '' } = session
  const text = `${id} ${user} ${host} ${schema} ${command} ${state} ${statement}`.toLowerCase()
  return words.every((word) => text.includes(word))
}
