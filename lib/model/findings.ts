// The registry of findings: one row per code. Codes are part of the interface: never renumbered, only retired.
import { errors } from './findings/errors.js'
import type { FindingRow, Row } from './findings/row.js'

export type { FindingRow } from './findings/row.js'

/** Codes WARN…: what is worth knowing and does not block. Their hints name variables as the databases spell them. */
const warnings = {
  WARN0003: ['warning', 'TOPO', 'More than one of several primaries takes writes.', 'The manager closes all but one.'],
  WARN0004: ['warning', 'TOPO', 'None of several primaries takes writes.', 'Name one in db-servers-prefered-master.'],
  WARN0006: [
    'warning',
    'TOPO',
    'Which of several primaries should write is not configured.',
    'Name one in db-servers-prefered-master.',
  ],
  WARN0007: [
    'warning',
    'TOPO',
    'A server may lose committed transactions in a crash of its host.',
    'Set sync_binlog=1 and innodb_flush_log_at_trx_commit=1.',
  ],
  WARN0022: ['warning', 'REJOIN', 'A server is being brought back as a replica.', 'Nothing needs to be done.'],
  WARN0023: [
    'warning',
    'CHECK',
    'The primary failed as many looks as the limit says.',
    'GET C/failover/explain says what happens next.',
  ],
  WARN0048: [
    'warning',
    'SRV',
    'Semi-synchronous replication is off on a replica.',
    'Set rpl_semi_sync_slave_enabled=ON (rpl_semi_sync_replica_enabled on MySQL 8).',
  ],
  WARN0050: [
    'warning',
    'SRV',
    'The heartbeat of a replica is slower than the failover counts on.',
    'Set force-slave-heartbeat, with force-slave-heartbeat-time below failover-falsepositive-heartbeat-timeout.',
  ],
  WARN0051: [
    'warning',
    'SRV',
    'A replica does not replicate by GTID.',
    'Set MASTER_USE_GTID=slave_pos, or MASTER_AUTO_POSITION=1.',
  ],
  WARN0052: [
    'warning',
    'SRV',
    'A replica does not flush InnoDB at each commit.',
    'Set innodb_flush_log_at_trx_commit=1.',
  ],
  WARN0053: ['warning', 'SRV', 'A replica writes its binary log without checksums.', 'Set binlog_checksum=CRC32.'],
  WARN0055: ['warning', 'SRV', 'A replica does not annotate row events.', 'Set binlog_annotate_row_events=ON.'],
  WARN0057: [
    'warning',
    'SRV',
    'A replica does not log what it replicates, so others cannot follow it.',
    'Set log_slave_updates=ON.',
  ],
  WARN0058: ['warning', 'SRV', 'GTID strict mode is off on a replica.', 'Set gtid_strict_mode=ON.'],
  WARN0059: [
    'warning',
    'SRV',
    'The replication metadata of a replica do not survive a crash.',
    'Set relay_log_recovery=ON.',
  ],
  WARN0060: [
    'warning',
    'SRV',
    'Semi-synchronous replication is off on the primary: a crash may lose acknowledged writes.',
    'Set rpl_semi_sync_master_enabled=ON (rpl_semi_sync_source_enabled on MySQL 8).',
  ],
  WARN0064: [
    'warning',
    'SRV',
    'The primary does not flush InnoDB at each commit.',
    'Set innodb_flush_log_at_trx_commit=1.',
  ],
  WARN0065: ['warning', 'SRV', 'The primary writes its binary log without checksums.', 'Set binlog_checksum=CRC32.'],
  WARN0067: ['warning', 'SRV', 'The primary does not annotate row events.', 'Set binlog_annotate_row_events=ON.'],
  WARN0069: [
    'warning',
    'SRV',
    'The primary does not log what it replicates: it cannot serve others after its return.',
    'Set log_slave_updates=ON.',
  ],
  WARN0070: ['warning', 'SRV', 'GTID strict mode is off on the primary.', 'Set gtid_strict_mode=ON.'],
  WARN0071: [
    'warning',
    'SRV',
    'The replication metadata of the primary do not survive a crash.',
    'Set relay_log_recovery=ON.',
  ],
  WARN0084: [
    'warning',
    'SRV',
    "Variables of a server differ from the primary's.",
    'See the difference of variables; align the configuration.',
  ],
  WARN0087: [
    'warning',
    'SRV',
    'Two servers have the same server id.',
    'Give each its own server_id: replication between them cannot work.',
  ],
  WARN0091: [
    'warning',
    'TOPO',
    'A replica has transactions that the primary never had.',
    'Compare them; then write them to the primary, or reseed the replica.',
  ],
  WARN0092: [
    'warning',
    'PRX',
    'The query rules of a proxy cannot be read or made.',
    'The detail says why; the manager tries again.',
  ],
  WARN0102: [
    'warning',
    'CONF',
    'A setting that the file fixes was changed at run time.',
    'Write it to the file, or it is lost at the next start.',
  ],
  WARN0108: [
    'warning',
    'CONF',
    'The shipped passwords of the API are in use; they work from loopback addresses only.',
    'Set api-credentials.',
  ],
  WARN0171: ['warning', 'MON', 'A server does not answer.', 'Is it running, and is the way to it open?'],
  WARN0177: [
    'warning',
    'CONF',
    'A server runs with variables that its tags do not say; they are kept until it is decided.',
    'See S/variables-drift; accept, preserve or clear each.',
  ],
  WARN0179: [
    'warning',
    'CONF',
    'A server does not run on the configuration that its tags make of it.',
    'Restart it, or C/settings/actions/apply-dynamic-config for what can be set at run time.',
  ],
  WARN0180: [
    'warning',
    'CONF',
    'The configuration of a server could not be compared with its tags.',
    'The detail says what could not be read or written.',
  ],
  WARN0186: [
    'warning',
    'REJOIN',
    'An old primary stays out: it has transactions that the primary lacks.',
    'See the crash record; apply what is wanted to the primary, then reseed it.',
  ],
  WARN0230: [
    'warning',
    'SRV',
    'The primary acknowledges after commit, so others may read what a crash takes back.',
    'Set rpl_semi_sync_master_wait_point=AFTER_SYNC (source names on MySQL 8).',
  ],
  WARN0231: [
    'warning',
    'SRV',
    'A replica waits for acknowledgements of its own, which delays its applier.',
    'The manager switches its source side off.',
  ],
  WARN0232: [
    'warning',
    'SRV',
    'The primary takes no writes.',
    'The manager opens it, unless someone closed it by hand.',
  ],
  WARN0233: [
    'warning',
    'SRV',
    'A replica acknowledges what it cannot apply: such writes could not be promoted.',
    'Repair the error of its SQL thread.',
  ],
  WARN0234: [
    'warning',
    'SRV',
    'Semi-sync fell back to asynchronous: a crash may lose acknowledged writes.',
    'Bring an acknowledging replica back.',
  ],
  WARN0235: [
    'warning',
    'SRV',
    'A server is not read-only although it is a replica.',
    'The manager closes it, unless it is listed in db-servers-ignored-readonly.',
  ],
  WARN0240: [
    'warning',
    'CONF',
    'Whoever asks gets a token of an account that can change something.',
    'Switch api-autologin off, or name an account that holds show grants only.',
  ],
  WARN0241: [
    'warning',
    'SRV',
    'A member of a Galera cluster gives another one its data.',
    'Nothing: it takes part again when the other one has them.',
  ],
  WARN0242: [
    'warning',
    'SRV',
    'A member of a Galera cluster is not synced.',
    'The detail tells its state; one that stays cut off (non-Primary) does not reach most of the others.',
  ],
  WARN0301: [
    'warning',
    'PROV',
    "A file of the cluster's working directory was damaged.",
    'The last good copy is in use; look at the disk.',
  ],
  WARN0302: [
    'warning',
    'CONF',
    'Changes of settings that were saved are not all in force.',
    'Mend what the detail names or set the values anew, then reload the settings.',
  ],
  WARN0310: [
    'warning',
    'PROV',
    'Whoever reaches the API can download configuration archives, which carry private keys.',
    'Set api-credentials-secure-config, api-config-download-addresses or api-config-download-tokens.',
  ],
  WARN0311: [
    'warning',
    'PROV',
    'The TLS certificates of the cluster expire soon.',
    'Rotate them with C/actions/certificates-rotate, or renew their files and reload; then roll the servers.',
  ],
  WARN0312: [
    'warning',
    'PROV',
    'Configuration archives could not be built; those before are still delivered.',
    'The detail names each and says why; then C/actions/regenerate-configs.',
  ],
  WARN0313: [
    'warning',
    'PROV',
    'The former certificate authority of the cluster is still trusted.',
    'When every server runs on its new certificate, retire it: C/actions/certificates-rotate?step=retire.',
  ],
  WARN0320: [
    'warning',
    'PROV',
    'Rolling work stopped before its end; the cluster goes on serving.',
    'Mend what the detail names, then begin it again, or dismiss it with C/actions/cancel-rolling-restart or its kin.',
  ],
  WARN0321: [
    'warning',
    'CLUSTER',
    'A rotation of passwords waits; the old ones and the new ones are both good meanwhile.',
    'It goes on by itself when what the detail names is mended.',
  ],
  WARN0322: [
    'warning',
    'CLUSTER',
    'A rotation of passwords stopped before its end.',
    'Mend what the detail names, then begin another one: it takes back what this one left.',
  ],
  WARN0323: [
    'warning',
    'CLUSTER',
    'A password that was rotated still stands in the configuration; the new one, which was saved, holds in its place.',
    'Remove it there, or write one that the servers accept, then reload the settings; a value that is not the old one wins.',
  ],
} as const satisfies Record<string, Row>

export type FindingCode = keyof typeof errors | keyof typeof warnings

export const findings = Object.fromEntries(
  Object.entries({ ...errors, ...warnings }).map(([code, [severity, from, sentence, hint]]) => [
    code,
    { severity, from, sentence, hint },
  ]),
) as Readonly<Record<FindingCode, FindingRow>>
