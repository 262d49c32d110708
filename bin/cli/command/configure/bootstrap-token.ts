// `bootstrap-token`: what a new host needs to fetch its configuration once, without a login.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { call, chooseCluster } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { format, print, talk } from '../../output/output.js'

export function addBootstrapToken(program: Command, { flags, session }: Context): void {
  program
    .command('bootstrap-token <server>')
    .description('create a token that downloads the configuration of this server once (api-config-download-tokens)')
    .addOption(
      new Option('--minutes <number>', 'lifetime in minutes, at most 10080 (a week)').default(60).argParser(minutesOf),
    )
    .action(async (server: string, { minutes }: { readonly minutes: number }) => {
      const cluster = await chooseCluster(session(), flags())
      const made = await call(session(), 'POST /api/clusters/:cluster/servers/:server/actions/bootstrap-token', {
        params: { cluster, server },
        body: { minutes },
      })
      // The token alone goes to standard output: it is there for a program to take.
      print(await format(flags(), made, ({ token }) => token))
      if (flags().output === 'table') talk(`Valid once for ${made.server}, until ${made.expiresAt}.`)
    })
}

function minutesOf(text: string): number {
  const minutes = Number(text)
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > 10_080)
    throw new InvalidArgumentError('Expected 1 to 10080 minutes.')
  return minutes
}
