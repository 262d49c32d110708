// Plans and units of resources.
import { setting } from '../../kit/row.js'
import { text } from '../../kit/shape.js'

export const unitSettings = {
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
}
