// Binary logs of the primary that are stored as they are written.
import { setting } from '../../kit/row.js'
import { boolean, filePath, integer, oneOf, text } from '../../kit/shape.js'

export const storedBinlogSettings = {
  'backup-binlogs': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Stores the binary log of the primary as it is written, by the replication protocol, in {monitoring-datadir}/backups/{cluster}/binlogs: point-in-time recovery reads it. It follows a failover. With backup-streaming or backup-restic it is copied there while it is written, and read back when the directory is lost.',
  }),
  'binlog-copy-mode': setting({
    shape: oneOf(['mysqlbinlog', 'ssh', 'script']),
    default: 'mysqlbinlog',
    scope: 'cluster',
    apply: 'live',
    was: ['backup-binlog-type'],
    doc: "How backup-binlogs gets them. mysqlbinlog: as they are written, by the replication protocol: all but the last second is there. ssh, script: each file when the server has closed it, over the manager's session on the host (onpremise-ssh, scheduler-jobs-ssh; without it where the manager runs the servers), or by binlog-copy-script: what was written since is not there.",
  }),
  'binlog-copy-script': setting({
    shape: filePath(),
    default: '',
    scope: 'cluster',
    machine: 'program',
    apply: 'live',
    was: ['backup-binlog-script'],
    doc: 'For binlog-copy-mode script; arguments: cluster, host, port, SSH port of the host, directory of the binary logs there, the directory here into which it is to write the file, name of the file. A file of another size than the server lists is not taken.',
  }),
  'binlog-parse-mode': setting({
    shape: oneOf(['gomysql', 'mysqlbinlog']),
    default: 'gomysql',
    scope: 'cluster',
    apply: 'live',
    doc: 'Who reads stored binary logs for their index of times and transactions. gomysql: the manager, as they arrive. mysqlbinlog: the program (backup-mysqlbinlog-path) reads each closed file besides, with the checksums of its events; a file that it reads differently is an error in the log.',
  }),
  'backup-binlogs-keep': setting({
    shape: integer({ min: 1, max: 1_000_000 }),
    default: 10,
    scope: 'cluster',
    apply: 'live',
    doc: 'Closed files of stored binary logs that are kept; older ones as long as the newest valid backup needs them. So many of the newest files of the primary are stored at the beginning.',
  }),
  'backup-binlogs-copy-interval': setting({
    shape: integer({ min: 1, max: 86_400, unit: 'seconds' }),
    default: 2,
    scope: 'cluster',
    apply: 'live',
    doc: 'How often what was written since is copied to object storage (backup-streaming); to a restic repository (backup-restic) every 30 s at most.',
  }),
  'check-binlog-server-id': setting({
    shape: integer({ min: 1, max: 4_294_967_295 }),
    default: 10_000,
    scope: 'cluster',
    apply: 'live',
    doc: 'server_id with which the manager reads binary logs; no server of the cluster may have it: the primary would end one of the two.',
  }),
  'binlog-rotation-script': setting({
    shape: filePath(),
    default: '',
    scope: 'cluster',
    machine: 'program',
    apply: 'live',
    doc: 'Called when a binary log file is stored completely: cluster, host, port, file, the file before it, the oldest stored file.',
  }),
} as const

/** Binary logs that servers delete so that they do not fill the disk. */
export const purgeSettings = {
  'force-binlog-purge': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Deletes the oldest binary logs of the primary when they exceed force-binlog-purge-total-size: only files whose transactions every server has applied and, with backup-binlogs, that are stored; nothing while a server does not answer, does not follow the primary, or is in maintenance, while an operation runs, or while a reader that is no server of the cluster receives them.',
  }),
  'force-binlog-purge-total-size': setting({
    shape: integer({ max: 1_000_000, unit: 'GB' }),
    default: 30,
    scope: 'cluster',
    apply: 'live',
    doc: 'What the binary logs of a server may take together; with 0 all go that nobody needs. The file being written always stays, and the newest 500 files are counted.',
  }),
  'force-binlog-purge-min-replica': setting({
    shape: integer({ max: 1000 }),
    default: 1,
    scope: 'cluster',
    apply: 'live',
    doc: 'So many replicas must replicate, with both threads running, or no binary log is deleted.',
  }),
  'force-binlog-purge-on-restore': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Goes on deleting while a server is being filled from another one, which can take hours: binary logs that are older than its copy. Without it, nothing is deleted until that server follows again. Where its data come from a stored backup, nothing is deleted in either case.',
  }),
  'force-binlog-purge-replicas': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Deletes binary logs of replicas by the same size and conditions, too, but none with a transaction that the primary still has in its own.',
  }),
} as const

/** How backups are loaded again. */
export const restoreSettings = {
  'backup-mysqlclient-path': setting({
    shape: filePath(),
    default: '',
    scope: 'server',
    apply: 'live',
    jsonWas: ['backupMysqlclientgPath'],
    doc: 'The client program that loads dumps and replays binary logs; empty: mariadb or mysql, by the search path.',
  }),
  'backup-myloader-path': setting({
    shape: filePath(),
    default: '',
    scope: 'server',
    apply: 'live',
    doc: 'The program myloader; empty: by the search path.',
  }),
  'backup-myloader-options': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    json: 'backupMyLoaderOptions',
    doc: 'Further options of myloader, separated by blanks.',
  }),
  'backup-logical-load-threads': setting({
    shape: integer({ min: 1, max: 256 }),
    default: 2,
    scope: 'cluster',
    apply: 'live',
    doc: 'Threads of myloader.',
  }),
} as const
