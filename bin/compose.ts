// A running manager from a sound configuration: everything started in order, stopped in reverse.

import path from 'node:path'
import { createArchiveService } from '../actors/archive/archives.js'
import { keepTidy } from '../actors/kernel/tidy.js'
import { Clusters } from '../actors/manager/configuration/clusters.js'
import { configurationFindings } from '../actors/manager/configuration/configuration-findings.js'
import { saveOutdated } from '../actors/manager/configuration/save-outdated.js'
import { Users } from '../actors/manager/configuration/users.js'
import { Configurator } from '../actors/manager/configurator/configurator.js'
import { listTags } from '../actors/manager/configurator/tags.js'
import { Deliveries } from '../actors/manager/delivery/deliveries.js'
import { offerTags } from '../actors/manager/delivery/offered-tags.js'
import { Face } from '../actors/manager/face.js'
import { EventHub } from '../actors/manager/outlet/event-hub.js'
import { Graphite } from '../actors/manager/outlet/graphite.js'
import { createLog, type Log, type ManagerLog, verbosityOf } from '../actors/manager/outlet/log.js'
import { openLogFile } from '../actors/manager/outlet/log-file.js'
import { openMetrics } from '../actors/manager/outlet/metrics.js'
import { createSecurityLog } from '../actors/manager/outlet/security-log.js'
import { Rotations } from '../actors/manager/rotation/rotations.js'
import { clusterViews } from '../actors/protocol/cluster.js'
import { Supervisor } from '../actors/supervisor/index.js'
import { openApiDocument, routes } from '../http/api/index.js'
import { type Gateway, startGateway } from '../http/gateway/index.js'
import type { AccessLists, AccessOptions } from '../lib/access/index.js'
import { sharePath } from '../lib/base/package-root.js'
import { done, fail, ok, type Result } from '../lib/base/result.js'
import { reveal } from '../lib/base/secret.js'
import { isoTime, now } from '../lib/base/time.js'
import type { Finding } from '../lib/model/finding.js'
import { accessLists } from '../lib/settings/access-lists.js'
import { type Fault, renderFault } from '../lib/settings/fault.js'
import { type Loaded, type LoadInput, loadConfiguration } from '../lib/settings/load.js'
import type { Settings } from '../lib/settings/table/index.js'
import { ApiTokens, recordActorCrash } from '../lib/store/index.js'
import { onSignals } from './daemon/signals.js'

/** How soon a changed membership of a cluster is known to the gateway. */
const MEMBERS_MS = 100
/** Grace of actors at the end; the whole end takes less than 5 s. */
const STOP_MS = 3_500

/** A configuration without faults. */
export type Sound = Extract<Loaded, { readonly ok: true }>

/** Starts everything; settles when the gateway listens, or with what was wrong. Signals end it. */
export async function runManager(loaded: Sound, input: LoadInput): Promise<Result<void>> {
  const { configuration } = loaded
  const { server } = configuration
  let { warnings } = loaded
  const logged = await openLog(server.settings)
  if (!logged.ok) return logged
  const log = logged.value
  await saveOutdated(loaded, log.write)
  const archives = await createArchiveService({
    rulesDir: sharePath('rules', 'database'),
    workingDir: server.settings['monitoring-datadir'],
  })
  if (!archives.ok) return archives

  const security = createSecurityLog(server.settings, log.write)
  const { tokens, damage } = await ApiTokens.open(path.join(server.settings['monitoring-datadir'], 'api-tokens.json'))
  for (const problem of damage) log.write('error', 'api-tokens-damaged', { problem })

  const rules = { database: archives.value.rules, proxy: archives.value.proxyRules }
  offerTags(listTags(rules))
  const supervisor = new Supervisor({
    entry: new URL('./host.js', import.meta.url),
    kinds: { cluster: { views: clusterViews } },
    onCrash: (record) => {
      log.write('error', 'actor-crashed', { ...record })
      void recordActorCrash(server.settings['monitoring-datadir'], {
        at: record.at,
        actor: record.actor ?? record.thread,
        message: `${record.cause}: ${record.reason}; ${record.consequence}`,
        stack: record.stack ?? '',
      })
    },
  })
  const events = new EventHub()
  supervisor.onEvent((event) => {
    log.event(event)
    events.publish(event)
  })

  let gateway: Gateway | undefined
  const clusters = new Clusters(supervisor, configuration, {
    // What all clusters together are looked through for: not once for each of them.
    adopted: () => {
      gateway?.reconfigure(liveOptions(clusters))
      announce()
    },
    changed: (cluster, names, settled) => {
      if (cluster === '') {
        log.set(verbosityOf(clusters.server))
        graphite.changed()
      } else {
        configurator.reconfigured(cluster, settled ? [] : names)
        deliveries.changed(cluster)
      }
    },
  })
  /** Findings of the manager itself that a cluster, or every one, shows among its own. */
  const announce = (names: Iterable<string> = clusters.configuration.clusters.keys()): void => {
    const shared = ownFindings(gateway, supervisor).filter(({ code }) => code === 'WARN0108' || code === 'WARN0240')
    for (const name of names) {
      const own = configurationFindings(clusters.configuration, warnings, name)
      clusters.announce(name, [
        ...shared,
        ...own,
        ...deliveries.findings(name, now()),
        ...configurator.findings(name),
        ...rotations.findings(name),
      ])
    }
  }
  const deliveries = new Deliveries({
    archives: archives.value,
    settings: (cluster) => clusters.settings(cluster),
    settle: (cluster) => configurator.settle(cluster),
    log: security.write,
    onFindings: (cluster) => announce([cluster]),
  })
  const reload = async (): Promise<Result<void>> => {
    const replaced = await clusters.replace(async (running) => {
      const read = await loadConfiguration(input, running)
      tell(log.write, read.warnings)
      if (!read.ok) return fail('bad-configuration', read.faults.map(renderFault).join('\n'))
      warnings = read.warnings
      await saveOutdated(read, log.write)
      return ok(read.configuration)
    })
    announce()
    return replaced
  }
  const configurator = new Configurator({
    ...{ clusters, rules, known: archives.value.known },
    log: security.write,
    cluster: (name) => supervisor.ref(name),
    members: (name) => face.members(name),
    changed: (cluster) => deliveries.changed(cluster),
    onFindings: (cluster) => announce([cluster]),
  })
  const rotations = new Rotations({
    clusters,
    cluster: (name) => supervisor.ref(name),
    log: security.write,
    onFindings: (cluster) => announce([cluster]),
  })
  const metrics = openMetrics({ supervisor, face: () => face, securityEvents: security.counts })
  const graphite = new Graphite({
    settings: () => clusters.server,
    clusters: () => face.clusters(),
    frame: async (cluster) => {
      const view = await face.view(cluster, 'metrics')
      return view.ok ? view.value.bytes : undefined
    },
    log: log.write,
    now: Date.now,
  })
  const face: Face = new Face({
    graphite,
    clusters,
    supervisor,
    deliveries,
    configurator,
    rotations,
    users: new Users(clusters, tokens, security.write),
    events,
    log: security.write,
    findings: () => ownFindings(gateway, supervisor),
    logLines: log.latest,
    reload,
    metrics: (form) => metrics.scrape(form),
  })

  const opened = await startGateway({
    ...liveOptions(clusters),
    ...listenOptions(server.settings),
    manager: face,
    routes,
    openapi: () => openApiDocument(routes),
    tokens,
    log: security.write,
  })
  if (!opened.ok) {
    await Promise.all([supervisor.stop(0), deliveries.close()])
    return opened
  }
  gateway = opened.value
  const started = clusters.start()
  if (!started.ok) return started
  announce()
  const members = setInterval(() => void face.refreshMembers(), MEMBERS_MS)
  configurator.start(face.clusters())
  const endTidying = keepTidy()
  for (const name of face.clusters()) deliveries.changed(name)
  void configurator.plans.start()
  void rotations.start(face.clusters())
  log.write('info', 'manager-started', {
    clusters: face.clusters(),
    apiPort: gateway.apiPort,
    httpPort: gateway.httpPort,
  })

  onSignals({
    log: security.write,
    reload,
    stop: async () => {
      clearInterval(members)
      endTidying()
      configurator.close()
      rotations.close()
      metrics.close()
      graphite.close()
      await Promise.all([opened.value.close(), supervisor.stop(STOP_MS), deliveries.close(), tokens.close()])
      await Promise.all([security.close(), log.close()])
    },
  })
  return done
}

/** The log, with its file where there is to be one. Failure: `file-unwritable`. */
async function openLog(server: Settings): Promise<Result<ManagerLog>> {
  const verbosity = verbosityOf(server)
  if (server['log-file'] === '') return ok(createLog(verbosity))
  const file = await openLogFile({
    file: server['log-file'],
    maxBytes: server['log-rotate-max-size'] * MEGABYTE,
    keep: server['log-rotate-max-backup'],
    keepDays: server['log-rotate-max-age'],
    dropped: (lines) => JSON.stringify({ level: 40, time: isoTime(now()), lines, msg: 'lines-dropped' }),
  })
  return file.ok ? ok(createLog(verbosity, file.value)) : file
}

const MEGABYTE = 1_048_576

function liveOptions(clusters: Clusters) {
  const { server } = clusters
  return {
    access: accessOptions(clusters),
    tokenHours: server['api-token-timeout'],
    userTokens: server['api-user-tokens'],
    tokenDays: server['api-user-tokens-default-expire-days'],
    ...(server['api-oauth-provider-url'] ? { provider: providerOf(server) } : {}),
    visitors: {
      ...(server['api-autologin'] ? { autologin: server['api-autologin-user'] } : {}),
      ...(server['api-dashboard-user'] ? { dashboard: server['api-dashboard-user'] } : {}),
    },
  }
}

const providerOf = (server: Settings) => ({
  url: server['api-oauth-provider-url'],
  clientId: server['api-oauth-client-id'],
  clientSecret: server['api-oauth-client-secret'],
  redirectUrl: server['api-oauth-redirect-url'] || `${server['api-public-url']}/api/auth/callback`,
  claim: server['api-oauth-user-claim'],
})

/** Users and grants of the server and, where a cluster's own differ, of the cluster. */
function accessOptions({ server, configuration }: Clusters): AccessOptions {
  const shared = accessLists(server)
  const own = [...configuration.clusters]
    .map(([name, { settings }]) => [name, accessLists(settings)] as const)
    .filter(([, lists]) => !sameLists(lists, shared))
  return { ...shared, clusters: Object.fromEntries(own) }
}

const sameLists = (left: AccessLists, right: AccessLists): boolean =>
  left.allow === right.allow && left.discard === right.discard && reveal(left.credentials) === reveal(right.credentials)

function listenOptions(server: Settings) {
  const [certFile, keyFile] = [server['monitoring-ssl-cert'], server['monitoring-ssl-key']]
  return {
    ...(server['api-server'] ? { api: { host: server['api-bind'], port: server['api-port'] } } : {}),
    ...(server['http-server'] ? { http: { host: server['http-bind-address'], port: server['http-port'] } } : {}),
    httpsBind: server['api-https-bind'],
    ...(certFile && keyFile ? { certificate: { certFile, keyFile } } : {}),
  }
}

function ownFindings(gateway: Gateway | undefined, supervisor: Supervisor): readonly Finding[] {
  const defaults = gateway?.defaultCredentialsInUse() ?? []
  const visitors = gateway?.powerfulVisitors() ?? []
  return [
    ...(defaults.length > 0 ? [{ code: 'WARN0108', detail: `Users: ${defaults.join(', ')}.` } as const] : []),
    ...(visitors.length > 0 ? [{ code: 'WARN0240', detail: `${visitors.join(', ')}.` } as const] : []),
    ...[...supervisor.quarantined()].map(([id, reason]) => ({ code: 'ERR00118', detail: `${id}: ${reason}` }) as const),
  ]
}

function tell(log: Log, warnings: readonly Fault[]): void {
  for (const warning of warnings) log('warn', 'configuration', { warning: renderFault(warning) })
}
