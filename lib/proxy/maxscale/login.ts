// The accounts with which MaxScale monitors its servers and reads their users: their passwords are changed while the old
// ones are still valid. It keeps the change over a restart (`load_persisted_configs`).
import { done, fail, ok, type Result } from '../../base/result.js'
import { sleep } from '../../base/time.js'
import type { ProxyLogin, ProxyRenewal } from '../kit/index.js'
import { match, type Rules } from './changes.js'
import { accountParameters, type MaxscaleLogin, parseLogins, parseServers } from './tables.js'
import { ask, type RestApi, read } from './wire.js'

export interface LoginApi extends RestApi {
  readonly name: string
  readonly rules: Rules
}

/** How often to check whether the monitors continue. */
const GLANCE_MS = 100

/**
 * Passwords are masked when they are read, so each is sent every time; success is derived from what the monitors see
 * afterwards: every server that the manager reaches, within the time of the signal. Other accounts are not changed.
 */
export async function renewLogins(
  api: LoginApi,
  { logins, servers }: ProxyRenewal,
  signal: AbortSignal,
): Promise<Result<void>> {
  const all = await loginsOf(api, signal)
  if (!all.ok) return all
  const present = await read(api, '/servers', { signal, parse: parseServers })
  if (!present.ok) return present
  const members = new Set(servers.map((server) => match(server, present.value, api.rules)?.name))
  const ours = ofCluster(all.value, members).filter((login) => Object.keys(passwordsFor(login, logins)).length > 0)
  for (const login of ours) {
    const reply = await ask(api, change(login, passwordsFor(login, logins)), signal)
    if (!reply.ok) return reply
  }
  const monitors = ours.filter(({ kind, running }) => kind === 'monitors' && running)
  return monitors.length === 0 ? done : seeServers(api, { monitors, servers, signal })
}

/**
 * Those of the cluster with these servers: another one behind the same MaxScale may have an account of the same name. A
 * service that names neither servers nor monitors routes to other services: its cluster is unknown, so it is included.
 */
function ofCluster(all: readonly MaxscaleLogin[], members: ReadonlySet<string | undefined>): readonly MaxscaleLogin[] {
  const isWatching = ({ servers }: MaxscaleLogin) => servers.some((name) => members.has(name))
  const watching = new Set(
    all.filter((login) => login.kind === 'monitors' && isWatching(login)).map(({ name }) => name),
  )
  return all.filter((login) => {
    if (login.kind === 'monitors') return watching.has(login.name)
    const isNowhere = login.servers.length === 0 && login.monitors.length === 0
    return isNowhere || isWatching(login) || login.monitors.some((name) => watching.has(name))
  })
}

/** By parameter: what to send to one of them; empty where none of its accounts is changed. */
function passwordsFor({ users }: MaxscaleLogin, logins: readonly ProxyLogin[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    accountParameters.flatMap(([name, password]) => {
      const login = logins.find(({ user }) => user === users[name])
      return login ? [[password, login.password]] : []
    }),
  )
}

/** Parameters that are not named stay: https://mariadb.com/docs/maxscale/reference/maxscale-rest-api/maxscale-monitor-resource */
const change = ({ kind, name }: MaxscaleLogin, parameters: Readonly<Record<string, string>>) =>
  ({
    method: 'PATCH',
    path: `/${kind}/${encodeURIComponent(name)}`,
    body: { data: { id: name, type: kind, attributes: { parameters } } },
  }) as const

interface Seeing {
  readonly monitors: readonly MaxscaleLogin[]
  readonly servers: ProxyRenewal['servers']
  readonly signal: AbortSignal
}

async function seeServers(api: LoginApi, { monitors, servers, signal }: Seeing): Promise<Result<void>> {
  const names = new Set(monitors.map(({ name }) => name))
  const since = await monitorsOf(api, names, signal)
  if (!since.ok) return since
  let left: readonly string[] = []
  for (;;) {
    const seen = await notSeen(api, { monitors: since.value, servers, signal })
    if (!seen.ok && !signal.aborted) return seen
    if (seen.ok && seen.value.length === 0) return done
    if (seen.ok) left = seen.value
    if (signal.aborted) return fail('proxy-failed', `${api.name}: ${left.join('; ') || 'its monitors were not seen'}`)
    await sleep(GLANCE_MS, signal)
  }
}

/** What is wrong, one phrase each; what a monitor saw before its next run proves nothing. */
async function notSeen(api: LoginApi, { monitors, servers, signal }: Seeing): Promise<Result<readonly string[]>> {
  const now = await monitorsOf(api, new Set(monitors.map(({ name }) => name)), signal)
  if (!now.ok) return now
  const idle = now.value.flatMap(({ name, running, ticks }) => {
    if (!running) return [`the monitor ${name} stopped`]
    const before = monitors.find((monitor) => monitor.name === name)?.ticks
    return ticks !== undefined && ticks === before ? [`the monitor ${name} did not run again`] : []
  })
  if (idle.length > 0) return ok(idle)
  const present = await read(api, '/servers', { signal, parse: parseServers })
  if (!present.ok) return present
  const watched = new Set(now.value.flatMap((monitor) => monitor.servers))
  return ok(
    servers.flatMap((member) => {
      const server = match(member, present.value, api.rules)
      if (!member.reached || !server || !watched.has(server.name)) return []
      // A server in maintenance is not monitored.
      if (server.states.includes('Running') || server.states.includes('Maintenance')) return []
      return [`it sees ${server.name} as ${server.states.join(', ')}`]
    }),
  )
}

async function monitorsOf(
  api: LoginApi,
  names: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Result<readonly MaxscaleLogin[]>> {
  const monitors = await read(api, '/monitors', { signal, parse: parseLogins('monitors') })
  return monitors.ok ? ok(monitors.value.filter(({ name }) => names.has(name))) : monitors
}

async function loginsOf(api: LoginApi, signal: AbortSignal): Promise<Result<readonly MaxscaleLogin[]>> {
  const monitors = await read(api, '/monitors', { signal, parse: parseLogins('monitors') })
  if (!monitors.ok) return monitors
  const services = await read(api, '/services', { signal, parse: parseLogins('services') })
  return services.ok ? ok([...monitors.value, ...services.value]) : services
}
