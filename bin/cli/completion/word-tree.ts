// Which words are allowed at each position of the command line, from the command tree: for every shell's completion.
import type { Argument, Command, Option } from 'commander'
import { conditionKinds } from '../kit/condition.js'
import { type NameKind, nameKinds } from '../kit/names.js'

/** Where the words of a place come from. */
export type Offer =
  | { readonly type: 'words'; readonly words: readonly string[] }
  | { readonly type: 'names'; readonly kind: NameKind }
  | { readonly type: 'files' }
  /** Only its user knows. */
  | { readonly type: 'nothing' }

/** A command, or the program itself (its path is empty). */
export interface Place {
  readonly path: string
  readonly verbs: readonly Verb[]
  readonly flags: readonly Flag[]
  /** What its arguments are, in order. */
  readonly arguments: readonly Offer[]
}

export interface Verb {
  readonly name: string
  readonly text: string
}

export interface Flag {
  /** `--output`, and its short form. */
  readonly spellings: readonly string[]
  readonly text: string
  /** Of a flag that takes one. */
  readonly value?: Offer
}

export const readPlaces = (program: Command): readonly Place[] => [
  placeOf('', program),
  ...shownCommands(program).flatMap((command) => [
    placeOf(command.name(), command),
    ...shownCommands(command).map((inner) => placeOf(`${command.name()} ${inner.name()}`, inner)),
  ]),
]

/** Commands that are shown in help. */
export function shownCommands(program: Command): readonly Command[] {
  const visible = program.createHelp().visibleCommands(program)
  return program.commands.filter((command) => visible.includes(command))
}

const placeOf = (path: string, place: Command): Place => ({
  path,
  verbs: shownCommands(place).map((command) => ({
    name: command.name(),
    text: command.summary() || command.description(),
  })),
  flags: place.options.map(flagOf),
  arguments: place.registeredArguments.map(argumentOffer),
})

function flagOf(option: Option): Flag {
  const { short, long, description, required } = option
  const spellings = [short, long].filter((spelling) => typeof spelling === 'string')
  return { spellings, text: description, ...(required ? { value: valueOffer(option) } : {}) }
}

const nothing: Offer = { type: 'nothing' }

const argumentOffer = (argument: Argument): Offer =>
  argument.argChoices ? { type: 'words', words: argument.argChoices } : namesOffer(argument.name())

/** `--to <server>` takes a server, `--cluster` a cluster, `--file <file>` a file. */
function valueOffer({ flags, long, argChoices }: Option): Offer {
  if (argChoices) return { type: 'words', words: argChoices }
  if (long === '--for')
    return { type: 'words', words: Object.values(conditionKinds).map(({ form }) => beginning(form)) }
  const shown = /<([\w-]+)>/.exec(flags)?.[1] ?? ''
  if (shown === 'file') return { type: 'files' }
  const named = namesOffer(shown)
  return named.type === 'nothing' ? namesOffer(long?.slice(2) ?? '') : named
}

/** `primary=SERVER` → `primary=`; `healthy[=SERVER]` → `healthy`. */
const beginning = (form: string): string => form.replace(/\[.*|(?<==).*/, '')

const namesOffer = (word: string): Offer =>
  Object.hasOwn(nameKinds, word) ? { type: 'names', kind: word as NameKind } : nothing
