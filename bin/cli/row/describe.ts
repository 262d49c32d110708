// What a route row is on the command line: its name, its arguments in order, its flags, and whether it is asked about.
import * as z from 'zod'
import { isRead, pathNames, type Route } from '../../../http/api/kit/route.js'
import { type Gravity, gravityOf } from '../kit/gravity.js'
import type { OwnNames } from '../output/own-words.js'
import { clusterField, type Field, fieldsOf } from './fields.js'
import { type CommandName, commandName } from './name.js'

export interface RowArgument {
  /** Of the path, or of the body; `address` combines host and port. */
  readonly name: string
  readonly required: boolean
  readonly choices?: readonly string[]
  /** The body's field that it gives. */
  readonly field?: Field
}

/** What the client uses of a route row: plain data, so that the build can keep it instead of the rows. */
export interface RowRoute extends Pick<Route, 'id' | 'methods' | 'paths' | 'summary' | 'grant'> {
  readonly reply: Pick<Route['reply'], 'type'>
}

export interface RowCommand extends CommandName {
  readonly route: RowRoute
  /** The query takes the name of the cluster. */
  readonly queriesCluster: boolean
  readonly arguments: readonly RowArgument[]
  readonly flags: readonly Field[]
  /** The cluster comes from `--cluster`, or is the only one. */
  readonly ofCluster: boolean
  /** How destructive it is; decides about the confirmation. */
  readonly gravity: Gravity
}

export const ADDRESS = 'address'

export function describeRow(route: Route): RowCommand {
  const names = namesOf(route)
  const own = endsInCluster(route)
  const fields = fieldsOf(route).filter(({ name }) => name !== clusterField)
  const params = names.filter((name) => own || name !== 'cluster').map((name) => parameter(route, name, fields))
  const rest = fields.filter(({ name }) => !names.includes(name))
  const needed = rest.filter(({ required, secret, kind }) => required && !secret && kind !== 'json')
  return {
    ...commandName(route),
    route: routeOf(route),
    queriesCluster: route.query?.shape.cluster !== undefined,
    arguments: [...params.filter(({ required }) => required), ...needed.map(asArgument), ...params.filter(isOptional)],
    flags: rest.filter((field) => !needed.includes(field)),
    ofCluster: names.includes('cluster') && !own,
    gravity: isRead(route) ? 'none' : gravityOf(commandName(route).verb),
  }
}

/** What the fields of its request are called on the command line. */
export const ownNames = ({ arguments: words, flags }: Pick<RowCommand, 'arguments' | 'flags'>): OwnNames => ({
  ...Object.fromEntries(words.map(({ name }) => [name, shownArgument(name)])),
  ...(words.some(({ name }) => name === ADDRESS) ? { host: shownArgument(ADDRESS), port: shownArgument(ADDRESS) } : {}),
  ...Object.fromEntries(flags.map(({ name, flag }) => [name, `--${flag}`])),
})

/** `<host:port>`, `<backup-method>`. */
const shownArgument = (name: string): string => `<${argumentWord(name)}>`

/** Of an argument, as the usage shows it. */
export const argumentWord = (name: string): string =>
  name === ADDRESS ? 'host:port' : name.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase()

const routeOf = ({ id, methods, paths, summary, grant, reply }: Route): RowRoute => ({
  ...{ id, methods, paths, summary, grant },
  reply: { type: reply.type },
})

/** Names of the parameters: a port belongs to the server or the host before it. */
function namesOf({ paths }: Route): readonly string[] {
  const [longest = []] = paths.map(pathNames).toSorted((left, right) => right.length - left.length)
  return longest.filter((name) => name !== 'port').map((name) => (name === 'host' ? ADDRESS : name))
}

function parameter({ paths, params }: Route, name: string, fields: readonly Field[]): RowArgument {
  const choices = choicesOf(params, name)
  const field = fields.find((each) => each.name === name && each.place === 'body')
  const onWire = name === ADDRESS ? 'host' : name
  return {
    name,
    // What has two states is never toggled by the client: what a terminal shows may be old.
    required: name === 'state' || paths.every((path) => pathNames(path).includes(onWire)),
    ...(choices === undefined ? {} : { choices: name === 'state' ? ['on', 'off'] : choices }),
    ...(field === undefined ? {} : { field }),
  }
}

const isOptional = ({ required }: RowArgument): boolean => !required

const asArgument = (field: Field): RowArgument => ({
  name: field.name,
  required: true,
  field,
  ...(field.choices === undefined ? {} : { choices: field.choices }),
})

/** An action whose path names the cluster last is about the cluster itself: it must be named. */
const endsInCluster = (route: Route): boolean => !isRead(route) && route.paths[0].endsWith('/:cluster')

function choicesOf(params: z.ZodObject | undefined, name: string): readonly string[] | undefined {
  const shape = params?.shape[name]
  if (shape === undefined) return undefined
  const { enum: choices } = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' })
  return choices?.map(String)
}
