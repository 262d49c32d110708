// The registry of findings: one row per code. Codes are part of the interface: never renumbered, only retired.
import { backups } from './findings/backups.js'
import { binlogs } from './findings/binlogs.js'
import { errors } from './findings/errors.js'
import { hosted } from './findings/hosted.js'
import { jobs } from './findings/jobs.js'
import { repository } from './findings/repository.js'
import type { FindingRow, Row } from './findings/row.js'
import { watching } from './findings/watching.js'

export type { FindingRow } from './findings/row.js'

/** Codes WARN…: conditions that do not block a failover. Their hints name variables as the databases spell them. */
const warnings = {
  WARN0003: [
    'warning',
    'TOPO',
    'More than one primary of a multi-primary cluster is writable.',
    'The manager sets read_only on all but one.',
  ],
  WARN0004: [
    'warning',
    'TOPO',
    'No primary of a multi-primary cluster is writable.',
    'Set db-servers-prefered-master to one of them.',
  ],
  WARN0006: [
    'warning',
    'TOPO',
    'The writable primary of a multi-primary cluster is not configured.',
    'Set db-servers-prefered-master to one of them.',
  ],
  WARN0007: [
    'warning',
    'TOPO',
    'A server can lose committed transactions if its host crashes.',
    'Set sync_binlog=1 and innodb_flush_log_at_trx_commit=1.',
  ],
  WARN0022: ['warning', 'REJOIN', 'A server is being rejoined as a replica.', 'No action is required.'],
  WARN0023: [
    'warning',
    'CHECK',
    'The primary failed failover-falsepositive-ping-counter consecutive probes.',
    'manager-cli explain reports what happens next.',
  ],
  WARN0048: [
    'warning',
    'SRV',
    'Semi-synchronous replication is disabled on a replica.',
    'Set rpl_semi_sync_slave_enabled=ON (rpl_semi_sync_replica_enabled on MySQL 8).',
  ],
  WARN0049: [
    'warning',
    'REJOIN',
    'What this replica would write alone as a primary could not be undone by autorejoin-flashback: its binary log has no full row events, or it is no MariaDB.',
    'Set binlog_format=ROW and binlog_row_image=FULL (force-binlog-row), or switch on another autorejoin-… way.',
  ],
  WARN0050: [
    'warning',
    'SRV',
    'The heartbeat period of a replica is longer than the failover checks require.',
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
    'A replica does not write replicated events to its binary log; other servers cannot replicate from it.',
    'Set log_slave_updates=ON.',
  ],
  WARN0058: ['warning', 'SRV', 'GTID strict mode is disabled on a replica.', 'Set gtid_strict_mode=ON.'],
  WARN0059: [
    'warning',
    'SRV',
    'The replication metadata of a replica is not crash-safe.',
    'Set relay_log_recovery=ON.',
  ],
  WARN0060: [
    'warning',
    'SRV',
    'Semi-synchronous replication is disabled on the primary: a crash can lose acknowledged writes.',
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
  WARN0061: [
    'warning',
    'REJOIN',
    'What this primary writes alone could not be undone by autorejoin-flashback: its binary log has no full row events, or it is no MariaDB.',
    'Set binlog_format=ROW and binlog_row_image=FULL (force-binlog-row), or switch on another autorejoin-… way.',
  ],
  WARN0069: [
    'warning',
    'SRV',
    'The primary does not write replicated events to its binary log; other servers cannot replicate from it after it rejoins.',
    'Set log_slave_updates=ON.',
  ],
  WARN0070: ['warning', 'SRV', 'GTID strict mode is disabled on the primary.', 'Set gtid_strict_mode=ON.'],
  WARN0071: [
    'warning',
    'SRV',
    'The replication metadata of the primary is not crash-safe.',
    'Set relay_log_recovery=ON.',
  ],
  WARN0084: [
    'warning',
    'SRV',
    "Variables of a server differ from the primary's.",
    'Compare the variables, then align the configuration.',
  ],
  WARN0087: [
    'warning',
    'SRV',
    'Two servers have the same server_id.',
    'Set a unique server_id on each: servers with the same one cannot replicate from each other.',
  ],
  WARN0091: [
    'warning',
    'TOPO',
    'A replica has errant transactions: the primary does not have them.',
    'Show them with manager-cli server divergence, then apply them to the primary, undo them, or make their GTIDs known: manager-cli server settle-divergence (share/doc/backup.md, What only one server has).',
  ],
  WARN0092: [
    'warning',
    'PRX',
    'The query rules of a proxy cannot be read or created.',
    'The detail has the cause; the manager retries.',
  ],
  WARN0102: [
    'warning',
    'CONF',
    'A setting that the configuration file fixes (immutable) was changed at run time.',
    'Write the value to the file; otherwise it is lost at the next start.',
  ],
  WARN0108: [
    'warning',
    'CONF',
    'The default API passwords are in use; they are accepted from loopback addresses only.',
    'Set api-credentials.',
  ],
  WARN0138: [
    'warning',
    'CLUSTER',
    'Mails with alerts cannot be sent.',
    'Check mail-smtp-addr, mail-smtp-user and mail-smtp-password, then manager-cli alert test mail. The mails are kept on disk and retried.',
  ],
  WARN0171: [
    'warning',
    'MON',
    'A server does not answer.',
    'Check that it is running and reachable from the manager (network, firewall).',
  ],
  WARN0177: [
    'warning',
    'CONF',
    'A server has settings that are not derived from its tags; they are kept until you accept, preserve or clear them.',
    'manager-cli drift lists them; accept, preserve or clear each.',
  ],
  WARN0275: [
    'warning',
    'CONF',
    'A position of replication is preserved as if it were configuration: it is left out of the option files.',
    'Clear the variables in the detail (manager-cli configuration clear); the server has its position in its own tables.',
  ],
  WARN0179: [
    'warning',
    'CONF',
    'A server does not run with the configuration derived from its tags.',
    'Restart it, or apply what can be set at run time: manager-cli apply-dynamic.',
  ],
  WARN0180: [
    'warning',
    'CONF',
    'The configuration of a server cannot be compared with its tags.',
    'The detail names what cannot be read or written.',
  ],
  WARN0182: [
    'warning',
    'REJOIN',
    'Transactions that only one server has are not saved.',
    'Switch autorejoin-backup-binlog on, or save them with manager-cli reseed <server> --plan and what it says; until then nothing that removes them is done.',
  ],
  WARN0186: [
    'warning',
    'REJOIN',
    'A server cannot become a replica: it has transactions that the primary is missing.',
    'The crash record of an old primary names the folder with its transactions (manager-cli cluster crashes). Apply what is needed to the primary, then bring it back: manager-cli reseed <server> --plan shows every way (share/doc/services.md, Filling a server manually).',
  ],
  WARN0230: [
    'warning',
    'SRV',
    'The primary waits for acknowledgements after commit: clients can read transactions that a crash then loses.',
    'Set rpl_semi_sync_master_wait_point=AFTER_SYNC (source names on MySQL 8).',
  ],
  WARN0231: [
    'warning',
    'SRV',
    'The semi-sync source mode is enabled on a replica: its applier waits for acknowledgements.',
    'The manager disables the source mode on the replica.',
  ],
  WARN0232: [
    'warning',
    'SRV',
    'The primary is read-only.',
    'The manager makes it writable unless it was set read-only manually.',
  ],
  WARN0233: [
    'warning',
    'SRV',
    'A replica acknowledges transactions that it cannot apply: a failover could not promote them.',
    'Fix the error of its SQL thread.',
  ],
  WARN0234: [
    'warning',
    'SRV',
    'Semi-synchronous replication fell back to asynchronous: a crash can lose acknowledged writes.',
    'Restore a replica that acknowledges.',
  ],
  WARN0235: [
    'warning',
    'SRV',
    'A replica is writable.',
    'The manager sets read_only on it, unless db-servers-ignored-readonly lists it or failover-readonly-state or force-slave-readonly is false.',
  ],
  WARN0100: [
    'warning',
    'SRV',
    'The disk of a server is full: writes wait for free space, or temporary tables cannot be written.',
    'Free space on it. Where its binary log is on another disk, a switchover to a replica ends the writes that wait.',
  ],
  WARN0250: [
    'warning',
    'SRV',
    'A replica is not configured as durability-policy requires of a server that may become the primary.',
    'The manager sets what the detail names where its account may; otherwise install semi-synchronous replication there.',
  ],
  WARN0257: [
    'warning',
    'SRV',
    'The applier of a replica waits for a lock: what it receives is not applied, and it cannot take over before.',
    'End what holds the lock, usually a backup: wait for it, or KILL the session in the detail. The manager ends no backup.',
  ],
  WARN0266: [
    'warning',
    'MON',
    "The manager's account cannot copy binary logs: what only an old primary has would be saved as a list without rows.",
    'Grant the privileges in the detail on the server; share/doc/accounts.md lists all of them.',
  ],
  WARN0267: [
    'warning',
    'REJOIN',
    'The transactions that only this server has were saved as a list without their rows: its binary log is the only copy.',
    'Do not reset or replace it. Grant REPLICATION SLAVE to the account of the manager; manager-cli reseed then saves them whole before it removes anything.',
  ],
  WARN0268: [
    'warning',
    'SRV',
    'A session holds a lock of a backup on a replica: a switchover to it is refused, and a failover to it waits or fails until the lock is gone.',
    'Wait for the backup, or KILL the session in the detail. The manager ends no backup.',
  ],
  WARN0258: [
    'warning',
    'SRV',
    'Commits wait for seconds, and neither a replica, a lock nor space is what they wait for: the disk answers slowly.',
    'Find out what keeps the disk of its host busy; to go on at once, switch over to a replica on another disk.',
  ],
  WARN0254: [
    'warning',
    'SRV',
    'A replica is not known to start with replication stopped: while it is down, no failover from a silent primary is automatic.',
    'Set skip-slave-start (MySQL 8.0.26 and later: skip-replica-start) in its option file, or use the tag noslavestart, and restart it; the manager starts its replication then.',
  ],
  WARN0255: [
    'warning',
    'SRV',
    'A replica also replicates from another cluster, and transactions from there cannot be distinguished from those of this cluster: they count as its own.',
    'MariaDB: give the other cluster a gtid_domain_id that this cluster does not use. Until then elections and counts of losses include them.',
  ],
  WARN0256: [
    'warning',
    'SRV',
    'The primary also replicates from another cluster: what comes from there flows into all replicas.',
    'If that is not meant, move that channel to a replica. Before a switchover to another server stop it: a former primary with it may be unable to follow.',
  ],
  WARN0264: [
    'warning',
    'REJOIN',
    'A server cannot become a replica: it goes on receiving from another cluster what the primary has only a part of (MariaDB refuses it with error 1236).',
    'Move that channel to the primary: stop it on this server, create it on the primary, and remove it here when the primary has everything. The manager then makes the server a replica.',
  ],
  WARN0265: [
    'warning',
    'SRV',
    'A replica receives from another cluster in a domain that the primary has, too: it may be refused when it connects to the primary again (error 1236).',
    'Let that channel run on one server only: on the primary, or on replicas while no server else has its domain.',
  ],
  WARN0272: [
    'warning',
    'SRV',
    'A channel to another cluster has stopped with an error, or cannot connect: what is written there no longer arrives.',
    'Correct what the error in the detail names, then start the channel. The manager does not change it.',
  ],
  WARN0251: [
    'warning',
    'REJOIN',
    'A server should follow another source, and the manager does not change that.',
    'The detail names why: remove it (manager-cli setting switch autorejoin on, …), or give the server its source manually.',
  ],
  WARN0259: [
    'warning',
    'TOPO',
    'Replicas follow the primary over another address than the manager uses, and no such address is known of a server that may take over: after a change of the primary replication runs over the address of the manager.',
    'State where replicas reach the servers: replication-hosts (db1=10.1.0.1,db2=10.1.0.2). Where both addresses are of the same network, set it likewise, or make replicas and manager use the same one.',
  ],
  WARN0260: [
    'warning',
    'TOPO',
    'A replica follows its source over another address than replication-hosts states.',
    'It could not follow there, or was given its source before: the log of the cluster says which. The next change of its source tries the stated address again.',
  ],
  WARN0252: [
    'warning',
    'CONF',
    'A MySQL server without TLS and without a trusted key: a password cannot be sent to it safely.',
    'Set db-servers-tls-ca-cert, or db-servers-public-keys to a file with the public_key.pem of every server, or db-servers-public-key-policy to first-use.',
  ],
  WARN0253: [
    'warning',
    'CONF',
    'Every address counts as a reverse proxy (api-trusted-proxies): anyone may claim to come from another address.',
    'List the addresses of your proxies only.',
  ],
  WARN0261: [
    'warning',
    'CHECK',
    'It cannot be judged whether the replication account can log in on a server: a switchover to it is refused, and a failover goes on and reports it.',
    'The detail has why. Let the manager log in as replicas do, name their files in replication-ssl-cert and -key, or set switchover-unjudged-login on where it is known to work.',
  ],
  WARN0262: [
    'warning',
    'SRV',
    'A server gives new sessions a default with which replication stops when it starts next.',
    'Run the statement in the detail on that server; a switchover that would start that replication is refused.',
  ],
  WARN0263: [
    'warning',
    'SRV',
    'The account of the manager may log in only so many times an hour: an operation may be refused a session, which is not tried in advance.',
    'Take the limit off: ALTER USER … WITH MAX_CONNECTIONS_PER_HOUR 0.',
  ],
  WARN0240: [
    'warning',
    'CONF',
    'The auto-login account has write privileges.',
    'Disable api-autologin, or configure an account with show grants only.',
  ],
  WARN0241: [
    'warning',
    'SRV',
    'A member of a Galera cluster is the donor of a state transfer.',
    'No action is required: it becomes synced again after the transfer.',
  ],
  WARN0242: [
    'warning',
    'SRV',
    'A member of a Galera cluster is not synced.',
    'The detail has its state; a member that remains non-Primary cannot reach the majority.',
  ],
  WARN0301: [
    'warning',
    'PROV',
    'A file in the working directory of the cluster was corrupted.',
    'The last valid copy is in use; check the disk.',
  ],
  WARN0302: [
    'warning',
    'CONF',
    'Some saved changes of settings are not in effect.',
    'Fix the cause in the detail, or set the values again; then reload the settings.',
  ],
  WARN0310: [
    'warning',
    'PROV',
    'Configuration archives containing private keys can be downloaded without authentication.',
    'Set api-credentials-secure-config, api-config-download-addresses or api-config-download-tokens.',
  ],
  WARN0311: [
    'warning',
    'PROV',
    'The TLS certificates of the cluster expire soon.',
    'Rotate them with manager-cli certificate rotate, or replace their files and reload; then restart the servers with manager-cli rolling restart.',
  ],
  WARN0312: [
    'warning',
    'PROV',
    'Configuration archives could not be built; the previous ones are still delivered.',
    'The detail has the cause for each; fix it, then run manager-cli cluster regenerate-configs.',
  ],
  WARN0313: [
    'warning',
    'PROV',
    'The previous certificate authority of the cluster is still trusted.',
    'After every server uses its new certificate, retire it with manager-cli certificate rotate --step retire.',
  ],
  WARN0320: [
    'warning',
    'PROV',
    'A rolling operation stopped before its end; the cluster continues to serve clients.',
    'Fix the cause in the detail, then start the operation again, or cancel it with manager-cli rolling cancel.',
  ],
  WARN0390: [
    'warning',
    'CLUSTER',
    'A switchover is scheduled.',
    'manager-cli switchover --scheduled shows its plan; manager-cli switchover --cancel takes it back.',
  ],
  WARN0391: [
    'warning',
    'CLUSTER',
    'A scheduled switchover did not happen.',
    'Fix the cause in the detail, then schedule it again, or dismiss it with manager-cli switchover --cancel.',
  ],
  WARN0392: [
    'warning',
    'CLUSTER',
    'Work was ended because the user that asked for it may no longer do it.',
    'No action is required if that is intended; else a user with the grant asks for the work again. The finding closes after a day.',
  ],
  WARN0321: [
    'warning',
    'CLUSTER',
    'Password rotation is paused; old and new passwords are both valid.',
    'Fix the cause in the detail; the rotation then continues automatically.',
  ],
  WARN0322: [
    'warning',
    'CLUSTER',
    'Password rotation stopped before its end.',
    'Fix the cause in the detail, then start another rotation; it reverts the changes that this one left.',
  ],
  WARN0323: [
    'warning',
    'CLUSTER',
    'The configuration file still contains the old password of a rotation; the saved new password is in effect.',
    'Remove it from the file, or write a password that the servers accept; then reload the settings. A value other than the old password takes precedence.',
  ],
  WARN0324: [
    'warning',
    'SRV',
    'What was asked of a server is not there to be read; the answer was empty.',
    'Install or enable what the detail names, or make its log file readable (prov-orchestrator local, or onpremise with onpremise-ssh); the finding ends with the next read that succeeds.',
  ],
  WARN0340: [
    'warning',
    'CLUSTER',
    'Another manager probes the servers of this cluster; it takes no automatic action.',
    'The detail has its host. Stop it, or remove the servers from its settings: it acts when this manager stops.',
  ],
  WARN0350: [
    'warning',
    'CLUSTER',
    'The cluster is only observed: the manager changes nothing on its databases, hosts and proxies.',
    'Read what it would do (WARN0351 to WARN0355), then set monitoring-observe to false.',
  ],
  WARN0362: [
    'warning',
    'CLUSTER',
    'Another instance of the manager owns the cluster, or none does; this one watches it and changes nothing.',
    'The detail has the owner: ask there for what changes something.',
  ],
  WARN0079: [
    'warning',
    'CLUSTER',
    'No other manager of arbitration-peer-hosts is heard: the sites may be parted.',
    'Start the other manager, or repair the network to it. The arbitrator decides meanwhile which one acts.',
  ],
  WARN0351: [
    'warning',
    'CLUSTER',
    'The manager would change the primary.',
    'The cluster is only observed: move the role manually, or set monitoring-observe to false.',
  ],
  WARN0352: [
    'warning',
    'REJOIN',
    'The manager would make a server follow another source.',
    'The cluster is only observed: repoint the server manually, or set monitoring-observe to false.',
  ],
  WARN0353: [
    'warning',
    'CLUSTER',
    'The manager would repair the cluster.',
    'The cluster is only observed: make the change in the detail manually, or set monitoring-observe to false.',
  ],
  WARN0354: [
    'warning',
    'PRX',
    'The manager would set the routes of proxies.',
    'The cluster is only observed: its routes are not checked; set monitoring-observe to false to have them set.',
  ],
  WARN0370: [
    'warning',
    'CLUSTER',
    'Alerts cannot be sent by a channel other than mail.',
    'Check the settings of the channel in the detail, then manager-cli alert test. The alerts are kept on disk and retried.',
  ],
  WARN0355: [
    'warning',
    'PROV',
    'The manager would create what it delivers to servers.',
    'The cluster is only observed: nothing is created until monitoring-observe is false.',
  ],
} as const satisfies Record<string, Row>

export type FindingCode =
  | keyof typeof errors
  | keyof typeof warnings
  | keyof typeof watching
  | keyof typeof backups
  | keyof typeof binlogs
  | keyof typeof jobs
  | keyof typeof hosted
  | keyof typeof repository

export const findings = Object.fromEntries(
  Object.entries({
    ...errors,
    ...warnings,
    ...watching,
    ...backups,
    ...binlogs,
    ...jobs,
    ...hosted,
    ...repository,
  }).map(([code, [severity, from, sentence, hint]]) => [code, { severity, from, sentence, hint }]),
) as Readonly<Record<FindingCode, FindingRow>>

/**
 * About the manager that reports them, not about the servers: no other manager on the same servers reports them.
 * Beside another manager that acts on the servers, people and scripts are notified of these alone: of everything else the other
 * one notifies them.
 */
export const ownFindings: ReadonlySet<string> = new Set<FindingCode>([
  'ERR00022',
  'ERR00118',
  'ERR00131',
  'WARN0138',
  'WARN0239',
  'WARN0310',
  'WARN0311',
  'WARN0312',
])
