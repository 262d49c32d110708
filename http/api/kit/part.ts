// A part of a long list, as the query asks for it: which entries, how many of them, from where on. Pure.
import * as z from 'zod'
import { wholeNumber } from './input.js'
import type { ListTraits } from './route.js'

/** What a client asks of a list; nothing of it: the whole list, as it is. */
export interface PartRequest {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  /** Kept are entries that hold this text in any of their values, whatever the case. */
  readonly filter?: string | undefined
  /** Kept are entries whose field equals the text but for case. */
  readonly fields: Readonly<Record<string, string>>
}

export interface Part {
  /** The body with the entries that were asked for in place of all. */
  readonly body: unknown
  /** Entries that the filters keep; those of the part are some of them. */
  readonly total: number
  /** Where the next part begins; none after the last. */
  readonly next?: number
}

const MOST = 10_000

/** The query parameters of a list. */
export const partQuery = ({ fields = [] }: ListTraits) =>
  z.object({
    limit: wholeNumber({ min: 0, max: MOST }).optional().meta({ description: 'So many entries at most.' }),
    offset: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER })
      .optional()
      .meta({ description: 'Leave out so many entries first.' }),
    filter: z.string().max(1_000).optional().meta({ description: 'Only entries that hold this text.' }),
    ...Object.fromEntries(
      fields.map((field) => [
        field,
        z
          .string()
          .max(1_000)
          .optional()
          .meta({ description: `Only entries whose ${field} is this.` }),
      ]),
    ),
  })

/** What the parsed query asks for; undefined when it asks for nothing of the kind. */
export function partRequestOf(
  query: Readonly<Record<string, unknown>>,
  { fields = [] }: ListTraits,
): PartRequest | undefined {
  const { limit, offset, filter } = query as Pick<PartRequest, 'limit' | 'offset' | 'filter'>
  const equal = fields.filter((field) => query[field] !== undefined).map((field) => [field, String(query[field])])
  if (limit === undefined && offset === undefined && filter === undefined && equal.length === 0) return undefined
  return { limit, offset, filter, fields: Object.fromEntries(equal) }
}

/** Takes the part out of a body: of the list that it is, or of the one in its field `at`. */
export function takePart(body: unknown, { at }: ListTraits, request: PartRequest): Part {
  const list = at === undefined ? body : (body as Readonly<Record<string, unknown>> | null)?.[at]
  if (!Array.isArray(list)) return { body, total: 0 }
  const kept = list.filter((entry) => isWanted(entry, request))
  const { offset = 0, limit = kept.length } = request
  const entries = kept.slice(offset, offset + limit)
  const next = offset + entries.length
  return {
    body: at === undefined ? entries : { ...(body as object), [at]: entries },
    total: kept.length,
    ...(entries.length > 0 && next < kept.length ? { next } : {}),
  }
}

function isWanted(entry: unknown, { filter, fields }: PartRequest): boolean {
  const same = Object.entries(fields).every(
    ([field, wanted]) => lower(plainOf(fieldOf(entry, field))) === lower(wanted),
  )
  return same && (filter === undefined || holds(entry, lower(filter)))
}

const fieldOf = (entry: unknown, field: string): unknown =>
  typeof entry === 'object' && entry !== null ? (entry as Readonly<Record<string, unknown>>)[field] : undefined

/** The value of an object that represents a nullable column. */
function plainOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('Valid' in value)) return value
  const [inner] =
    Object.entries(value)
      .find(([key]) => key !== 'Valid')
      ?.slice(1) ?? []
  return value.Valid === true ? inner : ''
}

function holds(value: unknown, text: string): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some((inner) => holds(inner, text))
  return lower(value).includes(text)
}

const lower = (value: unknown): string => String(value ?? '').toLowerCase()
