// The composition root of the daemon: the manager, the gateway that serves it, and the signals that end both.
import { type ManagerStart, openManager } from '../actors/manager/manager.js'
import { openApiDocument, routes } from '../http/api/index.js'
import { type Gateway, startGateway } from '../http/gateway/index.js'
import { openStatementKey } from '../lib/agent/key-file.js'
import { ok, type Result } from '../lib/base/result.js'
import type { Finding } from '../lib/model/finding.js'
import { listenOptions, liveOptions } from './daemon/gateway-options.js'
import { openNotifier } from './daemon/notify.js'
import { onSignals } from './daemon/signals.js'

/** Grace of actors at the end; the whole end takes less than 5 s. */
const STOP_MS = 3_500

/** Starts everything; settles when the gateway listens, or with what was wrong. Signals end it. */
export async function runManager(start: Omit<ManagerStart, 'hostEntry'>): Promise<Result<void>> {
  const opened = await openManager({ ...start, hostEntry: new URL('./host.js', import.meta.url) })
  if (!opened.ok) return opened
  const manager = opened.value
  const { clusters, tokens, browsers, security } = manager
  const key = await openStatementKey(clusters.server['monitoring-datadir'])
  if (!key.ok) {
    await manager.stop(0)
    return key
  }
  const listening = await startGateway({
    ...liveOptions(clusters),
    ...listenOptions(clusters.server),
    ...{ manager: manager.face, routes, openapi: () => openApiDocument(routes), tokens, log: security.write },
    ...{ browsers, workingDir: clusters.server['monitoring-datadir'], statementKey: key.value },
    ...(manager.peers ? { peers: manager.peers } : {}),
  })
  if (!listening.ok) {
    await manager.stop(0)
    return listening
  }
  const gateway = listening.value
  manager.judgeAskersBy(gateway.judgeAsker)
  manager.announcements.include(() => gatewayFindings(gateway))
  clusters.listen({ adopted: () => gateway.reconfigure(liveOptions(clusters)) })
  const service = openNotifier({
    environment: process.env,
    pid: process.pid,
    log: manager.log.write,
    beats: () => manager.beats(),
    condition: () => `${manager.condition()}, API on port ${gateway.apiPort}`,
  })
  const started = manager.start()
  if (!started.ok) return started
  manager.log.write('info', 'manager-started', {
    clusters: manager.face.clusters(),
    apiPort: gateway.apiPort,
    httpPort: gateway.httpPort,
  })
  onSignals({
    log: security.write,
    reload: () => manager.reload(),
    stop: async () => {
      const sent = service.stopping()
      await manager.stop(STOP_MS, () => gateway.close())
      await sent
    },
  })
  service.ready()
  return ok(undefined)
}

/** What is risky about the logins that the gateway accepts. */
function gatewayFindings(gateway: Gateway): readonly Finding[] {
  const defaults = gateway.defaultCredentialsInUse()
  const visitors = gateway.powerfulVisitors()
  return [
    ...(defaults.length > 0 ? [{ code: 'WARN0108', detail: `Users: ${defaults.join(', ')}.` } as const] : []),
    ...(visitors.length > 0 ? [{ code: 'WARN0240', detail: `${visitors.join(', ')}.` } as const] : []),
  ]
}
