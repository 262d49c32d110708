// Reads the resources of MaxScale's REST API, as far as they are used.
// https://mariadb.com/docs/maxscale/reference/maxscale-rest-api/maxscale-server-resource
import * as z from 'zod'
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { ProxyProcess } from '../kit/index.js'

/** A server of MaxScale. */
export interface MaxscaleServer {
  readonly name: string
  readonly host: string
  readonly port: number
  /** Its states: `Master`, `Running`, `Maintenance` … */
  readonly states: readonly string[]
  readonly connections: number
}

export interface MaxscaleMonitor {
  readonly name: string
  readonly running: boolean
  /** Names of its servers. */
  readonly servers: readonly string[]
}

/** The objects with which MaxScale logs in to servers: a monitor, or a service. Passwords are masked when they are read. */
export interface MaxscaleLogin {
  readonly kind: 'monitors' | 'services'
  readonly name: string
  readonly running: boolean
  /** Runs of a monitor since it was started. */
  readonly ticks?: number
  /** Names of the servers that it monitors, or routes sessions to. */
  readonly servers: readonly string[]
  /** Names of monitors from which a service gets its servers. */
  readonly monitors: readonly string[]
  /** By parameter. */
  readonly users: Readonly<Record<string, string>>
}

const serversSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      attributes: z.object({
        parameters: z.object({ address: z.string().nullish(), port: z.number().nullish() }),
        state: z.string(),
        statistics: z.object({ connections: z.number() }).optional(),
      }),
    }),
  ),
})

const monitorsSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      attributes: z.object({ state: z.string() }),
      relationships: z
        .object({ servers: z.object({ data: z.array(z.object({ id: z.string() })) }).optional() })
        .optional(),
    }),
  ),
})

const related = z.object({ data: z.array(z.object({ id: z.string() })) })

const loginsSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      attributes: z.object({
        state: z.string(),
        ticks: z.number().optional(),
        parameters: z.record(z.string(), z.unknown()).default({}),
      }),
      relationships: z.object({ servers: related.optional(), monitors: related.optional() }).optional(),
    }),
  ),
})

/** https://mariadb.com/docs/maxscale/reference/maxscale-rest-api/maxscale-maxscale-resource */
const processSchema = z.object({
  data: z.object({
    attributes: z.object({ version: z.string(), started_at: z.string().optional(), uptime: z.number().optional() }),
  }),
})

export const parseServers = (text: string): Result<readonly MaxscaleServer[]> =>
  read(text, serversSchema, ({ data }) =>
    data.map(({ id, attributes: { parameters, state, statistics } }) => ({
      name: id,
      host: parameters.address ?? '',
      port: parameters.port ?? 3_306,
      states: state.split(',').map((word) => word.trim()),
      connections: statistics?.connections ?? 0,
    })),
  )

export const parseMonitors = (text: string): Result<readonly MaxscaleMonitor[]> =>
  read(text, monitorsSchema, ({ data }) =>
    data.map(({ id, attributes: { state }, relationships }) => ({
      name: id,
      running: state === 'Running',
      servers: relationships?.servers?.data.map((server) => server.id) ?? [],
    })),
  )

/** Parameters that name an account; each has a password beside it. */
export const accountParameters = [
  ['user', 'password'],
  ['replication_user', 'replication_password'],
] as const

/** Both kinds: https://mariadb.com/docs/maxscale/reference/maxscale-rest-api/maxscale-service-resource */
export const parseLogins =
  (kind: MaxscaleLogin['kind']) =>
  (text: string): Result<readonly MaxscaleLogin[]> =>
    read(text, loginsSchema, ({ data }) =>
      data.map(({ id, attributes: { state, ticks, parameters }, relationships }) => ({
        ...{ kind, name: id, running: state === 'Running' },
        ...(ticks === undefined ? {} : { ticks }),
        servers: relationships?.servers?.data.map((server) => server.id) ?? [],
        monitors: relationships?.monitors?.data.map((monitor) => monitor.id) ?? [],
        users: Object.fromEntries(
          accountParameters.flatMap(([name]) => {
            const user = parameters[name]
            return typeof user === 'string' && user !== '' ? [[name, user]] : []
          }),
        ),
      })),
    )

/** Its version, and which process of it answers. */
export const parseMaxscale = (text: string): Result<{ readonly version: string; readonly process: ProxyProcess }> =>
  read(text, processSchema, ({ data: { attributes } }) => ({
    version: attributes.version,
    process: {
      ...(attributes.started_at === undefined ? {} : { id: attributes.started_at }),
      ...(attributes.uptime === undefined ? {} : { upMs: attributes.uptime * SECOND }),
    },
  }))

function read<S extends z.ZodType, T>(text: string, schema: S, map: (value: z.infer<S>) => T): Result<T> {
  try {
    const parsed = schema.safeParse(JSON.parse(text))
    if (parsed.success) return ok(map(parsed.data))
    const [issue] = parsed.error.issues
    return fail('proxy-failed', `the answer is not MaxScale's: ${issue?.path.join('.')}: ${issue?.message}`)
  } catch {
    return fail('proxy-failed', `the answer is not JSON: ${text.slice(0, 80)}`)
  }
}
