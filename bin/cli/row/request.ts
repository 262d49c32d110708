// The request that a row's command makes of what was given on the command line. Pure.
import { pathNames } from '../../../http/api/kit/route.js'
import { EXIT, Exit } from '../output/exit.js'
import { ADDRESS, type RowCommand, type RowRoute } from './describe.js'
import type { Field } from './fields.js'

export interface Given {
  readonly cluster?: string | undefined
  /** By the arguments' names. */
  readonly arguments: Readonly<Record<string, string | undefined>>
  /** By the fields' names: texts, true for what has no value. */
  readonly flags: Readonly<Record<string, unknown>>
}

export interface RowRequest {
  readonly method: string
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
}

export function requestOf(command: RowCommand, given: Given): RowRequest {
  const { route } = command
  const method = methodOf(route)
  const fields = fieldValues(command, given)
  const texts = pathTexts(command, given)
  const path = fillPath(choosePath(route, Object.keys(texts)), texts)
  const query = new URLSearchParams(
    fields
      .filter(([field]) => field.place === 'query')
      .map(([{ name }, value]): [string, string] => [name, String(value)]),
  )
  if (command.queriesCluster && given.cluster !== undefined) query.set('cluster', given.cluster)
  const body = Object.fromEntries(
    fields.filter(([field]) => field.place === 'body').map(([{ name }, it]) => [name, it]),
  )
  return {
    method,
    path: query.size === 0 ? path : `${path}?${query}`,
    ...(method === 'GET' || Object.keys(body).length === 0 ? {} : { body }),
  }
}

/** Actions are posted, whatever else their rows take. */
export const methodOf = ({ methods }: RowRoute): string => (methods.includes('POST') ? 'POST' : (methods[0] ?? 'GET'))

/** The spelling that uses most of what is given, the first one of several. */
function choosePath({ paths }: RowRoute, given: readonly string[]): string {
  const fitting = paths.filter((path) => pathNames(path).every((name) => given.includes(name)))
  const [best] = fitting.toSorted((left, right) => pathNames(right).length - pathNames(left).length)
  return best ?? paths[0]
}

const fillPath = (path: string, texts: Readonly<Record<string, string>>): string =>
  path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(texts[name] ?? ''))

function pathTexts(command: RowCommand, { cluster, arguments: words }: Given): Readonly<Record<string, string>> {
  const texts: Record<string, string> = cluster === undefined ? {} : { cluster }
  for (const { name, field } of command.arguments) {
    const word = words[name]
    if (word === undefined || field !== undefined) continue
    if (name === ADDRESS) Object.assign(texts, splitAddress(word))
    else if (name === 'server' && needsPort(command.route)) Object.assign(texts, asServer(splitAddress(word)))
    else texts[name] = word
  }
  return texts
}

const asServer = ({ host, port }: Address) => ({ server: host, port })

/** Whether every spelling of the row wants the port of its server. */
export const needsPort = ({ paths }: Pick<RowRoute, 'paths'>): boolean =>
  paths.every((path) => /:server\/:port/.test(path))

interface Address {
  readonly host: string
  readonly port: string
}

/** `db1:3306`, `[::1]:3306` → host and port. */
export function splitAddress(text: string): Address {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? []
  if (host === undefined || port === undefined)
    throw new Exit(EXIT.usage, `${text} is not an address of the form host:port`)
  return { host: host.replace(/^\[|\]$/g, ''), port }
}

function fieldValues(command: RowCommand, { arguments: words, flags }: Given): readonly (readonly [Field, unknown])[] {
  const named = command.arguments.flatMap(({ name, field }) =>
    field === undefined || words[name] === undefined ? [] : [[field, words[name]] as const],
  )
  const flagged = command.flags.flatMap((field) =>
    flags[field.name] === undefined ? [] : [[field, flags[field.name]] as const],
  )
  return [...named, ...flagged].map(([field, value]) => [field, parseField(field, value)])
}

/** The value of a field as the wire takes it. */
export function parseField({ kind, flag }: Pick<Field, 'kind' | 'flag'>, value: unknown): unknown {
  const text = String(value)
  if (kind === 'boolean') return value === true || text === 'true'
  if (kind === 'list') return text.split(',').map((word) => word.trim())
  if (kind === 'number') {
    const number = Number(text)
    if (text.trim() === '' || !Number.isFinite(number)) throw new Exit(EXIT.usage, `--${flag}: ${text} is not a number`)
    return number
  }
  if (kind === 'text') return text
  try {
    return JSON.parse(text)
  } catch {
    throw new Exit(EXIT.usage, `--${flag} is not JSON: ${text}`)
  }
}
