// A MaxScale of a cluster, as configured.
import { reveal } from '../../base/secret.js'
import { SECOND } from '../../base/time.js'
import type { Settings } from '../../settings/table/index.js'
import type { Proxy as ProxyAdapter } from '../kit/index.js'
import type { ProxyService } from '../kit/services.js'
import { createMaxscale } from './adapter.js'

export { createMaxscale, type MaxscaleConfig } from './adapter.js'

/** Longest time of one request: a failover waits for it. */
const QUESTION_MS = 500

export const openMaxscale = ({ id, name, host, port }: ProxyService, settings: Settings): ProxyAdapter =>
  createMaxscale({
    ...{ id, name, host, port, timeoutMs: QUESTION_MS, patienceMs: SECOND },
    user: settings['maxscale-user'],
    password: reveal(settings['maxscale-pass']),
    ...(settings['maxscale-tls']
      ? { tls: { caFile: settings['maxscale-tls-ca-cert'], verify: settings['maxscale-tls-verify'] } }
      : {}),
    rules: { own: settings['maxscale-disable-monitor'], byPort: settings['maxscale-server-match-port'] },
  })
