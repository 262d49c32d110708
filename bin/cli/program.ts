// The command tree of the client: help, completion and the manual's page are printed from it.
import { Argument, Command } from 'commander'
import type { Session } from '../../http/client/session.js'
import { packageVersion } from '../../lib/base/package-root.js'
import { addApi } from './command/api.js'
import { addBootstrap } from './command/bootstrap.js'
import { addBootstrapToken } from './command/bootstrap-token.js'
import { addCheckServers } from './command/check-servers.js'
import { addConfiguration } from './command/configuration.js'
import { addDrift } from './command/drift.js'
import { addEvents } from './command/events.js'
import { addExplain } from './command/explain.js'
import { addFleet } from './command/fleet.js'
import { addLogin } from './command/login.js'
import { addNames } from './command/names.js'
import { addOperations } from './command/operation.js'
import { addRelocation } from './command/relocate.js'
import { addRolling } from './command/rolling.js'
import { addRunbook } from './command/runbook.js'
import { addServices } from './command/services.js'
import { addShow } from './command/show.js'
import { addStatus } from './command/status.js'
import { addTopology } from './command/topology.js'
import { addWait } from './command/wait.js'
import { addWatch } from './command/watch.js'
import { renderCompletion, type Shell, shells } from './completion/completion.js'
import { addConsole } from './console/console.js'
import { adviseAfterErrors } from './kit/advice.js'
import { connect } from './kit/connect.js'
import { addCommonOptions, type CommonFlags } from './kit/flags.js'
import { refuseWatchedActions } from './kit/watchable.js'
import { exitTexts } from './output/exit.js'
import { print } from './output/output.js'
import { addRows } from './row/add.js'
import type { RowCommand } from './row/describe.js'

/** The whole tree; without rows only the commands that are written by hand, which is all that most runs need. */
export function createProgram(rows: readonly RowCommand[] = []): Command {
  const program = new Command('manager-cli')
    .description('Client of the replication manager.')
    .version(packageVersion)
    .addHelpText('after', () => `\nExit status:\n${exitTexts.map(exitLine).join('\n')}`)
    .exitOverride()
  addCommonOptions(program)

  const flags = (): CommonFlags => program.opts()
  let shared: Session | undefined
  const session = (): Session => {
    shared ??= connect(flags())
    return shared
  }
  const context = { flags, session }
  program.commandsGroup('Commands:')
  addFleet(program, context)
  addTopology(program, context)
  addStatus(program, context)
  addExplain(program, context)
  addOperations(program, context)
  addEvents(program, context)
  addRunbook(program, context)
  addShow(program, context)
  addRelocation(program, context)
  addCheckServers(program, context)
  addBootstrap(program, context)
  addBootstrapToken(program, context)
  addServices(program, context)
  addConfiguration(program, context)
  addDrift(program, context)
  addRolling(program, context)
  addConsole(program, context)
  addWait(program, context)
  addWatch(program, context, async (words) => {
    await createProgram(rows).parseAsync([...words], { from: 'user' })
  })
  addLogin(program, context)
  addApi(program, context)
  addNames(program, context)
  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'the shell it is for').choices(shells))
    .action((shell: Shell) => print(renderCompletion(shell, program)))
  addRows(program, rows, context)
  refuseWatchedActions(program)
  adviseAfterErrors(program)
  return program
}

/** Whether the words can be understood without the rows: they name a command that is written by hand. */
export function isByHand(words: readonly string[]): boolean {
  const program = createProgram()
  const valued = program.options.filter(({ required }) => required).flatMap(({ long, short }) => [long, short ?? long])
  const name = words.find((word, index) => !word.startsWith('-') && !valued.includes(words[index - 1]))
  const command = program.commands.find((each) => each.name() === name)
  return command !== undefined && command.commands.length === 0 && !wholeTree.includes(command.name())
}

/** Commands that need the whole tree. */
const wholeTree: readonly string[] = ['completion', 'watch', 'help']

const exitLine = ([status, meaning]: (typeof exitTexts)[number]): string =>
  `  ${String(status).padStart(3)}  ${meaning}`
