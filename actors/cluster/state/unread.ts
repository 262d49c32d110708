// Reads on request that came to nothing because what they read is not there: remembered, and shown as a finding. Pure.
import type { ServerRead } from '../../../lib/dialect/index.js'
import type { Finding } from '../../../lib/model/finding.js'
import type { ServerId } from '../../../lib/model/server/server.js'

/** By server, then by what was read: why there was nothing. */
export type Unread = Readonly<Record<ServerId, Readonly<Record<string, string>>>>

export interface EndedRead {
  readonly server: ServerId
  readonly what: ServerRead | 'disks'
  /** Absent: there was something to read. */
  readonly reason?: string | undefined
}

/** The same object when nothing changes. */
export function withUnread(unread: Unread | undefined, { server, what, reason }: EndedRead): Unread | undefined {
  const own = unread?.[server]
  if (own?.[what] === reason) return unread
  const { [what]: _, ...others } = own ?? {}
  return { ...unread, [server]: reason === undefined ? others : { ...others, [what]: reason } }
}

export const unreadFindings = (unread: Unread = {}): readonly Finding[] =>
  Object.entries(unread).flatMap(([server, reasons]) => {
    const details = [...new Set(Object.values(reasons))]
    return details.length === 0 ? [] : [{ code: 'WARN0324', server, detail: `${details.join('; ')}.` } as const]
  })
