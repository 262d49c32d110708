// MaxScale: addresses, account, ports.
import { secret } from '../../../base/secret.js'
import { hosts } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { boolean, filePath, port, secretText, text } from '../../kit/shape.js'

export const maxscaleSettings = {
  maxscale: setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'The cluster has MaxScale proxies.',
  }),
  'maxscale-servers': setting({
    shape: hosts(),
    default: [],
    scope: 'cluster',
    apply: 'live',
    doc: 'MaxScale hosts.',
  }),
  'maxscale-port': setting({
    shape: port({ quoted: true }),
    default: 6603,
    scope: 'cluster',
    apply: 'live',
    doc: 'Port of its administration.',
  }),
  'maxscale-user': setting({
    shape: text(),
    default: 'admin',
    scope: 'cluster',
    apply: 'live',
    doc: 'Account of its administration.',
  }),
  'maxscale-pass': setting({
    shape: secretText(),
    default: secret('mariadb'),
    scope: 'cluster',
    apply: 'live',
    doc: 'Password of that account.',
  }),
  'maxscale-tls': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Uses TLS for the administration API; without it the password is sent in clear text.',
  }),
  'maxscale-tls-ca-cert': setting({
    shape: filePath(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'file',
    doc: 'CA certificate file (PEM) that its certificate is checked against; empty: the authorities known to Node.js.',
  }),
  'maxscale-tls-verify': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'Verifies the certificate: signed by that authority, issued for the host as written in maxscale-servers. Without it, an attacker on the network can read the password.',
  }),
  'maxscale-write-port': setting({
    shape: port(),
    default: 3306,
    scope: 'cluster',
    apply: 'live',
    doc: 'Port that takes writes.',
  }),
  'maxscale-read-port': setting({
    shape: port(),
    default: 3307,
    scope: 'cluster',
    apply: 'live',
    doc: 'Port that takes reads.',
  }),
  'maxscale-read-write-port': setting({
    shape: port(),
    default: 3308,
    scope: 'cluster',
    apply: 'live',
    doc: 'Port that splits reads and writes.',
  }),
  'maxscale-maxinfo-port': setting({
    shape: port(),
    default: 3309,
    scope: 'cluster',
    apply: 'live',
    doc: 'Port of its information service.',
  }),
  'maxscale-binlog-port': setting({
    shape: port(),
    default: 3310,
    scope: 'cluster',
    apply: 'live',
    doc: 'Port of its binlog server.',
  }),
  'maxscale-disable-monitor': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Disables its own monitor.',
  }),
  'maxscale-server-match-port': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Matches servers by host and port, not by host alone.',
  }),
}
