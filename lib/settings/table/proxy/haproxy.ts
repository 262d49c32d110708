// HAProxy: addresses, ports, backends.
import { secret } from '../../../base/secret.js'
import { hosts } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { boolean, nonEmpty, oneOf, port, secretText, text } from '../../kit/shape.js'

export const haproxySettings = {
  haproxy: setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'The cluster has HAProxy proxies.',
  }),
  'haproxy-mode': setting({
    shape: oneOf(['runtimeapi', 'standby', 'externalcheck', 'dataplaneapi']),
    default: 'runtimeapi',
    scope: 'cluster',
    apply: 'live',
    doc: 'How it is configured: through its runtime API, or by health checks that it runs itself.',
  }),
  'haproxy-servers': setting({
    shape: hosts(),
    default: ['127.0.0.1'],
    scope: 'cluster',
    apply: 'live',
    doc: 'HAProxy hosts.',
  }),
  'haproxy-user': setting({
    shape: text(),
    default: 'admin',
    scope: 'cluster',
    apply: 'live',
    jsonWas: ['haproxylUser'],
    doc: 'Account of its administration.',
  }),
  'haproxy-password': setting({
    shape: secretText(),
    default: secret('admin'),
    scope: 'cluster',
    apply: 'live',
    doc: 'Password of that account.',
  }),
  'haproxy-write-port': setting({
    shape: port(),
    default: 3306,
    scope: 'cluster',
    apply: 'live',
    doc: 'Port that takes writes.',
  }),
  'haproxy-read-port': setting({
    shape: port(),
    default: 3307,
    scope: 'cluster',
    apply: 'live',
    doc: 'Port that takes reads.',
  }),
  'haproxy-stat-port': setting({
    shape: port(),
    default: 1988,
    scope: 'cluster',
    apply: 'live',
    doc: 'Port of its statistics.',
  }),
  'haproxy-api-port': setting({
    shape: port(),
    default: 1999,
    scope: 'cluster',
    apply: 'live',
    json: 'haproxyAPIPort',
    doc: 'Port of its runtime API.',
  }),
  'haproxy-api-read-backend': setting({
    shape: text(nonEmpty),
    default: 'service_read',
    scope: 'cluster',
    apply: 'live',
    json: 'haproxyAPIReadBackend',
    doc: 'Backend of the read port.',
  }),
  'haproxy-api-write-backend': setting({
    shape: text(nonEmpty),
    default: 'service_write',
    scope: 'cluster',
    apply: 'live',
    json: 'haproxyAPIWriteBackend',
    doc: 'Backend of the write port.',
  }),
  'haproxy-ip-write-bind': setting({
    shape: text(),
    default: '0.0.0.0',
    scope: 'cluster',
    apply: 'live',
    doc: 'Address the write port binds to.',
  }),
  'haproxy-ip-read-bind': setting({
    shape: text(),
    default: '0.0.0.0',
    scope: 'cluster',
    apply: 'live',
    doc: 'Address the read port binds to.',
  }),
  'haproxy-binary-path': setting({
    shape: text(),
    default: '/usr/sbin/haproxy',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    doc: 'The program.',
  }),
}
