// What the gateway is started with and what may change while it runs, read from the settings.
import type { Clusters } from '../../actors/manager/configuration/clusters.js'
import type { HistoryPlaces } from '../../http/api/views/kit/me.js'
import type { GatewayOptions, LiveOptions } from '../../http/gateway/index.js'
import type { AccessLists, AccessOptions } from '../../lib/access/index.js'
import { reveal } from '../../lib/base/secret.js'
import { SECOND } from '../../lib/base/time.js'
import { accessLists } from '../../lib/settings/configuration/access-lists.js'
import { publicUrl } from '../../lib/settings/configuration/public-url.js'
import type { Settings } from '../../lib/settings/table/index.js'

export function liveOptions(clusters: Clusters): LiveOptions {
  const { server } = clusters
  return {
    access: accessOptions(clusters),
    tokenHours: server['api-token-timeout'],
    sessionMs: server['http-session-lifetime'] * SECOND,
    refreshMs: server['http-refresh-interval'],
    history: historyPlaces(server),
    staticMaxAge: server['cache-static-max-age'],
    pageOrigins: server['http-root-origins'],
    origins: server['api-allowed-origins'],
    trustedProxies: server['api-trusted-proxies'],
    userTokens: server['api-user-tokens'],
    tokenDays: server['api-user-tokens-default-expire-days'],
    ...(server['api-oauth-provider-url'] ? { provider: providerOf(server) } : {}),
    visitors: {
      ...(server['api-autologin'] ? { autologin: server['api-autologin-user'] } : {}),
      ...(server['api-dashboard-user'] ? { dashboard: server['api-dashboard-user'] } : {}),
    },
  }
}

const historyPlaces = (server: Settings): HistoryPlaces => ({
  prometheus: server['prometheus-url'] || null,
  grafana: server['grafana-url'] || null,
  grafanaCluster: server['grafana-cluster-dashboard'],
  grafanaServer: server['grafana-server-dashboard'],
})

const providerOf = (server: Settings) => ({
  url: server['api-oauth-provider-url'],
  clientId: server['api-oauth-client-id'],
  clientSecret: server['api-oauth-client-secret'],
  redirectUrl: server['api-oauth-redirect-url'] || `${publicUrl(server)}/api/auth/callback`,
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

/** Where the gateway listens, and with which certificate: read once, at the start. */
export function listenOptions(
  server: Settings,
): Pick<GatewayOptions, 'api' | 'http' | 'httpsBind' | 'certificate' | 'page'> {
  const [certFile, keyFile] = [server['monitoring-ssl-cert'], server['monitoring-ssl-key']]
  return {
    ...(server['api-server'] ? { api: { host: server['api-bind'], port: server['api-port'] } } : {}),
    ...(server['http-server'] ? { http: { host: server['http-bind-address'], port: server['http-port'] } } : {}),
    httpsBind: server['api-https-bind'],
    page: { root: server['http-root'] },
    ...(certFile && keyFile ? { certificate: { certFile, keyFile } } : {}),
  }
}
