// Handlers of what is watched besides replication: slow readings, disks, captures. Pure.
import { noteEvents } from '../../../../lib/decide/watching/note-events.js'
import { volumesOf } from '../../../../lib/decide/watching/volumes.js'
import { textOf } from '../../../../lib/model/server/named.js'
import type { FreshLogin, SlowReading } from '../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { type ClusterState, withServers } from '../../state/state.js'
import { evaluate } from '../../state/step/evaluate.js'
import { type Handlers, silent } from '../../state/step/outcome.js'
import { queryRates } from './query-rates.js'

export const watchingHandlers = {
  'observed-slowly': (state, { reading }) => {
    const memory = noteEvents(state, reading)
    return silent({
      state: changed({ ...state, memory, queryRates: queryRates(state, reading) }, reading.server, (server) =>
        withReading(server, reading),
      ),
      commands: memory === state.memory ? [] : [{ type: 'persist' }],
    })
  },

  'observed-login': (state, { server: id, login }) =>
    silent({ state: changed(state, id, (server) => ({ ...server, login })), commands: [] }),

  'observed-fresh-login': (state, { server: id, login }) =>
    silent({ state: changed(state, id, (server) => withFresh(server, login)), commands: [] }),

  'observed-disks': (state, { server: id, fileSystems }) =>
    silent({
      state: changed(state, id, (server) => ({
        ...server,
        volumes: server.slow ? volumesOf(server.slow.variables, fileSystems) : [],
      })),
      commands: [],
    }),

  'observed-logs': ({ logStorage: _, ...state }, { storage }) =>
    silent({ state: { ...state, ...(storage ? { logStorage: storage } : {}) }, commands: [] }),

  capturing: (state, { server: id, trigger }, { now }) => {
    const { [id]: _, ...others } = state.capturing ?? {}
    const capturing = trigger === undefined ? others : { ...others, [id]: trigger }
    return silent(evaluate({ ...state, capturing }, now, state.snapshot))
  },
} as const satisfies Partial<Handlers>

const changed = (state: ClusterState, id: string, change: (server: ServerSnapshot) => ServerSnapshot): ClusterState =>
  withServers(
    state,
    state.snapshot.servers.map((server) => (server.id === id ? change(server) : server)),
  )

/** What the server lists itself is newer than what its host said; neither is kept when disks are no longer read. */
function withReading(
  { volumes: known, slowStatements: _, ...seen }: ServerSnapshot,
  slow: SlowReading,
): ServerSnapshot {
  const server = withFresh(seen, latestOf(seen.freshLogin, slow.freshLogin))
  const listed = slow.disks && volumesOf(slow.variables, slow.disks)
  const volumes = listed && listed.length > 0 ? listed : known
  const slowStatements = server.slow && countSlow(server.slow, slow)
  const { sourceLogin } = slow
  const login = sourceLogin && sourceLogin.at >= (server.login?.at ?? 0) ? sourceLogin : server.login
  return {
    ...{ ...server, slow },
    ...(login ? { login } : {}),
    ...(slow.commitWaits ? { commitWaits: { ...slow.commitWaits, at: slow.at } } : {}),
    ...(volumes ? { volumes } : {}),
    ...(slowStatements ? { slowStatements } : {}),
  }
}

const withFresh = (
  { freshLogin: _, ...server }: ServerSnapshot,
  freshLogin: FreshLogin | undefined,
): ServerSnapshot => ({ ...server, ...(freshLogin ? { freshLogin } : {}) })

/** What the clock found is older than what an operation asked for meanwhile. */
const latestOf = (known: FreshLogin | undefined, found: FreshLogin | undefined): FreshLogin | undefined =>
  known && found && known.at > found.at ? known : found

/** By the counters of two readings; none where they were reset between them. */
function countSlow(before: SlowReading, after: SlowReading): ServerSnapshot['slowStatements'] {
  const grown = (name: string): number => Number(textOf(after.status, name)) - Number(textOf(before.status, name))
  const [slow, all] = [grown('slow_queries'), grown('questions')]
  return slow >= 0 && all > 0 ? { slow, all } : undefined
}
