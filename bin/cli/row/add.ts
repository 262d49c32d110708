// The nouns of the client with their verbs: a command for every route row, below those that are written by hand.
import { Argument, Command, Option } from 'commander'
import type { Route } from '../../../http/api/kit/route.js'
import type { Context } from '../kit/context.js'
import { yesFlag } from '../kit/gravity.js'
import { canWatch } from '../kit/watchable.js'
import { EXIT, Exit } from '../output/exit.js'
import { act, type RowOptions } from './act.js'
import { ADDRESS, argumentWord, type RowArgument, type RowCommand } from './describe.js'
import { type Field, isRenamed } from './fields.js'
import { methodOf } from './request.js'

const NOUNS = 'Every address of the interface, by noun and verb:'

/** Whether a command of the program is a noun of the rows. */
export const isNoun = (command: Command): boolean => command.commands.length > 0 && command.helpGroup() === NOUNS

export function addRows(program: Command, commands: readonly RowCommand[], context: Context): void {
  for (const command of commands) addRow(nounOf(program, command.noun), command, context)
}

/** The group of a noun: one that is written by hand takes further verbs. */
function nounOf(program: Command, noun: string): Command {
  const found = program.commands.find((command) => command.name() === noun)
  if (found) return found
  const made = new Command(noun).copyInheritedSettings(program).helpGroup(NOUNS)
  program.addCommand(made.summary('').description(`${noun}: verbs`))
  return made
}

function addRow(noun: Command, command: RowCommand, context: Context): void {
  const { route, verb, gravity } = command
  const made = noun.command(verb).summary(firstSentence(route.summary)).description(descriptionOf(command))
  for (const argument of command.arguments) made.addArgument(asArgument(argument))
  for (const field of command.flags) made.addOption(asOption(field))
  if (downloads.includes(route.reply.type)) made.option('--file <file>', 'write the result to this file')
  if (gravity !== 'none') made.option(...yesFlag)
  if (methodOf(route) === 'GET' && shown.includes(route.reply.type)) canWatch(made)
  noun.summary(verbsOf(noun))
  made.action((...given: readonly unknown[]) => {
    const words = given.slice(0, command.arguments.length) as readonly (string | undefined)[]
    refuseMistaken(command, { options: made.opts(), typed: (name) => isTyped(noun, name) })
    return act(command, { ...readGiven(command, words, made.opts()), options: made.opts<RowOptions>() }, context)
  })
}

/** What is printed as a whole, and can be printed again. */
const shown: readonly Route['reply']['type'][] = ['json', 'view', 'text', 'page']

const downloads: readonly Route['reply']['type'][] = ['bytes', 'metrics']

/** The first verbs, for the list of nouns. */
function verbsOf({ commands }: Command): string {
  const names = commands.map((command) => command.name())
  return names.length <= FEW ? names.join(', ') : `${names.slice(0, FEW).join(', ')}, … (${names.length})`
}

const FEW = 5

/** On the command line, not by the environment. */
const isTyped = (noun: Command, name: string): boolean => noun.parent?.getOptionValueSource(name) === 'cli'

interface Typed {
  readonly options: Readonly<Record<string, unknown>>
  readonly typed: (name: string) => boolean
}

/** `user add ann --password …` uses it for the login and would create a user without a password: refused. */
function refuseMistaken({ flags }: RowCommand, { options, typed }: Typed): void {
  const meant = flags.find(
    (field) =>
      field.place === 'body' && isRenamed(field) && options[camel(field.flag)] === undefined && typed(field.name),
  )
  if (meant === undefined) return
  const { name, flag } = meant
  const own = `MANAGER_${name.toUpperCase()}`
  throw new Exit(EXIT.usage, `--${name} is used for the login (prefer ${own}); use --${flag} for the value to send`)
}

function readGiven(
  command: RowCommand,
  words: readonly (string | undefined)[],
  options: Readonly<Record<string, unknown>>,
) {
  const flags = command.flags.map(({ name, flag }) => [name, options[camel(flag)]] as const)
  const needed = command.flags.find(
    ({ required, secret, name }) => required && !secret && !Object.fromEntries(flags)[name],
  )
  if (needed) throw new Exit(EXIT.usage, `--${needed.flag} is missing`)
  return {
    arguments: Object.fromEntries(command.arguments.map(({ name }, index) => [name, words[index]])),
    flags: Object.fromEntries(flags.filter(([, value]) => value !== undefined)),
  }
}

const camel = (flag: string): string => flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

function asArgument({ name, required, choices, field }: RowArgument): Argument {
  const shown = argumentWord(name)
  const argument = new Argument(required ? `<${shown}>` : `[${shown}]`, meaningOf(name, field))
  return choices === undefined ? argument : argument.choices(choices)
}

const meaningOf = (name: string, field: Field | undefined): string =>
  meanings[name] ?? field?.text ?? name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()

const meanings: Readonly<Record<string, string>> = {
  server: 'a server: its id, its name, or host:port',
  proxy: 'a proxy: its id, its name, or host:port',
  [ADDRESS]: 'its address, host:port',
  setting: 'the setting, as in settings.md',
  value: 'its new value',
  state: 'on or off',
  tag: 'the tag, as in tags.md',
  change: 'number of the change in the history',
  variable: 'the variable; `all` selects every difference',
  job: 'number of the job',
  cluster: 'the cluster',
  token: 'id of the token',
}

function asOption({ flag, kind, text, choices, otherwise }: Field): Option {
  const said = otherwise === undefined ? text : `${text} (default: ${otherwise})`
  const value =
    kind === 'boolean'
      ? ''
      : kind === 'number'
        ? ' <number>'
        : kind === 'list'
          ? ' <a,b>'
          : kind === 'json'
            ? ' <json>'
            : ' <text>'
  const option = new Option(`--${flag}${value}`, said)
  return choices === undefined ? option : option.choices(choices)
}

const firstSentence = (summary: string): string =>
  lowerFirst(summary.replace(/\.$/, '').split(/[:;]\s/, 1)[0] ?? summary)

const lowerFirst = (text: string): string => text.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())

const descriptionOf = ({ route }: RowCommand): string =>
  `${route.summary}\n\n${route.methods.join(', ')} ${route.paths[0]}\nGrant: ${grantText(route.grant)}`

const grantText = (grant: Route['grant']): string =>
  grant === 'none' ? 'none' : grant === 'token' ? 'any' : [grant].flat().join(' or ')
