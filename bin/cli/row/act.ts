// Does what a row's command asks for: one request, and its answer shown by its kind.
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Setting } from '../../../http/client/api/generated.js'
import type { Reply } from '../../../http/client/connection.js'
import { readReply } from '../../../http/client/connection.js'
import type { CallOptions, Session } from '../../../http/client/session.js'
import { modeOf } from '../../../lib/base/files/modes.js'
import { suggest } from '../../../lib/base/suggest.js'
import { MINUTE } from '../../../lib/base/time.js'
import type { Plan } from '../../../lib/model/operation/preview.js'
import { lastingText } from '../answer/setting.js'
import { renderPreview } from '../command/operate/preview.js'
import { showEvents } from '../command/read/events.js'
import { confirm } from '../kit/confirm.js'
import { call, chooseCluster, readBody } from '../kit/connect.js'
import type { Context } from '../kit/context.js'
import type { CommonFlags } from '../kit/flags.js'
import { present } from '../kit/present.js'
import { EXIT, Exit, exitOfFailure, exitOfReply } from '../output/exit.js'
import { format, print, talk } from '../output/output.js'
import { readHidden } from '../output/prompt.js'
import { keepsColumns, renderValue } from '../output/value.js'
import { columnsOf } from './columns.js'
import { ownNames, type RowCommand } from './describe.js'
import { actText, rendererOf } from './renderers.js'
import { type Given, needsPort, type RowRequest, requestOf } from './request.js'

/** As long as the longest answer: what takes longer answers at once and leaves a job. */
const PATIENCE_MS = 30 * MINUTE

export interface RowOptions {
  readonly yes: boolean
  /** Where a download goes. */
  readonly file?: string
}

export async function act(
  command: RowCommand,
  given: Omit<Given, 'cluster'> & { readonly options: RowOptions },
  { flags, session }: Context,
): Promise<void> {
  if (command.route.reply.type === 'events' && command.ofCluster) return showEvents({ flags, session })
  const cluster = command.ofCluster ? await chooseCluster(session(), flags()) : flags().cluster
  const words = Object.values(given.arguments).filter((word) => word !== undefined)
  const question = `${[command.noun, command.verb, ...words].join(' ')}: ${command.route.summary}`
  const isPlan = given.flags.plan === true
  const isRead = isPlan || given.flags.confirm !== undefined
  await confirm(isRead ? 'none' : command.gravity, question, { ...given.options, force: given.flags.force === true })
  const detailed = flags().output === 'table' ? { ...shownToPeople[command.route.id], ...given.flags } : given.flags
  const labelled = await withToken(command, given, session)
  const named = await withPort(command, { ...labelled, flags: detailed, cluster }, session)
  const request = requestOf(command, await withSecrets(command, named))
  const done = `${[command.noun, command.verb, ...words].join(' ')}: done.`
  await answer({ command, request, file: given.options.file, isPlan, done }, { flags, session }).catch(
    (error: unknown) => explain(error, { ...given, cluster }, session),
  )
}

/** Flags that are given for people where scripts get the first form of the interface. */
const shownToPeople: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'settings.list': { detail: true },
}

/** Prompts, without echo, for required secrets that were not given. */
async function withSecrets(command: RowCommand, given: Given): Promise<Given> {
  const flags: Record<string, unknown> = { ...given.flags }
  for (const { name, flag, text, required, secret } of command.flags) {
    if (!required || !secret || flags[name] !== undefined) continue
    flags[name] = await readHidden(`${text}: `)
    if (flags[name] === undefined) throw new Exit(EXIT.usage, `--${flag} is missing`)
  }
  return { ...given, flags }
}

/** Routes that require a server's port get it from the manager when only its name was given. */
async function withPort({ route }: RowCommand, given: Given, session: Context['session']): Promise<Given> {
  const { server } = given.arguments
  if (server === undefined || !needsPort(route) || /:\d+$/.test(server)) return given
  const found = (await readMembers(session(), given.cluster, 'servers')).find(
    ({ id, name, host }) => id === server || name === server || host === server,
  )
  const address = found ? `${found.host}:${found.port}` : server
  if (!found) throw new Exit(EXIT.notFound, `${server} is not a server of ${given.cluster}`)
  return { ...given, arguments: { ...given.arguments, server: address } }
}

/** A token by its id or, where one that is valid has it, by its label. */
async function withToken<G extends Pick<Given, 'arguments'>>(
  { route }: RowCommand,
  given: G,
  session: Context['session'],
): Promise<G> {
  const { token } = given.arguments
  if (route.id !== 'tokens.revoke' || token === undefined || TOKEN_ID.test(token)) return given
  const all = await call(session(), 'GET /api/tokens')
  const labelled = all.filter(({ label, revoked }) => label === token && !revoked)
  const [one, another] = labelled
  if (one && !another) return { ...given, arguments: { ...given.arguments, token: one.id } }
  const why = another
    ? `${labelled.length} tokens are labelled ${token}: name one by its id, ${labelled.map(({ id }) => id).join(' or ')}`
    : `${token} is neither the id nor the label of a valid token of yours; \`token list\` lists them`
  throw new Exit(another ? EXIT.usage : EXIT.notFound, why)
}

const TOKEN_ID = /^[0-9a-f]{24}$/

interface Member {
  readonly id: string
  readonly name: string
  readonly host: string
  readonly port: string
}

const readMembers = (
  session: Session,
  cluster: string | undefined,
  kind: 'servers' | 'proxies',
): Promise<readonly Member[]> =>
  call(session, `GET /api/clusters/:cluster/topology/${kind}`, { params: { cluster: cluster ?? '' } })

interface Work {
  readonly command: RowCommand
  readonly request: RowRequest
  readonly file: string | undefined
  /** Only its plan is asked for. */
  readonly isPlan: boolean
  /** Said to people where the answer is empty. */
  readonly done: string
}

async function answer({ command, request, file, isPlan, done }: Work, { flags, session }: Context): Promise<void> {
  const { route } = command
  const { reply } = route
  if (reply.type === 'bytes' || reply.type === 'metrics' || reply.type === 'events')
    return download({ command, request, file }, session())
  const read = async () => readBody(await send(session(), command, request), request.path)
  if (isPlan) return showPlan((await read()) as Plan, flags())
  if (reply.type === 'empty') {
    await read()
    if (flags().output === 'table') print(done)
    return
  }
  const columns = columnsOf(route)
  const plain = (value: unknown) => renderValue(value, columns === undefined ? {} : { columns })
  const part = (value: unknown) =>
    columns !== undefined && keepsColumns(value, columns) ? plain(value) : renderValue(value)
  await present(flags(), { read, render: rendererOf(route) ?? ((value) => actText(value) ?? plain(value)), part })
  if (changesHosts.has(route.id)) await sayHowLong(session(), flags())
}

/** Their change is one of a list in the settings. */
const changesHosts: ReadonlySet<string> = new Set(['member.add', 'member.drop', 'member.drop-named'])

/** A list that a file gives holds again at the next start: said to people, beside the answer. */
async function sayHowLong(session: Session, flags: CommonFlags): Promise<void> {
  const params = { cluster: await chooseCluster(session, flags) }
  const query = { detail: true, name: 'db-servers-hosts' }
  const settings = await call(session, 'GET /api/clusters/:cluster/settings', { params, query }).catch(() => [])
  const hosts = (settings as readonly Setting[]).find(({ name }) => name === 'db-servers-hosts')
  if (hosts) for (const line of lastingText(hosts)) talk(line)
}

async function showPlan(plan: Plan, flags: CommonFlags): Promise<void> {
  print(await format(flags, plan, renderPreview))
  if (!plan.possible) throw new Exit(EXIT.refused, '')
}

/** Routes without a grant are called without a token first: they work even when no login is possible. */
async function send(session: Session, command: RowCommand, request: RowRequest): Promise<Reply> {
  const { route } = command
  const { method, path, body } = request
  const options: CallOptions = { timeoutMs: PATIENCE_MS, ...(body === undefined ? {} : { body }) }
  const open = route.grant === 'none'
  const first = await session.call(method, path, { ...options, anonymous: open })
  const turnedAway = first.ok && open && first.value.status === 401 && route.methods[0] === 'GET'
  const reply = turnedAway ? await session.call(method, path, options) : first
  if (!reply.ok) throw exitOfFailure(reply.failure)
  if (reply.value.status >= 300) throw exitOfReply(reply.value, ownNames(command))
  return reply.value
}

/** Bytes as they are: into a file, or to whatever reads standard output. */
async function download(
  { command, request, file }: Pick<Work, 'command' | 'request' | 'file'>,
  session: Session,
): Promise<void> {
  const isText = command.route.reply.type !== 'bytes'
  if (file === undefined && !isText && process.stdout.isTTY)
    throw new Exit(EXIT.usage, 'the result is binary: name a file with --file, or redirect standard output')
  const opened = await session.open(request.method, request.path, {
    timeoutMs: PATIENCE_MS,
    anonymous: command.route.grant === 'none' && isText,
  })
  if (!opened.ok) throw exitOfFailure(opened.failure)
  const response = opened.value
  if (response.status >= 300) {
    const reply = await readReply(response)
    throw reply.ok ? exitOfReply(reply.value, ownNames(command)) : exitOfFailure(reply.failure)
  }
  const target = file === undefined ? process.stdout : createWriteStream(file, { mode: modeOf('archive') })
  await pipeline(response.body, target, { end: file !== undefined }).catch((error: Error) => {
    throw new Exit(EXIT.error, `${file ?? 'standard output'}: ${error.message}`)
  })
  if (file !== undefined) print(file)
}

/** Of a server or a proxy that there is not: those that there are, and the nearest. */
async function explain(error: unknown, given: Given, session: Context['session']): Promise<never> {
  const kind = given.arguments.server !== undefined ? 'servers' : 'proxies'
  const word = given.arguments.server ?? given.arguments.proxy
  if (!(error instanceof Exit) || error.status !== EXIT.notFound || word === undefined) throw error
  const members = await readMembers(session(), given.cluster, kind).catch(() => [])
  const names = members.flatMap(({ name, host, port }) => [name, `${host}:${port}`])
  if (names.length === 0 || names.includes(word) || members.some(({ id }) => id === word)) throw error
  const near = suggest(word, names)
  const known = [...new Set(members.map(({ host, port }) => `${host}:${port}`))].join(', ')
  throw new Exit(
    error.status,
    `${error.message}\n${near === undefined ? `There are ${known}.` : `Did you mean ${near}?`}`,
  )
}
