// `register`: registers the manager at its hosted service, and waits until the account is confirmed.
import type { Command } from 'commander'
import { MINUTE, now, SECOND, sleep } from '../../../../lib/base/time.js'
import { call } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { EXIT, Exit } from '../../output/exit.js'
import { format, print, talk } from '../../output/output.js'
import { readHidden, readInput } from '../../output/prompt.js'

const INTERVAL_MS = 10 * SECOND
const PATIENCE_MS = 5 * MINUTE
/** A confirmation connects the manager, too: a dozen requests to the service. */
const CONFIRM_MS = 3 * MINUTE

interface RegisterOptions {
  readonly email: string
  readonly uri: string
  readonly confirm?: true
}

export function addRegister(program: Command, context: Context): void {
  program
    .command('register')
    .description(
      'register the manager at its hosted service; the password of the git host is typed unseen, or read from standard input',
    )
    .requiredOption('--email <address>', 'the account at the git host of the service')
    .requiredOption('--uri <uri>', 'name of the manager: domain.subdomain.zone')
    .option('--confirm', 'the account is confirmed: ask once, wait for nothing')
    .action((options: RegisterOptions) => register(options, context))
}

async function register({ email, uri, confirm }: RegisterOptions, context: Context): Promise<void> {
  const session = context.session()
  const body = { email, uri, password: await readPassword(email) }
  if (confirm) {
    const { connect_error: problem, ...answer } = await call(session, 'POST /api/register/confirm', {
      body,
      timeoutMs: CONFIRM_MS,
    })
    if (problem !== undefined) throw new Exit(EXIT.error, notConnected(uri, problem))
    return print(await format(context.flags(), answer, () => `${uri} is registered.`))
  }
  const { message } = await call(session, 'POST /api/register', { body, timeoutMs: MINUTE })
  talk(`${message}\nOpen the link in the mail to ${email}.`)
  await untilConfirmed(uri, context)
}

async function untilConfirmed(uri: string, context: Context): Promise<void> {
  const until = now() + PATIENCE_MS
  do {
    await sleep(INTERVAL_MS)
    const status = await readStatus(context)
    if (!status) continue
    talk(`${status.state}: ${status.message}`)
    const problem = status.result?.connect_error
    if (typeof problem === 'string') throw new Exit(EXIT.error, notConnected(uri, problem))
    if (status.state === 'complete') return print(await format(context.flags(), status, () => `${uri} is registered.`))
    if (status.state !== 'pending') throw new Exit(EXIT.error, status.message)
  } while (now() < until)
  throw new Exit(
    EXIT.timeout,
    `${uri} was not confirmed within ${PATIENCE_MS / MINUTE} minutes.\nConfirm it later: manager-cli register … --confirm`,
  )
}

/** A manager that is restarted meanwhile goes on waiting itself. */
async function readStatus(context: Context) {
  try {
    return await call(context.session(), 'GET /api/register/status')
  } catch (error) {
    if (!(error instanceof Exit) || error.status !== EXIT.unreachable) throw error
    talk(error.message)
    return undefined
  }
}

const notConnected = (uri: string, problem: string): string =>
  `${uri} is registered, and the manager is not connected: ${problem}\nCorrect the cause, then: manager-cli register … --confirm`

async function readPassword(email: string): Promise<string> {
  const typed = process.stdin.isTTY ? await readHidden(`Password of ${email} at the git host: `) : await readInput()
  if (typed === undefined || typed.length < 8)
    throw new Exit(EXIT.usage, 'the password of the git host has at least 8 characters')
  return typed
}
