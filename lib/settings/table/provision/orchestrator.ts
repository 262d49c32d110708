// Who provisions, starts and stops: orchestrators, their hosts, their scripts.

import { list } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { boolean, oneOf, text } from '../../kit/shape.js'

export const orchestratorSettings = {
  'prov-orchestrator': setting({
    shape: oneOf(['onpremise', 'local', 'opensvc', 'kube', 'slapos']),
    default: 'onpremise',
    scope: 'cluster',
    apply: 'live',
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
    grant: 'prov-settings',
    doc: 'Creates a database instead of the orchestrator; arguments: host, port, user, password, cluster.',
  }),
  'prov-db-cleanup-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    doc: 'Removes a database; same arguments.',
  }),
  'prov-db-start-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    doc: 'Starts a database; same arguments.',
  }),
  'prov-db-stop-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    doc: 'Stops a database; same arguments.',
  }),
  'prov-proxy-bootstrap-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    doc: 'Creates a proxy; same arguments.',
  }),
  'prov-proxy-cleanup-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    doc: 'Removes a proxy; same arguments.',
  }),
  'prov-proxy-start-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    doc: 'Starts a proxy; same arguments.',
  }),
  'prov-proxy-stop-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    doc: 'Stops a proxy; same arguments.',
  }),
}
