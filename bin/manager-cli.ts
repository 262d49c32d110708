// The command line client: a thin face on the REST API.
import { CommanderError } from 'commander'
import { EXIT, Exit } from './cli/output/exit.js'
import { talk } from './cli/output/output.js'
import { createProgram, isByHand } from './cli/program.js'

process.once('SIGINT', () => process.exit(EXIT.interrupted))
// Whoever read the output has left, as in `manager-cli events | head -1`: all that was wanted is done.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(EXIT.ok)
  talk(`standard output: ${message}`)
  process.exit(EXIT.error)
})

try {
  const { routes } = isByHand(process.argv.slice(2)) ? { routes: [] } : await import('../http/api/index.js')
  await createProgram(routes).parseAsync()
} catch (error) {
  process.exitCode = told(error)
}

/** Tells what went wrong, unless that was done, and answers the status. */
function told(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  const message = error instanceof Error ? error.message : String(error)
  if (message !== '') talk(message)
  return error instanceof Exit ? error.status : EXIT.error
}
