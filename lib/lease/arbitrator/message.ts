// What managers and the arbitrator send each other: JSON, signed on both sides with a secret that is never sent.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import type { Ruling } from './decide.js'

export const SIGNATURE = 'x-manager-signature'
export const PATH = '/arbitrator'

/** Most bytes of a message. */
export const MOST_BYTES = 1 << 20

const name = z.string().min(1).max(200)
const count = z.number().int().min(0).max(1e9)
const since = z.number().min(0).max(1e13)

export const requestSchema = z.strictObject({
  /** Of the arbitrator's process: repeated from its latest reply, so that a request is good for one process only. */
  challenge: z.string().max(100),
  session: name,
  uid: count,
  /** Greater with each request of the session. */
  sequence: z.number().int().min(1),
  reports: z
    .array(
      z.strictObject({
        cluster: name,
        primary: z.string().max(300),
        failing: z.boolean(),
        sinceMs: since,
        alive: count,
        servers: count,
        split: z.boolean(),
        term: count,
      }),
    )
    .max(2_000),
  /** Grants that it gives back, having stopped acting. */
  releases: z.array(z.strictObject({ cluster: name, term: count })).max(2_000),
})

export type ArbitratorRequest = z.infer<typeof requestSchema>

const winner = { winner: count.optional(), primary: z.string().max(300).optional() }

const replySchema = z.object({
  challenge: z.string().max(100),
  /** Absent where the challenge was another one: the request is sent again with this one. */
  rulings: z
    .array(
      z.object({
        cluster: name,
        ruling: z.discriminatedUnion('type', [
          z.object({ type: z.literal('won'), term: count, leaseMs: count, confirmed: z.boolean() }),
          z.object({ type: z.literal('lost'), term: count, reason: z.enum(['held', 'better', 'starting']), ...winner }),
        ]),
      }),
    )
    .optional(),
})

export interface ArbitratorReply {
  readonly challenge: string
  readonly rulings?: readonly { readonly cluster: string; readonly ruling: Ruling }[]
}

export function parseReply(text: string): ArbitratorReply | undefined {
  try {
    const parsed = replySchema.safeParse(JSON.parse(text))
    return parsed.success ? (parsed.data as ArbitratorReply) : undefined
  } catch {
    return undefined
  }
}

/** By what the arbitrator distinguishes fleets; the secret cannot be computed from it where that is a long random text. */
export const fleetOf = (secret: string): string => createHash('sha256').update(`fleet\n${secret}`).digest('hex')

export const signRequest = (secret: string, body: string): string => sign(secret, `request\n${body}`)

/** The reply to one request, which the signature of the request stands for. */
export const signReply = (secret: string, request: string, body: string): string =>
  sign(secret, `reply\n${request}\n${body}`)

export const isSignature = (given: string, expected: string): boolean =>
  given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))

const sign = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex')
