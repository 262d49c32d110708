// The cookie that holds a refresh secret: no script reads it, and it is sent to the addresses of sessions only.
import { SECOND } from '../../../lib/base/time.js'
import type { RequestFacts } from '../../api/kit/route.js'

/** The addresses that get it. */
const PATH = '/api/session'

export interface SessionCookie {
  /** The header that stores the text for so long; 0: that removes it. */
  header(text: string, request: RequestFacts, lifetimeMs: number): string
  /** The text that the request carries. */
  read(request: RequestFacts): string | undefined
}

/** `name`, as it is now, differs by manager: browsers send cookies to every port of a host. */
export const createSessionCookie = (name: () => string): SessionCookie => {
  // Over TLS its name cannot be set by a page of a plain connection.
  const nameFor = ({ secure }: RequestFacts) => (secure ? `__Secure-${name()}` : name())
  return {
    header: (text, request, lifetimeMs) =>
      [
        `${nameFor(request)}=${text}`,
        `Path=${PATH}`,
        `Max-Age=${Math.floor(lifetimeMs / SECOND)}`,
        'HttpOnly',
        'SameSite=Strict',
        ...(request.secure ? ['Secure'] : []),
      ].join('; '),
    read: (request) => {
      const wanted = `${nameFor(request)}=`
      const pairs = request.headers.cookie?.split(';').map((pair) => pair.trim()) ?? []
      return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length)
    },
  }
}
