// Parses words as the command line client does, and stops before anything is done.
import type { Command } from 'commander'
import { createProgram } from '../../../bin/cli/program.js'
import { rowCommands } from '../../../bin/cli/row/row-commands.js'

/** Throws the error of the parser (`code` begins with `commander.`) for what the client would refuse. */
export async function parseLine(words: readonly string[]): Promise<void> {
  const program = createProgram(rowCommands)
  const quiet = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
    // `drift` has verbs, and shows a server without one.
    if (command.commands.length === 0 || command.registeredArguments.length > 0) command.action(() => undefined)
    command.commands.forEach(quiet)
  }
  for (const command of program.commands) quiet(command)
  program.exitOverride().configureOutput({ writeErr: () => undefined })
  await program.parseAsync([...words], { from: 'user' })
}
