// `dashboard`: the address of the dashboard, with a one-time link that opens it logged in.
import type { Command } from 'commander'
import { bareHost } from '../../../../http/client/trust.js'
import { isoTime } from '../../../../lib/base/time.js'
import { call } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { print, talk } from '../../output/output.js'

export function addDashboard(program: Command, { session }: Pick<Context, 'session'>): void {
  program
    .command('dashboard')
    .description('print the address of the dashboard, as a link that opens it logged in, once')
    .action(async () => {
      const { path, expiresAt } = await call(session(), 'POST /api/session/codes')
      const { host, port } = session().endpoint
      const bare = bareHost(host)
      print(`https://${bare.includes(':') ? `[${bare}]` : bare}:${port}${path}`)
      talk(`It opens once, until ${isoTime(expiresAt).slice(11, 19)} UTC.`)
    })
}
