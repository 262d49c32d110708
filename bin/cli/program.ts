// The command tree of the client: help, completion and the manual's page are printed from it.
import { Argument, Command } from 'commander'
import type { Session } from '../../http/client/session.js'
import { packageVersion } from '../../lib/base/package-root.js'
import { addApi } from './command/api.js'
import { addBootstrap } from './command/bootstrap.js'
import { addBootstrapToken } from './command/bootstrap-token.js'
import { addConfiguration } from './command/configuration.js'
import { addDrift } from './command/drift.js'
import { addEvents } from './command/events.js'
import { addExplain } from './command/explain.js'
import { addOperations } from './command/operation.js'
import { addRolling } from './command/rolling.js'
import { addServices } from './command/services.js'
import { addShow } from './command/show.js'
import { addStatus } from './command/status.js'
import { addTopology } from './command/topology.js'
import { renderCompletion, type Shell, shells } from './completion.js'
import { connect } from './connect.js'
import { exitTexts } from './exit.js'
import { addCommonOptions, type CommonFlags } from './flags.js'
import { print } from './output.js'

export function createProgram(): Command {
  const program = new Command('manager-cli')
    .description('Client of the replication manager.')
    .version(packageVersion)
    .addHelpText('after', () => `\nExit status:\n${exitTexts.map(exitLine).join('\n')}`)
    .showHelpAfterError('manager-cli --help lists commands and flags.')
    .exitOverride()
  addCommonOptions(program)

  const flags = (): CommonFlags => program.opts()
  let shared: Session | undefined
  const session = (): Session => {
    shared ??= connect(flags())
    return shared
  }
  const context = { flags, session }
  addTopology(program, context)
  addStatus(program, context)
  addExplain(program, context)
  addOperations(program, context)
  addEvents(program, context)
  addShow(program, context)
  addBootstrap(program, context)
  addBootstrapToken(program, context)
  addServices(program, context)
  addConfiguration(program, context)
  addDrift(program, context)

  addRolling(program, context)
  addApi(program, context)
  program
    .command('completion')
    .description('the completion script of a shell')
    .addArgument(new Argument('<shell>', 'the shell it is for').choices(shells))
    .action((shell: Shell) => print(renderCompletion(shell, program)))
  return program
}

const exitLine = ([status, meaning]: (typeof exitTexts)[number]): string =>
  `  ${String(status).padStart(3)}  ${meaning}`
