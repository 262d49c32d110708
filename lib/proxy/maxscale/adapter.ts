// MaxScale as a proxy of the cluster, configured and read through its REST API.
import { done, fail, type Result } from '../../base/result.js'
import { now, sleep } from '../../base/time.js'
import type { Proxy as ProxyAdapter, ProxyBackend, ProxyReading, ProxyTarget } from '../kit/index.js'
import { differences, monitorsToStop, orderPath, ordersFor, type Rules } from './changes.js'
import { renewLogins } from './login.js'
import { type MaxscaleServer, parseMaxscale, parseMonitors, parseServers } from './tables.js'
import { ask, type RestApi, read } from './wire.js'

export interface MaxscaleConfig extends RestApi {
  readonly id: string
  readonly name: string
  readonly rules: Rules
  /** Longest wait until MaxScale's own monitor has seen a primary by its read_only, milliseconds. */
  readonly patienceMs: number
}

export const createMaxscale = (config: MaxscaleConfig): ProxyAdapter => ({
  id: config.id,
  name: config.name,
  kind: 'maxscale',
  read: (signal) => readMaxscale(config, signal),
  apply: (target, signal) => applyTo(config, target, signal),
  renewLogin: (renewal, signal) => renewLogins(config, renewal, signal),
  close: async () => undefined,
})

async function readMaxscale(config: MaxscaleConfig, signal: AbortSignal): Promise<ProxyReading> {
  const { id, name, host, port } = config
  const seen = { id, name, kind: 'maxscale', host, port, at: now() }
  const lost = (error: string): ProxyReading => ({ ...seen, alive: false, error, version: '', backends: [] })
  const itself = await read(config, '/maxscale', { signal, parse: parseMaxscale })
  if (!itself.ok) return lost(itself.failure.message)
  const servers = await serversOf(config, signal)
  if (!servers.ok) return lost(servers.failure.message)
  return { ...seen, alive: true, ...itself.value, backends: servers.value.map(backendOf) }
}

const backendOf = ({ host, port, states, connections }: MaxscaleServer): ProxyBackend => ({
  ...{ host, port, connections, bytesIn: 0, bytesOut: 0, latencyMs: 0 },
  state: states.join(', '),
  group: states.includes('Master') ? 'write' : 'read',
})

/** How often to check whether MaxScale's own monitor has seen the primary. */
const GLANCE_MS = 100

/** Sends what differs and reads back the new state of MaxScale. */
async function applyTo(config: MaxscaleConfig, target: ProxyTarget, signal: AbortSignal): Promise<Result<void>> {
  const { rules, name, patienceMs } = config
  const before = await serversOf(config, signal)
  if (!before.ok) return before
  const stopped = rules.own ? await stopMonitors(config, { target, servers: before.value, signal }) : done
  if (!stopped.ok) return stopped
  for (const order of ordersFor(target, before.value, rules)) {
    const reply = await ask(config, { method: 'PUT', path: orderPath(order) }, signal)
    if (!reply.ok) return reply
  }
  const endsAt = performance.now() + patienceMs
  for (;;) {
    const after = await serversOf(config, signal)
    if (!after.ok) return after
    const left = differences(target, after.value, rules)
    if (left.length === 0) return done
    if (rules.own || performance.now() >= endsAt || signal.aborted)
      return fail('proxy-failed', `${name}: ${left.join('; ')}`)
    await sleep(GLANCE_MS, signal)
  }
}

interface Stopping {
  readonly target: ProxyTarget
  readonly servers: readonly MaxscaleServer[]
  readonly signal: AbortSignal
}

async function stopMonitors(config: MaxscaleConfig, { target, servers, signal }: Stopping): Promise<Result<void>> {
  const monitors = await read(config, '/monitors', { signal, parse: parseMonitors })
  if (!monitors.ok) return monitors
  for (const name of monitorsToStop(target, servers, { monitors: monitors.value, rules: config.rules })) {
    const path = `/monitors/${encodeURIComponent(name)}/stop`
    const stopped = await ask(config, { method: 'PUT', path }, signal)
    if (!stopped.ok) return stopped
  }
  return done
}

const serversOf = (config: MaxscaleConfig, signal: AbortSignal): Promise<Result<readonly MaxscaleServer[]>> =>
  read(config, '/servers', { signal, parse: parseServers })
