// The command line client: a thin client of the REST API.
import { EXIT } from './cli/output/exit.js'
import { talk } from './cli/output/output.js'
import { runClient } from './cli/run.js'

process.once('SIGINT', () => process.exit(EXIT.interrupted))
// The reader of the output has left, as in `manager-cli events | head -1`: everything it wanted is done.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(EXIT.ok)
  talk(`standard output: ${message}`)
  process.exit(EXIT.error)
})

process.exitCode = await runClient(process.argv.slice(2))
