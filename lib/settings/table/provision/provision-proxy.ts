// Configuration of proxies: tags, resources, images, volumes.

import { list } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { boolean, integer, size, text } from '../../kit/shape.js'

export const provisionProxySettings = {
  'prov-proxy-tags': setting({
    shape: list(),
    default: ['masterslave', 'docker', 'linux', 'noreadwritesplit'],
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    doc: 'Tags of the proxy configuration.',
  }),
  'prov-proxy-memory': setting({
    shape: size('GB'),
    default: 1,
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    doc: 'Memory of a proxy.',
  }),
  'prov-proxy-cpu-cores': setting({
    shape: integer({ min: 1, unit: 'cores', quoted: true }),
    default: 1,
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    doc: 'Processor cores of a proxy.',
  }),
  'prov-proxy-start-fetch-config': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    doc: 'A proxy fetches its configuration when it starts.',
  }),
  'prov-proxy-route-addr': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    doc: 'Address that the proxies share, where the tag keepalived holds.',
  }),
  'prov-proxy-route-mask': setting({
    shape: text(),
    default: '255.255.255.0',
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    doc: 'Its mask, or the length of its prefix.',
  }),
  'prov-proxy-route-interface': setting({
    shape: text(),
    default: 'eth0',
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    doc: 'Network interface of the proxies that takes it.',
  }),
}
