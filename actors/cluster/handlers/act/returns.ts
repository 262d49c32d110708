// Handlers of servers that are brought back: planned, asked for, remembered. Pure; `returns/returns.ts` carries it out.

import { done, ok } from '../../../../lib/base/result.js'
import { forgetHeld } from '../../../../lib/decide/situation/history/history.js'
import type { Memory } from '../../../../lib/model/memory.js'
import type { NewServer } from '../../../../lib/model/operation/recovery.js'
import type { ServerId } from '../../../../lib/model/server/server.js'
import { maintain } from '../../state/maintained.js'
import type { ClusterState } from '../../state/state.js'
import type { Step } from '../../state/step/emit.js'
import { judge } from '../../state/step/evaluate.js'
import { answer, defer, type Handlers, silent } from '../../state/step/outcome.js'

export const returnHandlers = {
  'plan-return': (state, request, arrival) => defer(state, arrival, { type: 'plan-return', ...request }),

  'begin-return': (state, request, arrival) => defer(state, arrival, { type: 'begin-return', ...request }),

  'cancel-return': (state, request, arrival) => defer(state, arrival, { type: 'cancel-return', ...request }),

  'read-divergence': (state, request, arrival) => defer(state, arrival, { type: 'read-divergence', ...request }),

  'plan-divergence': (state, request, arrival) => defer(state, arrival, { type: 'plan-divergence', ...request }),

  'settle-divergence': (state, request, arrival) => defer(state, arrival, { type: 'settle-divergence', ...request }),

  'begin-checksum': (state, request, arrival) => defer(state, arrival, { type: 'begin-checksum', ...request }),

  'plan-table-repair': (state, request, arrival) => defer(state, arrival, { type: 'plan-table-repair', ...request }),

  'begin-table-repair': (state, request, arrival) => defer(state, arrival, { type: 'begin-table-repair', ...request }),

  'begin-schema-scan': (state, request, arrival) => defer(state, arrival, { type: 'begin-schema-scan', ...request }),

  'read-schema': (state, _, arrival) => defer(state, arrival, { type: 'read-schema' }),

  'read-checksums': (state, _, arrival) => defer(state, arrival, { type: 'read-checksums' }),

  'read-checksum': (state, request, arrival) => defer(state, arrival, { type: 'read-checksum', ...request }),

  'keep-return': (state, { server, kept }, { now }) => {
    const { [server]: before, ...others } = state.memory.returns ?? {}
    if (!before && !kept) return silent({ state, commands: [] })
    const returns = kept ? { ...others, [server]: kept } : others
    const next = { ...state, memory: { ...state.memory, returns } }
    const isAligned = before?.active === kept?.active
    const judged = judge(isAligned ? next : maintain(next), now)
    return silent({
      state: judged.state,
      commands: [...judged.commands, { type: 'persist' }, ...(isAligned ? [] : ([{ type: 'align-proxies' }] as const))],
    })
  },

  'plan-cluster-recovery': (state, request, arrival) =>
    defer(state, arrival, { type: 'plan-cluster-recovery', ...request }),

  'begin-cluster-recovery': (state, request, arrival) =>
    defer(state, arrival, { type: 'begin-cluster-recovery', ...request }),

  'release-cluster-recovery': (state, request, arrival) =>
    defer(state, arrival, { type: 'release-cluster-recovery', ...request }),

  'plan-new-server': (state, request, arrival) => defer(state, arrival, { type: 'plan-new-server', ...request }),

  'enter-new-server': (state, request, arrival) => defer(state, arrival, { type: 'enter-new-server', ...request }),

  'make-new-server': (state, request, arrival) => defer(state, arrival, { type: 'make-new-server', ...request }),

  'await-new-server': (state, request, arrival) => defer(state, arrival, { type: 'await-new-server', ...request }),

  'unmake-new-server': (state, request, arrival) => defer(state, arrival, { type: 'unmake-new-server', ...request }),

  'forget-new-server': (state, request, arrival) => defer(state, arrival, { type: 'forget-new-server', ...request }),

  'new-servers': (state) => ({ state, commands: [], reply: ok(Object.values(state.memory.newServers ?? {})) }),

  'keep-new-server': (state, { server, kept }, { now }) => silent(keepNewServer(state, { server, kept }, now)),

  'leave-new-server': (state, { server, why }, { now }) => {
    const known = state.memory.newServers?.[server]
    if (!known) return answer(state, undefined)
    const kept: NewServer = { ...known, stage: 'removing', failure: why, left: true }
    return { ...keepNewServer(state, { server, kept }, now), reply: done }
  },

  'search-logs': (state, request, arrival) => defer(state, arrival, { type: 'search-logs', ...request }),

  'keep-recovery': (state, { kept, filled }, { now }) => {
    const { restoring: _, ...memory } = state.memory
    const next = {
      ...state,
      memory: kept ? { ...memory, restoring: kept } : filled ? begunAgain(memory, filled, now) : memory,
    }
    const judged = judge(maintain(next), now)
    return silent({
      state: judged.state,
      commands: [...judged.commands, { type: 'persist' }, { type: 'align-proxies' }],
    })
  },
} as const satisfies Partial<Handlers>

/** The history that the servers had before is given up; the copies of the primary are to follow it. */
function begunAgain(memory: Memory, filled: readonly ServerId[], now: number): Memory {
  const { closedByHand: _, closedWith: __, ambiguous: ___, ...rest } = forgetHeld(memory)
  const returns = Object.fromEntries(filled.map((id) => [id, { since: now, attempts: [], filled: true } as const]))
  return { ...rest, crashes: [], returns: { ...rest.returns, ...returns } }
}

interface Kept {
  readonly server: ServerId
  /** Absent: it is not remembered any more. */
  readonly kept?: NewServer | undefined
}

function keepNewServer(state: ClusterState, { server, kept }: Kept, now: number): Step {
  const { [server]: _, ...others } = state.memory.newServers ?? {}
  const newServers = kept ? { ...others, [server]: kept } : others
  const judged = judge(maintain({ ...state, memory: { ...state.memory, newServers } }), now)
  return { state: judged.state, commands: [...judged.commands, { type: 'persist' }, { type: 'align-proxies' }] }
}
