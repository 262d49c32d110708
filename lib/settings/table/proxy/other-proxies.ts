// Further proxies: Spider shard proxy, built-in forwarder, virtual address, registry, janitor.

import { hosts } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { boolean, port } from '../../kit/shape.js'

export const otherProxySettings = {
  sphinx: setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'The cluster has a full-text daemon.',
  }),
  'sphinx-servers': setting({
    shape: hosts(),
    default: ['127.0.0.1'],
    scope: 'cluster',
    apply: 'live',
    doc: 'Hosts of the full-text daemon.',
  }),
  'sphinx-port': setting({
    shape: port({ quoted: true }),
    default: 9312,
    scope: 'cluster',
    apply: 'live',
    doc: 'Port of its own protocol.',
  }),
  'sphinx-sql-port': setting({
    shape: port({ quoted: true }),
    default: 9306,
    scope: 'cluster',
    apply: 'live',
    doc: 'Port that takes its SQL.',
  }),
}
