// A webhook that receives alerts as JSON, signed as standardwebhooks.com describes: HMAC-SHA256 of id, time and body.
import { createHmac } from 'node:crypto'
import { reveal } from '../../base/secret.js'
import { now, SECOND } from '../../base/time.js'
import type { AlertMessage } from '../../model/alert.js'
import { type Channel, hostOf } from './channel.js'
import { postMessage } from './post.js'

export const webhook: Channel = {
  name: 'webhook',
  finding: 'WARN0370',
  receiver: (settings) => reveal(settings['alert-webhook-url']) || undefined,
  shown: (settings) => hostOf(reveal(settings['alert-webhook-url'])),
  send: (settings, message) => {
    const body = renderWebhook(message)
    const timestamp = Math.floor(now() / SECOND)
    const headers = signedHeaders({ id: message.id, timestamp, body, key: reveal(settings['alert-webhook-secret']) })
    return postMessage({ url: reveal(settings['alert-webhook-url']), body, headers })
  },
}

/** The body: `type` is `ALERT`, `ALERTOK` or `TEST`; a repetition has the same `id`. */
export const renderWebhook = ({ id, at, level, kind, clusters, codes, title, text }: AlertMessage): string =>
  JSON.stringify({
    type: kind === 'test' ? 'TEST' : level,
    timestamp: new Date(at).toISOString(),
    data: { id, escalated: kind === 'escalation', clusters, codes, title, text },
  })

export interface Signing {
  readonly id: string
  /** Seconds since the epoch, of the sending. */
  readonly timestamp: number
  readonly body: string
  /** Empty: the message is not signed. `whsec_` and base64, or any text. */
  readonly key: string
}

/** `webhook-signature: v1,<base64>`; receivers compare it, and refuse an old `webhook-timestamp`. */
export function signedHeaders({ id, timestamp, body, key }: Signing): Readonly<Record<string, string>> {
  const plain = { 'webhook-id': id, 'webhook-timestamp': String(timestamp) }
  if (key === '') return plain
  const bytes = key.startsWith('whsec_') ? Buffer.from(key.slice(6), 'base64') : Buffer.from(key)
  const signature = createHmac('sha256', bytes).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { ...plain, 'webhook-signature': `v1,${signature}` }
}
