// The fields of a row's query and body as flags of a command: names, kinds and what they mean, read off the schemas.
import * as z from 'zod'
import { partQuery } from '../../../http/api/kit/part.js'
import type { Route } from '../../../http/api/kit/route.js'

/** `json` takes any JSON text; `list` words with commas between them. */
export type FieldKind = 'boolean' | 'number' | 'text' | 'list' | 'json'

export interface Field {
  /** On the wire. */
  readonly name: string
  /** On the command line, without dashes in front. */
  readonly flag: string
  readonly place: 'query' | 'body'
  readonly kind: FieldKind
  readonly required: boolean
  /** Typed unseen where it is needed and not given. */
  readonly secret: boolean
  readonly text: string
  readonly choices?: readonly string[]
  /** What holds without it, for the help. */
  readonly otherwise?: string
}

/** What the flags of all commands are called: a field of that name is given by another one, `renamed`. */
const taken: readonly string[] = [
  ...['host', 'port', 'user', 'password', 'cacert', 'insecure', 'output', 'query', 'watch', 'interval', 'yes'],
  ...['api-token', 'help', 'version', 'file'],
]

/** The flag `--cluster` of all commands gives a field of that name. */
export const clusterField = 'cluster'

export const fieldsOf = ({ query, body, reply }: Pick<Route, 'query' | 'body' | 'reply'>): readonly Field[] => [
  ...fieldsIn(query, 'query'),
  ...fieldsIn(body, 'body'),
  ...(reply.list ? fieldsIn(partQuery(reply.list), 'query') : []),
]

interface Shape {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly default?: unknown
}

interface Shapes {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
}

function fieldsIn(schema: z.ZodType | undefined, place: Field['place']): readonly Field[] {
  if (!schema) return []
  const sent = shapesOf(schema, 'input')
  const parsed = shapesOf(schema, 'output').properties ?? {}
  return Object.entries(sent.properties ?? {}).map(([name, shape]): Field => {
    const choices = shape.enum?.map(String)
    return {
      name,
      flag: flagOf(name, place),
      place,
      kind: kindOf(shape, parsed[name]),
      required: sent.required?.includes(name) ?? false,
      secret: /password|secret|credential/i.test(name),
      text: shape.description?.replace(/\.$/, '') ?? words(name),
      ...(choices === undefined ? {} : { choices }),
      ...(isWorthTelling(shape.default) ? { otherwise: String(shape.default) } : {}),
    }
  })
}

const shapesOf = (schema: z.ZodType, io: 'input' | 'output'): Shapes =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Shapes

/** Texts that are read as yes or no are flags without a value. */
function kindOf(sent: Shape, parsed: Shape | undefined): FieldKind {
  if (sent.type === 'boolean' || parsed?.type === 'boolean') return 'boolean'
  if (sent.type === 'integer' || sent.type === 'number') return 'number'
  if (sent.type === 'array') return 'list'
  return sent.type === 'object' ? 'json' : 'text'
}

/** What is sent is new, what is asked for picks. */
function flagOf(name: string, place: Field['place']): string {
  const flag = kebab(name)
  if (!taken.includes(flag)) return flag
  return place === 'body' ? `new-${flag}` : `of-${flag}`
}

/** Whether its flag is called otherwise because all commands have one of its name. */
export const isRenamed = ({ name, flag }: Field): boolean => flag !== kebab(name)

const kebab = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()

const words = (name: string): string => kebab(name).replaceAll('-', ' ')

const isWorthTelling = (value: unknown): boolean =>
  value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
