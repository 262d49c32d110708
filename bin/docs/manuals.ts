// The pages of the manual in dist/man, printed from the command tree: one of the client, one of each of its nouns.
import type { Command, Option } from 'commander'
import { packageVersion } from '../../lib/base/package-root.js'
import { shownCommands } from '../cli/completion/word-tree.js'
import { keys } from '../cli/console/keys.js'
import { conditionKinds } from '../cli/kit/condition.js'
import { exitTexts } from '../cli/output/exit.js'
import { queryHelp } from '../cli/output/query.js'
import { isNoun } from '../cli/row/add.js'

/** The pages by their file names, in troff with the macros of man(7). */
export function printManuals(program: Command): Readonly<Record<string, string>> {
  const nouns = program.commands.filter(isNoun)
  return Object.fromEntries([
    [`${program.name()}.1`, printProgram(program, nouns)],
    ...nouns.map((noun) => [`${program.name()}-${noun.name()}.1`, printNoun(program, noun)]),
  ])
}

function printProgram(program: Command, nouns: readonly Command[]): string {
  const name = program.name()
  return page([
    ...head(name, 'client of the replication manager'),
    '.SH SYNOPSIS',
    `.B ${dash(name)}`,
    '.RI [ flags ]',
    '.I command',
    '.RI [ words ]',
    '.br',
    `.B ${dash(name)}`,
    '.RI [ flags ]',
    '.I noun verb',
    '.RI [ words ]',
    '.SH DESCRIPTION',
    text(
      'Client of the REST API of the replication manager. Results go to standard output, everything else to standard error. Flags are allowed before or after the command.',
    ),
    '.SH COMMANDS',
    ...shownCommands(program)
      .filter((command) => !isNoun(command))
      .flatMap(commandLines),
    '.SH NOUNS',
    text('Every path of the API is a noun and a verb; each noun has a separate page.'),
    ...nouns.flatMap((noun) => [
      '.TP',
      `.BR ${dash(`${name}-${noun.name()}`)} (1)`,
      text(noun.commands.map((verb) => verb.name()).join(', ')),
    ]),
    '.SH OPTIONS',
    ...program.options.flatMap(optionLines),
    '.SH CONSOLE KEYS',
    ...Object.values(keys).flatMap((key) => ['.TP', `.B ${dash(key.keys)}`, text(capital(`${key.text}.`))]),
    '.SH CONDITIONS',
    text('Conditions of wait:'),
    ...Object.values(conditionKinds).flatMap(({ form, meaning }) => [
      '.TP',
      `.B ${dash(form)}`,
      text(capital(`${meaning}.`)),
    ]),
    '.SH QUERIES',
    text('The JMESPath expression of --query selects a part of the result:'),
    ...queryHelp.flatMap(([form, meaning]) => [
      '.TP',
      `.B ${dash(quoted(form.replaceAll('`', '')))}`,
      text(capital(`${meaning}.`)),
    ]),
    '.SH EXIT STATUS',
    ...exitTexts.flatMap(([status, meaning]) => ['.TP', `.B ${status}`, text(capital(`${meaning}.`))]),
    '.SH ENVIRONMENT',
    ...program.options.flatMap(({ envVar, long }) =>
      envVar === undefined ? [] : ['.TP', `.B ${envVar}`, text(`Used when ${long} is not given.`)],
    ),
    '.TP',
    '.B NO_COLOR',
    text('Disables colours, whatever its value.'),
    '.SH FILES',
    '.TP',
    `.I ${dash('~/.config/manager/sessions.json')}`,
    text('Stored tokens, mode 0600; below XDG_CONFIG_HOME if that is set.'),
  ])
}

function printNoun(program: Command, noun: Command): string {
  const name = `${program.name()}-${noun.name()}`
  return page([
    ...head(name, `verbs of the noun ${noun.name()}`),
    '.SH SYNOPSIS',
    `.B ${dash(`${program.name()} ${noun.name()}`)}`,
    '.I verb',
    '.RI [ words ]',
    '.RI [ flags ]',
    '.SH VERBS',
    ...noun.commands.flatMap(commandLines),
    '.SH SEE ALSO',
    `.BR ${dash(program.name())} (1)`,
    text('describes the flags of all verbs and the exit status.'),
  ])
}

/** One command: its words, what it does, its arguments and flags. */
function commandLines(command: Command): readonly string[] {
  const words = command.registeredArguments.map((argument) => {
    const shown = `${argument.name()}${argument.variadic ? '...' : ''}`
    return argument.required ? `<${shown}>` : `[${shown}]`
  })
  const [first = '', ...others] = paragraphs(command.description())
  return [
    `.SS ${dash(quoted([command.name(), ...words].join(' ')))}`,
    text(capital(first.endsWith('.') ? first : `${first}.`)),
    ...others.flatMap((other) => ['.PP', text(other)]),
    ...command.registeredArguments
      .filter(({ description }) => description !== '')
      .flatMap((argument) => [
        '.TP',
        `.I ${dash(argument.name())}`,
        text(withChoices(capital(argument.description), argument.argChoices)),
      ]),
    ...command.options.flatMap(optionLines),
    ...command.commands.flatMap((inner) => [
      '.TP',
      `.B ${dash(`${command.name()} ${inner.name()}`)}`,
      text(capital(`${inner.description()}.`)),
    ]),
  ]
}

const paragraphs = (description: string): readonly string[] =>
  description
    .split('\n\n')
    .flatMap((block) => (block.includes('\nGrant: ') ? block.split('\n') : [block.replaceAll('\n', ' ')]))

const optionLines = (option: Option): readonly string[] => [
  '.TP',
  `.B ${dash(quoted(option.flags))}`,
  text(withChoices(capital(option.description), option.argChoices)),
]

const withChoices = (said: string, choices: readonly string[] | undefined): string =>
  `${said}${choices === undefined ? '' : `: ${choices.join(', ')}`}.`

const head = (name: string, what: string): readonly string[] => [
  `.\\" Printed from the command tree; created by the build.`,
  `.TH ${name.toUpperCase().replaceAll('-', '\\-')} 1 "" "manager ${packageVersion}" "User Commands"`,
  '.ad l',
  '.SH NAME',
  `${dash(name)} \\- ${what}`,
]

const page = (lines: readonly string[]): string => `${lines.filter((line) => line !== '').join('\n')}\n`

/** Plain text for troff: without requests and escapes; characters beyond ASCII by their numbers. */
function text(plain: string): string {
  const line = dash(plain)
  return /^[.']/.test(line) ? `\\&${line}` : line
}

const dash = (plain: string): string =>
  plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replace(
      /[^\x20-\x7e]/gu,
      (character) => `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    )

/** An argument of a macro, blanks and quotes in it. */
const quoted = (plain: string): string => (/[ "]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain)

const capital = (said: string): string => said.charAt(0).toUpperCase() + said.slice(1)
