// The manager itself: its host, its process, what it is. Figures that the host did not give are absent.
import type { HostFigures } from '../../../../client/api/generated.js'
import type { Loose } from '../../../../client/api/types.js'
import { fieldsOf, numberOf, present, textOf, wireOf } from '../wire.js'

/** A part of the host that is used. */
export interface Used {
  readonly used: number
  readonly total: number
  readonly percent: number
}

export interface ManagerFigures {
  readonly hostname?: string
  readonly cores?: number
  readonly cpuPercent?: number
  readonly memory?: Used
  readonly disk?: Used & { readonly path?: string }
  readonly pid?: number
  readonly residentBytes?: number
  readonly heapBytes?: number
  readonly uptimeMs?: number
}

/** Of the reply of `global/metrics`. */
export function readFigures(reply: unknown): ManagerFigures {
  const { host: wireHost, process: wireProcess } = fieldsOf(wireOf<'GET /api/global/metrics'>(reply))
  const host = fieldsOf(wireHost)
  const process = fieldsOf(wireProcess)
  const disk = readUsed(host, 'disk')
  const uptime = numberOf(process.uptimeSeconds)
  return present<ManagerFigures>({
    hostname: textOf(host.hostname),
    cores: numberOf(host.cpuCores),
    cpuPercent: numberOf(host.cpuPercent),
    memory: readUsed(host, 'memory'),
    disk: disk && present<NonNullable<ManagerFigures['disk']>>({ ...disk, path: textOf(host.diskPath) }),
    pid: numberOf(process.pid),
    residentBytes: numberOf(process.rssBytes),
    heapBytes: numberOf(process.heapAllocBytes),
    uptimeMs: uptime === undefined ? undefined : uptime * 1_000,
  })
}

function readUsed(host: Loose<HostFigures['host']>, of: 'memory' | 'disk'): Used | undefined {
  const used = numberOf(host[`${of}UsedBytes`])
  const total = numberOf(host[`${of}TotalBytes`])
  const percent = numberOf(host[`${of}UsedPercent`])
  // Nothing in all: it was not read.
  if (used === undefined || total === undefined || percent === undefined || total === 0) return undefined
  return { used, total, percent }
}

export interface ManagerIdentity {
  readonly version?: string
  readonly system?: string
  readonly uuid?: string
  readonly user?: string
  readonly clusters?: number
}

/** Of the reply of `monitor`. */
export function readIdentity(reply: unknown): ManagerIdentity {
  const wire = fieldsOf(wireOf<'GET /api/monitor'>(reply))
  const system = [textOf(wire.os), textOf(wire.arch)].filter((part) => part !== undefined).join(' ')
  return present<ManagerIdentity>({
    version: textOf(wire.fullVersion),
    system: system || undefined,
    uuid: textOf(wire.uuid),
    user: textOf(fieldsOf(wire.osUser).username),
    clusters: Array.isArray(wire.clusters) ? wire.clusters.length : undefined,
  })
}
