// The command tree of the client: help, completion and the manual's page are printed from it.
import { Argument, Command } from 'commander'
import type { Session } from '../../http/client/session.js'
import { versionText } from '../../lib/base/package-root.js'
import { addApi } from './command/access/api.js'
import { addDashboard } from './command/access/dashboard.js'
import { addLogin } from './command/access/login.js'
import { addRegister } from './command/access/register.js'
import { addBootstrapToken } from './command/configure/bootstrap-token.js'
import { addConfiguration } from './command/configure/configuration.js'
import { addDrift } from './command/configure/drift.js'
import { addBackup } from './command/operate/backup.js'
import { addBootstrap } from './command/operate/bootstrap.js'
import { addOperations } from './command/operate/operation.js'
import { addPitr } from './command/operate/pitr.js'
import { addRelocation } from './command/operate/relocate.js'
import { addReseed } from './command/operate/reseed.js'
import { addRolling } from './command/operate/rolling.js'
import { addServices } from './command/operate/services.js'
import { addCheck } from './command/read/check.js'
import { addEvents } from './command/read/events.js'
import { addExplain } from './command/read/explain.js'
import { addFleet } from './command/read/fleet.js'
import { addNames } from './command/read/names.js'
import { addRunbook } from './command/read/runbook.js'
import { addShow } from './command/read/show.js'
import { addStatus } from './command/read/status.js'
import { addTopology } from './command/read/topology.js'
import { addWait } from './command/read/wait.js'
import { addWatch } from './command/read/watch.js'
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
    .version(versionText())
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
  addCheck(program, context)
  addBootstrap(program, context)
  addBootstrapToken(program, context)
  addServices(program, context)
  addConfiguration(program, context)
  addDrift(program, context)
  addReseed(program, context)
  addPitr(program, context)
  addRolling(program, context)
  addBackup(program, context)
  addConsole(program, context)
  addWait(program, context)
  addWatch(program, context, async (words) => {
    await createProgram(rows).parseAsync([...words], { from: 'user' })
  })
  addLogin(program, context)
  addDashboard(program, context)
  addRegister(program, context)
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
