// `login`, `logout`: a token for the runs to come, and its end.
import type { Command } from 'commander'
import { keepToken } from '../../../../http/client/token-file.js'
import { readClusters } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { endpointsOf } from '../../kit/endpoints.js'
import type { CommonFlags } from '../../kit/flags.js'
import { EXIT, Exit } from '../../output/exit.js'
import { talk } from '../../output/output.js'

export function addLogin(program: Command, { flags, session }: Context): void {
  program
    .command('login')
    .description('log in and store the token, so that later commands need no password')
    .action(async () => {
      const { user, apiToken } = flags()
      if (apiToken !== undefined) throw new Exit(EXIT.usage, 'login: an API token needs no login')
      await forget(flags())
      const clusters = await readClusters(session())
      const { host, port } = session().endpoint
      const seen = clusters.length === 0 ? 'no cluster' : clusters.join(', ')
      talk(`${user} is logged in at ${host}:${port} and sees ${seen}.`)
    })
  program
    .command('logout')
    .description('delete the stored token of this user and manager')
    .action(() => forget(flags()))
}

const forget = async (flags: CommonFlags) => {
  for (const { host, port } of endpointsOf(flags)) await keepToken(`${flags.user}@${host}:${port}`, undefined)
}
