// The face of the interface: every row of every table, and the documents printed from them.

import { listRoutes } from './kit/route.js'
import { actionRoutes } from './rows/cluster/actions.js'
import { alertRoutes } from './rows/cluster/alerts.js'
import { backupRoutes } from './rows/cluster/backups.js'
import { clusterReadRoutes } from './rows/cluster/cluster-reads.js'
import { clusterRoutes } from './rows/cluster/clusters.js'
import { fleetRoutes } from './rows/cluster/fleet.js'
import { membershipRoutes } from './rows/cluster/membership.js'
import { namedTestRoutes } from './rows/cluster/named-tests.js'
import { peerRoutes } from './rows/cluster/peers.js'
import { proxyRoutes } from './rows/cluster/proxies.js'
import { replicationRoutes } from './rows/cluster/replication.js'
import { rollingRoutes } from './rows/cluster/rolling.js'
import { rotationRoutes } from './rows/cluster/rotation.js'
import { scheduledRoutes } from './rows/cluster/scheduled.js'
import { serviceRoutes } from './rows/cluster/services.js'
import { topologyRoutes } from './rows/cluster/topology.js'
import { trialRoutes } from './rows/cluster/trials.js'
import { catalogueRoutes } from './rows/configuration/catalogue.js'
import { certificateRoutes } from './rows/configuration/certificates.js'
import { configurationRoutes } from './rows/configuration/configurations.js'
import { graphiteRoutes } from './rows/configuration/graphite.js'
import { planRoutes } from './rows/configuration/plans.js'
import { previewRoutes } from './rows/configuration/previews.js'
import { repositoryRoutes } from './rows/configuration/repository.js'
import { settingRoutes } from './rows/configuration/settings.js'
import { tagRoutes } from './rows/configuration/tags.js'
import { registrationRoutes } from './rows/hosted/registration.js'
import { selfServiceRoutes } from './rows/hosted/self-service.js'
import { globalRoutes } from './rows/monitor/global.js'
import { monitorRoutes } from './rows/monitor/monitor.js'
import { priceRoutes } from './rows/monitor/price.js'
import { runbookRoutes } from './rows/monitor/runbooks.js'
import { seriesRoutes } from './rows/monitor/series.js'
import { sessionRoutes } from './rows/monitor/session.js'
import { timelineRoutes } from './rows/monitor/timeline.js'
import { tokenRoutes } from './rows/monitor/tokens.js'
import { userRoutes } from './rows/monitor/users.js'
import { newServerRoutes } from './rows/recovery/new-server.js'
import { pointRoutes } from './rows/recovery/point.js'
import { recoveryRoutes } from './rows/recovery/recovery.js'
import { checksumRoutes } from './rows/schema/checksums.js'
import { schemaRoutes } from './rows/schema/schema.js'
import { checkRoutes } from './rows/server/checks.js'
import { configArchiveRoutes } from './rows/server/config-archive.js'
import { divergenceRoutes } from './rows/server/divergence.js'
import { hostScriptRoutes } from './rows/server/host-scripts.js'
import { hostRoutes } from './rows/server/hosts.js'
import { needRoutes } from './rows/server/needs.js'
import { queryActionRoutes } from './rows/server/query-actions.js'
import { returnRoutes } from './rows/server/returns.js'
import { serverActionRoutes } from './rows/server/server-actions.js'
import { serverActRoutes } from './rows/server/server-acts.js'
import { serverReadRoutes } from './rows/server/server-reads.js'

/** All rows, in the order of the documents. */
export const routes = listRoutes(
  sessionRoutes,
  tokenRoutes,
  userRoutes,
  monitorRoutes,
  globalRoutes,
  runbookRoutes,
  registrationRoutes,
  selfServiceRoutes,
  clusterRoutes,
  fleetRoutes,
  peerRoutes,
  clusterReadRoutes,
  topologyRoutes,
  alertRoutes,
  checkRoutes,
  timelineRoutes,
  seriesRoutes,
  actionRoutes,
  trialRoutes,
  namedTestRoutes,
  membershipRoutes,
  replicationRoutes,
  settingRoutes,
  repositoryRoutes,
  catalogueRoutes,
  previewRoutes,
  graphiteRoutes,
  planRoutes,
  priceRoutes,
  tagRoutes,
  configurationRoutes,
  serverReadRoutes,
  serverActionRoutes,
  queryActionRoutes,
  serverActRoutes,
  serviceRoutes,
  backupRoutes,
  recoveryRoutes,
  pointRoutes,
  newServerRoutes,
  rollingRoutes,
  returnRoutes,
  divergenceRoutes,
  checksumRoutes,
  schemaRoutes,
  scheduledRoutes,
  rotationRoutes,
  proxyRoutes,
  needRoutes,
  configArchiveRoutes,
  hostScriptRoutes,
  hostRoutes,
  certificateRoutes,
)

export { printAcl } from './docs/acl.js'
export { printApiTypes } from './docs/api-types.js'
export { printInertFields } from './docs/inert-fields.js'
export { openApiDocument, printOpenApi } from './docs/openapi.js'
export { printReference } from './docs/routes-doc.js'
