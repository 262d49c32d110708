// The database servers of a cluster: addresses, account, timeouts, TLS.
import { secret } from '../../../base/secret.js'
import { hosts } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { boolean, credential, integer, text } from '../../kit/shape.js'

export const databaseSettings = {
  'db-servers-hosts': setting({
    shape: hosts(),
    default: [],
    scope: 'cluster',
    apply: 'live',
    doc: 'Database servers of the cluster.',
  }),
  'db-servers-credential': setting({
    shape: credential(),
    default: secret('root:mariadb'),
    scope: 'cluster',
    apply: 'live',
    doc: 'Account the manager monitors with.',
  }),
  'db-servers-prefered-master': setting({
    shape: hosts(),
    default: [],
    scope: 'cluster',
    apply: 'live',
    doc: 'Servers preferred in elections.',
  }),
  'db-servers-ignored-hosts': setting({
    shape: hosts(),
    default: [],
    scope: 'cluster',
    apply: 'live',
    doc: 'Servers never elected.',
  }),
  'db-servers-ignored-readonly': setting({
    shape: hosts(),
    default: [],
    scope: 'cluster',
    apply: 'live',
    doc: 'Servers whose read-only state is left alone.',
  }),
  'db-servers-connect-timeout': setting({
    shape: integer({ min: 1, max: 60, unit: 'seconds' }),
    default: 5,
    scope: 'cluster',
    apply: 'live',
    doc: 'Longest time a connection may take.',
  }),
  'db-servers-state-change-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    doc: 'Runs when a server changes state; arguments: address of the manager, old state, new state.',
  }),
  'db-servers-tls-use-generated-cert': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    json: 'dbServersUseGeneratedCert',
    doc: 'Sessions to databases use TLS with the certificates that the manager created for the cluster.',
  }),
  'db-servers-tls-ca-cert': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'file',
    doc: 'CA certificate file (PEM) that database certificates are checked against; sessions then use TLS. With only the client pair: the authorities known to Node.js.',
  }),
  'db-servers-public-keys': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'file',
    doc: 'File with the RSA public keys (PEM) of the MySQL servers of the cluster, one after the other. Without TLS a password is sealed for these keys only (caching_sha2_password, sha256_password); another key ends the login. Empty: the key that a server offers is accepted, so name it where TLS is not used.',
  }),
  'db-servers-tls-client-cert': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'file',
    doc: 'Client certificate file (PEM) shown to databases; sessions then use TLS.',
  }),
  'db-servers-tls-client-key': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'key',
    doc: 'Private key file (PEM) of that certificate.',
  }),
  'db-servers-tls-server-cert': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'file',
    doc: 'Server certificate file (PEM) delivered to databases in place of a generated one; db-servers-tls-ca-cert and the key go with it.',
  }),
  'db-servers-tls-server-key': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'key',
    doc: 'Private key file (PEM) of that certificate, delivered with it.',
  }),
}
