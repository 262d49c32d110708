// What holds for every kind of proxy.
import { setting } from '../../kit/row.js'
import { boolean, integer, text } from '../../kit/shape.js'

export const proxySettings = {
  'proxy-servers-read-on-master': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'The primary takes reads too.',
  }),
  'proxy-servers-read-on-master-no-slave': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'The primary takes reads when no replica can.',
  }),
  'proxy-servers-backend-compression': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Compresses the traffic between proxy and databases.',
  }),
  'proxy-servers-backend-max-connections': setting({
    shape: integer({ min: 1, unit: 'connections' }),
    default: 1000,
    scope: 'cluster',
    apply: 'live',
    doc: 'Connections of a proxy to one database.',
  }),
  'proxy-servers-backend-max-replication-lag': setting({
    shape: integer({ unit: 'seconds' }),
    default: 30,
    scope: 'cluster',
    apply: 'live',
    doc: 'Most lag of a database that takes reads.',
  }),
  'proxy-servers-state-change-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    was: ['proxy-servers-change-state-script'],
    doc: 'Runs when a proxy changes state.',
  }),
}
