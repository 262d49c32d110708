// An API token as clients see it: what it opens, since when, until when, and who used it last.
import * as z from 'zod'
import { type ApiToken, isTokenLive } from '../../../../lib/access/api-token.js'
import { isoTime } from '../../../../lib/base/time.js'

const time = z.string().nullable().describe('RFC 3339, UTC; null for never')

export const tokenRecordSchema = z
  .object({
    id: z.string().describe('24 hexadecimal digits'),
    user: z.string(),
    label: z.string(),
    grants: z.array(z.string()).describe('words as in an access list; empty: everything its owner holds'),
    clusters: z.array(z.string()).describe('empty: every cluster'),
    createdAt: time,
    createdFrom: z.string(),
    expiresAt: time,
    lastUsedAt: time,
    lastUsedFrom: z.string(),
    revokedAt: time,
    revokedBy: z.string(),
    expired: z.boolean(),
    revoked: z.boolean(),
    token: z.string().optional().describe('shown once, when it is created'),
  })
  .meta({ id: 'ApiToken' })

export type TokenRecord = z.infer<typeof tokenRecordSchema>

export function renderToken(token: ApiToken, at: number): TokenRecord {
  const { id, user, label, createdFrom, expiresAt, lastUsedAt, lastUsedFrom = '', revokedAt, revokedBy = '' } = token
  const timeOf = (moment: number | undefined) => (moment === undefined ? null : isoTime(moment))
  return {
    ...{ id, user, label, createdFrom, lastUsedFrom, revokedBy },
    grants: [...token.grants],
    clusters: [...token.clusters],
    createdAt: timeOf(token.createdAt),
    expiresAt: timeOf(expiresAt),
    lastUsedAt: timeOf(lastUsedAt),
    revokedAt: timeOf(revokedAt),
    expired: revokedAt === undefined && !isTokenLive(token, at),
    revoked: revokedAt !== undefined,
  }
}
