// ProxySQL: addresses, account, groups, what it is filled with.
import { secret } from '../../../base/secret.js'
import { hosts } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { boolean, integer, port, secretText, text } from '../../kit/shape.js'

export const proxysqlSettings = {
  proxysql: setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'The cluster has ProxySQL proxies.',
  }),
  'proxysql-servers': setting({
    shape: hosts(),
    default: [],
    scope: 'cluster',
    apply: 'live',
    doc: 'ProxySQL hosts.',
  }),
  'proxysql-port': setting({
    shape: port({ quoted: true }),
    default: 3306,
    scope: 'cluster',
    apply: 'live',
    doc: 'Port clients connect to.',
  }),
  'proxysql-admin-port': setting({
    shape: port({ quoted: true }),
    default: 6032,
    scope: 'cluster',
    apply: 'live',
    doc: 'Port of its administration.',
  }),
  'proxysql-user': setting({
    shape: text(),
    default: 'admin',
    scope: 'cluster',
    apply: 'live',
    doc: 'Account of its administration; the one called admin is let in from its own host only.',
  }),
  'proxysql-password': setting({
    shape: secretText(),
    default: secret('admin'),
    scope: 'cluster',
    apply: 'live',
    doc: 'Password of that account.',
  }),
  'proxysql-writer-hostgroup': setting({
    shape: integer({ quoted: true }),
    default: 0,
    scope: 'cluster',
    apply: 'live',
    doc: 'Group that takes writes.',
  }),
  'proxysql-reader-hostgroup': setting({
    shape: integer({ quoted: true }),
    default: 1,
    scope: 'cluster',
    apply: 'live',
    doc: 'Group that takes reads.',
  }),
  'proxysql-bootstrap': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    was: ['proxysql-bootstrap-servers'],
    doc: 'Fills it with the servers of the cluster.',
  }),
  'proxysql-bootstrap-users': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    was: ['proxysql-copy-grants'],
    jsonWas: ['proxysqlBootstrapyUsers'],
    doc: 'Fills it with the users of the databases, and keeps their passwords right.',
  }),
  'proxysql-bootstrap-variables': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Sets its variables.',
  }),
  'proxysql-bootstrap-hostgroups': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Sets its replication groups.',
  }),
  'proxysql-bootstrap-query-rules': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Makes the query rules that send reads to the group that takes them, behind those that are there.',
  }),
  'proxysql-save-to-disk': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Makes it save what it was told, a rotated password of its monitor among it.',
  }),
  'proxysql-multiplexing': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Sessions share connections to databases; told with proxysql-bootstrap-variables.',
  }),
}
