// Several messages that waited for a channel that was out of service, as one. Pure.
import { counted } from '../../base/counted.js'
import type { AlertMessage } from '../../model/alert.js'

/** More than these become one. */
const SEPARATE = 3
/** Characters of the joined text. */
const LONGEST = 60_000

/** The messages to send, oldest first: themselves when they are few. */
export function joinMessages(messages: readonly AlertMessage[]): readonly AlertMessage[] {
  const [first, last] = [messages[0], messages.at(-1)]
  if (!first || !last || messages.length <= SEPARATE) return messages
  const parts = messages.map(({ title, text }) => `${title}\n\n${text}`)
  return [
    {
      ...last,
      level: messages.some(({ level }) => level === 'ALERT') ? 'ALERT' : 'ALERTOK',
      kind: messages.some(({ kind }) => kind === 'escalation') ? 'escalation' : 'alert',
      clusters: [...new Set(messages.flatMap(({ clusters }) => clusters))],
      codes: [...new Set(messages.flatMap(({ codes }) => codes))],
      title:
        `[${last.level}] ${counted(messages.length, 'alert')} that could not be sent earlier; the latest: ${last.title}`.slice(
          0,
          200,
        ),
      text: parts.join('\n----\n\n').slice(-LONGEST),
    },
  ]
}
