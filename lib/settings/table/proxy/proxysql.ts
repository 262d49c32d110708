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
    doc: 'Administration account; the account named admin can log in from localhost only.',
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
    doc: 'Configures the servers of the cluster.',
  }),
  'proxysql-bootstrap-users': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    was: ['proxysql-copy-grants'],
    jsonWas: ['proxysqlBootstrapyUsers'],
    doc: 'Configures the users of the databases and keeps their passwords up to date.',
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
    doc: 'Creates query rules that send reads to the reader group, after existing rules.',
  }),
  'proxysql-save-to-disk': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Saves the applied configuration to its disk. A rotated password of its monitor is saved in any case.',
  }),
  'proxysql-multiplexing': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Sessions share connections to databases; applied with proxysql-bootstrap-variables.',
  }),
}
