// Who provisions, starts and stops: orchestrators, their hosts, their scripts.

import { list } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { boolean, oneOf, text } from '../../kit/shape.js'

/** Who provisions, starts and stops the databases of a cluster. */
export const orchestrators = ['onpremise', 'local', 'opensvc', 'kube', 'slapos'] as const

export const orchestratorSettings = {
  'prov-orchestrator': setting({
    shape: oneOf(orchestrators),
    default: 'onpremise',
    scope: 'cluster',
    apply: 'live',
    machine: 'account',
    grant: 'prov-settings',
    doc: 'Orchestrator of the cluster.',
  }),
  'prov-orchestrator-enable': setting({
    shape: list(),
    default: ['onpremise', 'local'],
    scope: 'server',
    apply: 'restart',
    doc: 'Orchestrators offered.',
  }),
  'prov-local-user': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'account',
    grant: 'prov-settings',
    doc: 'System user that local services run as when the manager is root; empty: as root.',
  }),
  'prov-serialized': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    doc: 'One server at a time.',
  }),
  'prov-db-bootstrap-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    grant: 'prov-settings',
    doc: 'Creates a database instead of the orchestrator; arguments: host, port, user, an empty one, cluster; password in MANAGER_SERVICE_PASSWORD.',
  }),
  'prov-db-cleanup-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    grant: 'prov-settings',
    doc: 'Removes a database; same arguments and environment.',
  }),
  'prov-db-start-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    grant: 'prov-settings',
    doc: 'Starts a database; same arguments and environment.',
  }),
  'prov-db-stop-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    grant: 'prov-settings',
    doc: 'Stops a database; same arguments and environment.',
  }),
  'prov-proxy-bootstrap-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    grant: 'prov-settings',
    doc: 'Creates a proxy; same arguments and environment.',
  }),
  'prov-proxy-cleanup-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    grant: 'prov-settings',
    doc: 'Removes a proxy; same arguments and environment.',
  }),
  'prov-proxy-start-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    grant: 'prov-settings',
    doc: 'Starts a proxy; same arguments and environment.',
  }),
  'prov-proxy-stop-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    grant: 'prov-settings',
    doc: 'Stops a proxy; same arguments and environment.',
  }),
}
