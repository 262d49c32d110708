// One run of the command line client, from its words to its exit status.
import { CommanderError } from 'commander'
import { EXIT, Exit } from './output/exit.js'
import { talk } from './output/output.js'
import { createProgram, isByHand } from './program.js'

/** Runs the command that the words name; writes to the process's streams and gives the exit status, and never throws. */
export async function runClient(words: readonly string[]): Promise<number> {
  try {
    const rows = isByHand(words) ? [] : (await import('./row/row-commands.js')).rowCommands
    await createProgram(rows).parseAsync([...words], { from: 'user' })
    return EXIT.ok
  } catch (error) {
    return report(error)
  }
}

/** Prints what went wrong, unless that was done, and gives the status. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  const message = error instanceof Error ? error.message : String(error)
  if (message !== '') talk(message)
  return error instanceof Exit ? error.status : EXIT.error
}
