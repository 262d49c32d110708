// Help after a faulty command line: usage, allowed words, and the command that prints details.
import type { Command } from 'commander'
import { wrap } from '../output/table.js'

const WIDTH = 80

/** Adds its usage advice to every command of the tree. */
export function adviseAfterErrors(command: Command, path: readonly string[] = [command.name()]): void {
  command.showHelpAfterError(adviceOf(command, path).join('\n'))
  for (const each of command.commands) adviseAfterErrors(each, [...path, each.name()])
}

function adviceOf(command: Command, path: readonly string[]): readonly string[] {
  const name = path.join(' ')
  const words =
    path.length > 1 && command.commands.length > 0
      ? [['verbs', command.commands.map((each) => each.name())] as const]
      : []
  const choices = command.registeredArguments.flatMap((each) =>
    each.argChoices === undefined ? [] : [[each.name(), each.argChoices] as const],
  )
  return [
    ...(command.commands.length > 0 ? [] : wrap(`Usage: ${name} ${command.usage()}`, WIDTH)),
    ...[...words, ...choices].flatMap(([what, allowed]) => wrap(`${what}: ${allowed.join(', ')}`, WIDTH)),
    `${name} --help shows the details.`,
  ]
}
