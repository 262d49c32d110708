// Handlers of reads: of the state, of what would be done, and of servers on request. Pure.
import { fail, ok } from '../../../../lib/base/result.js'
import { SECOND } from '../../../../lib/base/time.js'
import { compareVariables } from '../../../../lib/decide/findings/variable-diff.js'
import { isRebuilt } from '../../../../lib/model/operation/roll.js'
import { addressText } from '../../../../lib/model/server/server.js'
import {
  answer,
  defer,
  type Handlers,
  refuse,
  withAnswering,
  withProbed,
  withReported,
} from '../../state/step/outcome.js'
import { listMissing } from './missing.js'
import { lastReading, readRequest } from './read-request.js'
import { readUsage } from './usage.js'

export const readHandlers = {
  snapshot: (state) => answer(state, state.snapshot),

  usage: (state) => {
    const usage = readUsage(state)
    return usage.ok ? answer(state, usage.value) : refuse(state, usage)
  },

  explain: (state) => answer(state, state.verdict),

  'diff-variables': (state) => {
    const { servers, primary } = state.snapshot
    return answer(state, state.settings['monitoring-variable-diff'] ? compareVariables(servers, primary) : [])
  },

  'wait-databases': (state, { seconds }, { now, since }) => {
    const missing = listMissing(state)
    if (missing.length === 0) return answer(state, undefined)
    const until = since + seconds * SECOND
    // Servers that were never up are probed rarely: a user waits for them now.
    if (now < until) return { state, commands: now === since ? [{ type: 'probe-now' }] : [], reply: { until } }
    return refuse(state, fail('deadline-passed', `not within ${seconds} s: ${missing.join('; ')}`))
  },

  read: (state, { server, what, last = false }, arrival) =>
    withProbed(state, { server, arrival }, (member) => {
      const read = what === 'status-delta' ? 'status' : what
      const isDelta = what === 'status-delta'
      const kept = last && member.observation !== 'answered' && !isDelta ? lastReading(member, read) : undefined
      if (kept) return { state, commands: [], reply: ok(kept) }
      const request = readRequest(state, member, read)
      if (request.ok) return defer(state, arrival, { type: 'read', isDelta, ...request.value })
      if (request.failure.code !== 'sql-refused' || (read !== 'error-log' && read !== 'slow-queries'))
        return refuse(state, request)
      const { 'monitoring-erreur-log-length': errors, 'monitoring-long-query-log-length': slow } = state.settings
      const rows = read === 'error-log' ? errors : slow
      return defer(state, arrival, { type: 'read-kept', server, what: read, rows, failure: request })
    }),

  'read-busy': (state, { server }, arrival) => {
    const servers = state.snapshot.servers
      .filter(({ id, observation }) => observation === 'answered' && (server === undefined || id === server))
      .flatMap((member) => {
        const status = readRequest(state, member, 'status')
        if (!status.ok) return []
        return [
          { url: addressText(member), status: status.value, processes: readRequest(state, member, 'processlist') },
        ]
      })
    return defer(state, arrival, { type: 'read-busy', servers })
  },

  'explain-statement': (state, { server: id, ...request }, arrival) =>
    withAnswering(state, { server: id, arrival }, (server, member) =>
      defer(state, arrival, {
        ...{ type: 'explain', server, ...request },
        slowQueries: readRequest(state, member, 'slow-queries'),
        mostEntries: state.settings['monitoring-long-query-log-length'],
      }),
    ),

  'read-series': (state, request, arrival) => defer(state, arrival, { type: 'read-series', ...request }),

  'read-recording': (state, request, arrival) => defer(state, arrival, { type: 'read-recording', ...request }),

  'read-configuration': (state, { server: id }, arrival) =>
    withReported(state, { server: id, arrival }, (server) =>
      isRebuilt(state.roll, id)
        ? refuse(state, fail('operation-running', `${server.spec.name} is being rebuilt: read it when that has ended`))
        : defer(state, arrival, { type: 'read-configuration', server }),
    ),
} as const satisfies Partial<Handlers>
