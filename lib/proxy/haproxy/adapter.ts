// HAProxy as a proxy of the cluster, configured and read through its runtime API.
import { done, fail, ok, type Result } from '../../base/result.js'
import { now } from '../../base/time.js'
import type { Proxy as ProxyAdapter, ProxyBackend, ProxyReading } from '../kit/index.js'
import { type AddressBook, createAddressBook } from './addresses.js'
import { type Backends, changesFor, differences, type Wanted, wantedServers } from './changes.js'
import { type HaproxyServer, parseProcess, parseServersState, parseStat, serverOf, type TableRow } from './tables.js'
import { ask } from './wire.js'

export interface HaproxyConfig {
  readonly id: string
  readonly name: string
  readonly host: string
  /** `haproxy-api-port`. */
  readonly port: number
  /** A socket on this machine instead of host and port. */
  readonly socket?: string
  readonly backends: Backends
  /** Longest time for one question, milliseconds. */
  readonly timeoutMs: number
  /** Address of a host name; HAProxy takes only addresses. The system's resolver when absent. */
  readonly resolve?: (host: string) => Promise<string>
}

export function createHaproxy(config: HaproxyConfig): ProxyAdapter {
  const addresses = createAddressBook(config.resolve)
  return {
    id: config.id,
    name: config.name,
    kind: 'haproxy',
    read: (signal) => readHaproxy(config, signal),
    apply: async (target, signal) => {
      const wanted = await resolveAll(addresses, wantedServers(target, config.backends))
      return applyTo(config, wanted, signal)
    },
    close: async () => undefined,
  }
}

const question = ({ host, port, socket, timeoutMs }: HaproxyConfig, commands: readonly string[], signal: AbortSignal) =>
  ask({ endpoint: socket === undefined ? { host, port } : { path: socket }, commands, timeoutMs, signal })

async function readHaproxy(config: HaproxyConfig, signal: AbortSignal): Promise<ProxyReading> {
  const { id, name, host, port, backends } = config
  const answer = await question(config, ['show info', 'show stat'], signal)
  const seen = { id, name, kind: 'haproxy', host, port, at: now() }
  if (!answer.ok) return { ...seen, alive: false, error: answer.failure.message, version: '', backends: [] }
  const version = /^Version: (.+)$/m.exec(answer.value)?.[1] ?? ''
  const rows = parseStat(answer.value).filter(({ svname }) => svname !== 'FRONTEND' && svname !== 'BACKEND')
  const of = (backend: string, group: ProxyBackend['group']): readonly ProxyBackend[] =>
    rows.filter(({ pxname }) => pxname === backend).map((row) => backendOf(row, group))
  const found = [...of(backends.write, 'write'), ...of(backends.read, 'read')]
  return { ...seen, alive: true, version, process: parseProcess(answer.value), backends: found }
}

function backendOf(row: TableRow, group: ProxyBackend['group']): ProxyBackend {
  const [, host = '', port = '0'] = /^\[?(.*?)\]?:(\d+)$/.exec(row.addr ?? '') ?? []
  return {
    host,
    port: Number(port),
    state: row.status ?? '',
    group,
    connections: Number(row.scur ?? 0),
    ...(row.weight ? { weight: Number(row.weight) } : {}),
    bytesIn: Number(row.bin ?? 0),
    bytesOut: Number(row.bout ?? 0),
    latencyMs: Number(row.ttime ?? 0),
  }
}

/** Sends what differs and reads it back. */
async function applyTo(config: HaproxyConfig, wanted: readonly Wanted[], signal: AbortSignal): Promise<Result<void>> {
  const before = await serversState(config, signal)
  if (!before.ok) return before
  const changes = changesFor(wanted, before.value)
  const reply = changes.length === 0 ? ok('') : await question(config, changes, signal)
  if (!reply.ok) return reply
  const after = changes.length === 0 ? before : await serversState(config, signal)
  if (!after.ok) return after
  const left = differences(wanted, after.value)
  return left.length === 0 ? done : fail('proxy-failed', `${config.name}: ${left.join('; ')}${said(reply.value)}`)
}

/** The reply of HAProxy, when it is not empty. */
const said = (text: string): string => {
  const words = text.trim().replace(/\s*\n\s*/g, ' ')
  return words === '' ? '' : ` (it said: ${words.slice(0, 300)})`
}

async function serversState(config: HaproxyConfig, signal: AbortSignal): Promise<Result<readonly HaproxyServer[]>> {
  const answer = await question(config, ['show servers state'], signal)
  return answer.ok ? ok(parseServersState(answer.value).map(serverOf)) : answer
}

const resolveAll = (addresses: AddressBook, wanted: readonly Wanted[]): Promise<readonly Wanted[]> =>
  Promise.all(
    wanted.map(async (want) => (want.address ? { ...want, address: await addresses.resolve(want.address) } : want)),
  )
