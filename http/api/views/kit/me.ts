// The caller as pages ask about it: what it may do and where, in one answer that stays small for a thousand clusters.
import * as z from 'zod'
import { type Grant, grants, isChanging } from '../../../../lib/access/index.js'

const grantList = z.array(z.string())

const historySchema = z
  .object({
    prometheus: z.string().nullable().describe('its address (prometheus-url); null: not set'),
    grafana: z.string().nullable().describe('its address (grafana-url); null: not set'),
    grafanaCluster: z.string().describe('uid of its dashboard of a cluster'),
    grafanaServer: z.string().describe('uid of its dashboard of a server'),
  })
  .meta({ id: 'HistoryPlaces' })

/** Where people find history that is longer than what the manager keeps itself. */
export type HistoryPlaces = Readonly<z.output<typeof historySchema>>

export const noHistory: HistoryPlaces = {
  ...{ prometheus: null, grafana: null, grafanaCluster: 'manager-clusters', grafanaServer: 'manager-servers' },
}

export const meSchema = z
  .object({
    user: z.string(),
    kind: z.enum(['session', 'login', 'api-token', 'visitor']).describe('how the caller came by its token'),
    expiresAt: z.number().int().nullable().describe('milliseconds since the epoch; null: an API token without an end'),
    readOnly: z.boolean().describe('the caller can change nothing anywhere'),
    refreshMs: z.number().int().describe('how often a page asks for what is not streamed (http-refresh-interval)'),
    history: historySchema,
    grants: z.object({
      server: grantList.describe('for what belongs to no cluster'),
      sets: z.array(grantList).describe('the different sets of grants of clusters'),
      clusters: z.record(z.string(), z.number().int()).describe('the set of each cluster that the caller may see'),
    }),
  })
  .meta({ id: 'Me' })

export type Me = z.output<typeof meSchema>

export const exampleMe: Me = {
  ...{ user: 'ann', kind: 'session', expiresAt: 1_795_246_812_000, readOnly: false, refreshMs: 4_000 },
  history: { ...noHistory, prometheus: 'https://prometheus.example.com', grafana: 'https://grafana.example.com' },
  grants: { server: [], sets: [['cluster-switchover', 'show']], clusters: { demo: 0, shop: 0 } },
}

/** What the token of the caller says. */
interface Login {
  readonly kind: Me['kind']
  readonly expiresAt: number
  readonly readOnly: boolean
  grantsOn(cluster: string): readonly Grant[]
}

export interface MeInput {
  readonly user: string
  readonly clusters: readonly string[]
  readonly login: Login
  readonly refreshMs: number
  readonly history: HistoryPlaces
}

export function renderMe({ user, clusters, login, refreshMs, history }: MeInput): Me {
  const { kind, expiresAt } = login
  const sets = new Map<string, { readonly index: number; readonly list: readonly Grant[] }>()
  /** Most clusters share one list: its text is made once. */
  const keys = new Map<readonly Grant[], string>()
  const indexOf = (list: readonly Grant[]): number => {
    const key = keys.get(list) ?? list.join(' ')
    keys.set(list, key)
    const known = sets.get(key) ?? { index: sets.size, list }
    sets.set(key, known)
    return known.index
  }
  const seen = clusters.flatMap((name) => {
    const list = login.grantsOn(name)
    return list.length === 0 ? [] : [[name, indexOf(list)] as const]
  })
  const server = login.grantsOn('')
  const lists = [...sets.values()].map(({ list }) => list)
  const held = new Set([server, ...lists].flat())
  return {
    ...{ user, kind, expiresAt: Number.isFinite(expiresAt) ? Math.floor(expiresAt) : null, refreshMs, history },
    readOnly: login.readOnly || !grants.some((grant) => isChanging(grant) && held.has(grant)),
    grants: { server: [...server], sets: lists.map((list) => [...list]), clusters: Object.fromEntries(seen) },
  }
}
