// `check`: verbs that judge a cluster and end with a status that scripts read.
import { Command } from 'commander'
import type { Context } from '../../kit/context.js'
import { addCheckCluster } from './check-cluster.js'
import { addCheckServers } from './check-servers.js'

export function addCheck(program: Command, context: Context): void {
  const check = new Command('check').copyInheritedSettings(program).description('check: verbs')
  program.addCommand(check)
  addCheckCluster(check, context)
  addCheckServers(check, context)
}
