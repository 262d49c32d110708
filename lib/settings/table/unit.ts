// Plans and units of resources.
import { setting } from '../kit.js'
import { integer, text } from '../shape.js'

export const unitSettings = {
  'prov-db-dbu': setting({
    shape: integer({ unit: 'units' }),
    default: 1,
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    used: false,
    doc: 'Database units of a server.',
  }),
  'prov-service-plan-apu': setting({
    shape: integer({ unit: 'units' }),
    default: 1,
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    used: false,
    doc: 'Application units of a cluster.',
  }),
  'prov-service-plan-bku': setting({
    shape: integer({ unit: 'units' }),
    default: 1,
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    used: false,
    doc: 'Backup units of a cluster.',
  }),
  'prov-service-plan': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    doc: 'Name of the service plan: choosing one sets memory, cores, disk and iops of databases and proxies.',
  }),
  'prov-service-plan-registry': setting({
    shape: text(),
    default: '',
    scope: 'server',
    apply: 'live',
    doc: 'Address or file of the list of plans, CSV or JSON; empty: the list that is shipped.',
  }),
  'resource-manager-infra-quota-pct': setting({
    shape: integer({ max: 1000, unit: 'percent' }),
    default: 100,
    scope: 'server',
    apply: 'restart',
    used: false,
    doc: 'Share of the capacity that may be sold.',
  }),
  'resource-manager-infra-cpu-cores': setting({
    shape: integer({ unit: 'cores' }),
    default: 0,
    scope: 'server',
    apply: 'restart',
    used: false,
    doc: 'Declared cores; 0: as reported.',
  }),
  'resource-manager-infra-memory-mb': setting({
    shape: integer({ unit: 'MB' }),
    default: 0,
    scope: 'server',
    apply: 'restart',
    used: false,
    doc: 'Declared memory; 0: as reported.',
  }),
}
