// For how long backups are kept, and how their bytes are stored and moved.
import { list } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { boolean, filePath, integer, oneOf } from '../../kit/shape.js'

const ports = () => list({ pattern: /^([1-9]\d{0,4})$/, allowed: 'ports' })

const keep = (count: number, doc: string) =>
  setting({ shape: integer(), default: count, scope: 'cluster', apply: 'live', doc })

export const storageSettings = {
  'backup-keep-hourly': keep(1, 'Backups kept of the latest hours that have one, one an hour, of each kind.'),
  'backup-keep-daily': keep(1, 'The same, one a day.'),
  'backup-keep-weekly': keep(4, 'The same, one a week.'),
  'backup-keep-monthly': keep(12, 'The same, one a month.'),
  'backup-keep-yearly': keep(2, 'The same, one a year. The newest valid backup of each kind is kept in any case.'),
  'backup-keep-until-valid': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Removes backups that are no longer kept only when the new one is valid; false: those that the new one will replace go before it begins, which needs less space. The newest valid one always stays.',
  }),
  'backup-disk-threshold-warn': setting({
    shape: integer({ max: 100, unit: '%' }),
    default: 85,
    scope: 'cluster',
    apply: 'live',
    doc: 'Use of the file system of the backups, with the estimate of the next one, that is reported; 0: never.',
  }),
  'backup-disk-threshold-crit': setting({
    shape: integer({ max: 100, unit: '%' }),
    default: 95,
    scope: 'cluster',
    apply: 'live',
    doc: 'Use at which no backup begins; 0: it always begins.',
  }),
  'compress-backups': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Compresses backups, by backup-compression.',
  }),
  'backup-compression': setting({
    shape: oneOf(['zstd', 'gzip']),
    default: 'zstd',
    scope: 'cluster',
    apply: 'live',
    doc: 'How; gzip is used where the program zstd is not installed.',
  }),
  'backup-encryption': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Encrypts backups in the age format with the newest key of the cluster. Keep a copy of the key file elsewhere: without it they cannot be decrypted.',
  }),
  'backup-encryption-key-file': setting({
    shape: filePath(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'key',
    doc: 'Keys of the backups (mode 0600), created when missing; empty: backup-keys.txt in the folder of the cluster.',
  }),
  'backup-encryption-recipients': setting({
    shape: list({ pattern: /^age1[0-9a-z]+$/, allowed: 'public keys (age1…)' }),
    default: [],
    scope: 'cluster',
    apply: 'live',
    doc: 'Further public keys that can decrypt new backups: of people, whose private keys are kept elsewhere.',
  }),
  'scheduler-db-servers-sender-ports': setting({
    shape: ports(),
    default: [],
    scope: 'cluster',
    apply: 'live',
    doc: 'Ports of the manager on which it receives the streams of hosts, one for each stream at a time; empty: any free port.',
  }),
  'scheduler-db-servers-receiver-ports': setting({
    shape: ports(),
    default: ['4444'],
    scope: 'cluster',
    apply: 'live',
    doc: 'Port of a host on which it receives a restore; with several, each server has one in the order of db-servers-hosts.',
  }),
  'scheduler-db-servers-receiver-use-ssl': setting({
    shape: boolean(),
    default: false,
    scope: 'server',
    apply: 'live',
    json: 'schedulerDbServersReceiverUseSSL',
    doc: 'Refuses streams without TLS. The scripts of this version always use TLS; older ones may not.',
  }),
  'sst-send-buffer': setting({
    shape: integer({ min: 512, max: 16_777_216, unit: 'bytes' }),
    default: 16_384,
    scope: 'cluster',
    apply: 'live',
    doc: 'Bytes that a restore sends to a host at a time.',
  }),
}
