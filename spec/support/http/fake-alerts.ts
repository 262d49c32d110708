// Alerts without a manager behind them: every answer succeeds, or is the failure that a spec sets.
import type { AlertsFace } from '../../../actors/protocol/manager/alerts.js'
import type { AlertSilence } from '../../../lib/model/alert.js'
import type { Answerer } from './fake-configurator.js'

const silence: AlertSilence = {
  ...{ id: '5f1e0c7a9b3d', cluster: 'demo', codes: [], servers: [], owner: 'ann', reason: 'rack move' },
  ...{ createdAt: 1_000, startsAt: 1_000, endsAt: 2_000 },
}

export const fakeAlerts = (answer: Answerer): AlertsFace => ({
  list: () => [
    { code: 'ERR00012', severity: 'error', text: 'No primary was found.', hint: 'Check the servers.', since: 1_000 },
  ],
  receivers: (clusters) => [
    {
      channel: 'mail',
      receiver: 'ops@example.com by mail:25',
      clusters,
      onlyEscalations: false,
      waiting: 0,
      sentAt: 1_000,
    },
  ],
  escalation: (clusters) => [{ afterMs: 900_000, clusters }],
  silences: () => [silence],
  silence: async (request) => answer('silence', request, silence),
  endSilence: async (request) => answer('endSilence', request, silence),
  acknowledge: async (request) => answer('acknowledge', request, { acknowledged: 1 }),
  unacknowledge: async (request) => answer('unacknowledge', request, { acknowledged: 1 }),
  test: async (request) => answer('test', request, [{ channel: 'mail', receiver: 'ops@example.com by mail:25' }]),
})
