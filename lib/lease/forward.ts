// What an instance says of a request that it passes on to the owner of a cluster: signed with a key that only its process has.
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { MINUTE } from '../base/time.js'

export interface ForwardedRequest {
  /** Ids of the two instances. */
  readonly from: string
  readonly to: string
  /** Milliseconds since the epoch, by the clock of the sender. */
  readonly at: number
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** Who asks, as the sender has authenticated it. */
  readonly user: string
  readonly address: string
  /** A visitor of the dashboard: every action is refused. */
  readonly readOnly?: true
  /** What the API token of the request is limited to. */
  readonly apiToken?: { readonly id: string; readonly grants: readonly string[]; readonly clusters: readonly string[] }
}

/** Clocks of instances may differ by so much. */
const MOST_SKEW_MS = 5 * MINUTE

export const sealForward = (request: ForwardedRequest, key: KeyObject): string => {
  const text = Buffer.from(JSON.stringify(request))
  return `${text.toString('base64url')}.${sign(null, text, key).toString('base64url')}`
}

export interface ForwardCheck {
  readonly self: string
  /** The key of a living instance: SPKI, base64. */
  readonly keyOf: (instance: string) => string | undefined
  readonly at: number
}

/** Undefined unless a living instance has signed it for this one, a short time ago. */
export function openForward(sealed: string, { self, keyOf, at }: ForwardCheck): ForwardedRequest | undefined {
  const [text = '', signature = ''] = sealed.split('.')
  try {
    const bytes = Buffer.from(text, 'base64url')
    const request = JSON.parse(bytes.toString()) as ForwardedRequest
    const key = keyOf(request.from)
    if (key === undefined || request.to !== self || !(Math.abs(at - request.at) <= MOST_SKEW_MS)) return undefined
    const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
    return verify(null, bytes, publicKey, Buffer.from(signature, 'base64url')) ? request : undefined
  } catch {
    return undefined
  }
}
