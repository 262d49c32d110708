// The face of the interface: every row of every table, and the documents printed from them.
import { actionRoutes } from './actions.js'
import { certificateRoutes } from './certificates.js'
import { checkRoutes } from './checks.js'
import { clusterReadRoutes } from './cluster-reads.js'
import { clusterRoutes } from './clusters.js'
import { configArchiveRoutes } from './config-archive.js'
import { configurationRoutes } from './configurations.js'
import { globalRoutes } from './global.js'
import { graphiteRoutes } from './graphite.js'
import { hostScriptRoutes } from './host-scripts.js'
import { membershipRoutes } from './membership.js'
import { monitorRoutes } from './monitor.js'
import { needRoutes } from './needs.js'
import { planRoutes } from './plans.js'
import { proxyRoutes } from './proxies.js'
import { queryActionRoutes } from './query-actions.js'
import { replicationRoutes } from './replication.js'
import { rollingRoutes } from './rolling.js'
import { rotationRoutes } from './rotation.js'
import { listRoutes } from './route.js'
import { serverActionRoutes } from './server-actions.js'
import { serverActRoutes } from './server-acts.js'
import { serverReadRoutes } from './server-reads.js'
import { serviceRoutes } from './services.js'
import { sessionRoutes } from './session.js'
import { settingRoutes } from './settings.js'
import { tagRoutes } from './tags.js'
import { tokenRoutes } from './tokens.js'
import { topologyRoutes } from './topology.js'
import { trialRoutes } from './trials.js'
import { userRoutes } from './users.js'

/** All rows, in the order of the documents. */
export const routes = listRoutes(
  sessionRoutes,
  tokenRoutes,
  userRoutes,
  monitorRoutes,
  globalRoutes,
  clusterRoutes,
  clusterReadRoutes,
  topologyRoutes,
  checkRoutes,
  actionRoutes,
  trialRoutes,
  membershipRoutes,
  replicationRoutes,
  settingRoutes,
  graphiteRoutes,
  planRoutes,
  tagRoutes,
  configurationRoutes,
  serverReadRoutes,
  serverActionRoutes,
  queryActionRoutes,
  serverActRoutes,
  serviceRoutes,
  rollingRoutes,
  rotationRoutes,
  proxyRoutes,
  needRoutes,
  configArchiveRoutes,
  hostScriptRoutes,
  certificateRoutes,
)

export { printAcl } from './acl.js'
export { openApiDocument, printOpenApi } from './openapi.js'
export { printReference } from './routes-doc.js'
