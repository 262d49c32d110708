// Where the clusters of a fleet are kept: by one manager in its files, or by several in etcd.
import { secret } from '../../../base/secret.js'
import { list } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { filePath, integer, oneOf, secretText, type TextRule, text } from '../../kit/shape.js'

const endpoint = {
  pattern: /^https?:\/\/[^\s/,]+\/?$/,
  allowed: 'http or https addresses without a path, as https://10.0.0.1:2379',
}

const prefix: TextRule = { pattern: /^\/[\w./-]*\w$/, allowed: 'a path that begins with a slash' }

const address: TextRule = { pattern: /^$|^https?:\/\/[^\s/]+\/?$/, allowed: 'an http or https address, or nothing' }

export const clusterStoreSettings = {
  'cluster-store': setting({
    shape: oneOf(['files', 'etcd']),
    default: 'files',
    scope: 'server',
    apply: 'restart',
    doc: 'files: this manager alone has all clusters. etcd: several instances with the same configuration files share them; each cluster has one owner, which acts.',
  }),
  'cluster-store-endpoints': setting({
    shape: list(endpoint),
    default: [],
    scope: 'server',
    apply: 'restart',
    machine: 'key',
    doc: 'Addresses of the members of etcd (3.4 and later), separated by commas.',
  }),
  'cluster-store-user': setting({
    shape: text(),
    default: '',
    scope: 'server',
    apply: 'restart',
    machine: 'key',
    doc: 'User of etcd; empty: no login.',
  }),
  'cluster-store-password': setting({
    shape: secretText(),
    default: secret(''),
    scope: 'server',
    apply: 'restart',
    machine: 'key',
    doc: 'Password of the user of etcd.',
  }),
  'cluster-store-ca-cert': setting({
    shape: filePath(),
    default: '',
    scope: 'server',
    apply: 'restart',
    machine: 'key',
    doc: 'CA certificate of etcd (PEM); empty: those of the system.',
  }),
  'cluster-store-client-cert': setting({
    shape: filePath(),
    default: '',
    scope: 'server',
    apply: 'restart',
    machine: 'key',
    doc: 'Certificate that is shown to etcd (PEM), with cluster-store-client-key. Together with cluster-store-user it must have no common name: etcd refuses such a login.',
  }),
  'cluster-store-client-key': setting({
    shape: filePath(),
    default: '',
    scope: 'server',
    apply: 'restart',
    machine: 'key',
    doc: 'Key of that certificate (PEM).',
  }),
  'cluster-store-prefix': setting({
    shape: text(prefix),
    default: '/manager',
    scope: 'server',
    apply: 'restart',
    machine: 'key',
    doc: 'Path of the keys of this fleet in etcd: the same for all its instances, another one for each fleet.',
  }),
  'cluster-store-lease': setting({
    shape: integer({ min: 5, max: 300, unit: 's' }),
    default: 10,
    scope: 'server',
    apply: 'restart',
    doc: 'How long an instance that does not answer keeps its clusters, and how long an owner acts without etcd: the same for all instances.',
  }),
  'cluster-store-address': setting({
    shape: text(address),
    default: '',
    scope: 'server',
    apply: 'restart',
    machine: 'key',
    doc: 'Address of the API of this instance (https): users are sent there, and the others pass requests for its clusters on to it; empty: api-public-url.',
  }),
  'cluster-store-site': setting({
    shape: text(),
    default: '',
    scope: 'server',
    apply: 'restart',
    machine: 'key',
    doc: 'Site of this instance: it owns the clusters of the same cluster-site before others.',
  }),
  'cluster-site': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    doc: 'Site whose instances own the cluster while one of them runs (cluster-store-site); empty: any.',
  }),
}
