// Findings of watching: what servers, disks, statements and the manager itself show besides replication.
import type { Row } from './row.js'

export const watching = {
  ERR00059: [
    'warning',
    'CONF',
    'A host of db-servers-ignored-hosts is no member of the cluster.',
    'Write it as in db-servers-hosts, or remove it.',
  ],
  ERR00074: [
    'warning',
    'CONF',
    'A host of db-servers-prefered-master is no member of the cluster: no server is preferred by it.',
    'Write it as in db-servers-hosts, or remove it.',
  ],
  ERR00079: [
    'warning',
    'SRV',
    'A disk of a server is nearly full.',
    'Free or add space: remove old binary logs (PURGE BINARY LOGS), relay logs and dumps; monitoring-disk-usage-pct sets the limit.',
  ],
  WARN0085: [
    'warning',
    'MON',
    'What a server is busy with is being captured.',
    'No action is required: the capture ends after five samples, and the log names its file.',
  ],
  WARN0088: [
    'warning',
    'SRV',
    'More than a tenth of the statements of a server are slow.',
    'manager-cli server slow-queries and server digest-statements-pfs list them; long_query_time of the server sets what counts as slow.',
  ],
  WARN0122: [
    'warning',
    'SRV',
    'A statement has been waiting for the metadata lock of a table for longer than monitoring-long-query-time.',
    'End the transaction that uses the table: manager-cli server processlist lists the sessions, server meta-data-locks the holders.',
  ],
  WARN0217: [
    'warning',
    'SRV',
    'A long write on the primary would hold up a switchover.',
    'Wait for its end, or kill it (manager-cli query kill-thread); a switchover waits switchover-wait-trx for it and is refused then.',
  ],
  WARN0360: [
    'warning',
    'SRV',
    'A statement has been running for longer than monitoring-long-query-time.',
    'manager-cli server processlist shows it; kill it, or tune it by its plan (explain).',
  ],
  WARN0361: [
    'warning',
    'SRV',
    'A transaction has been open for longer than monitoring-long-query-time.',
    'End it: it keeps old row versions, and a lock on the tables that it used.',
  ],
  WARN0236: [
    'warning',
    'SRV',
    'A server restarted, and not at the request of the manager.',
    'Read its error log for the cause (manager-cli server errorlog, dmesg on its host); the finding closes 10 minutes after the start.',
  ],
  WARN0237: [
    'warning',
    'MON',
    'Every answer of a server to the light statements of the manager takes longer than 500 ms.',
    'Check the load of its host and the network to it: a server that exceeds its deadline counts as silent.',
  ],
  WARN0238: [
    'warning',
    'CLUSTER',
    'The latest operation failed or was undone.',
    'Fix the cause in the detail, then start it again; the finding closes with the next operation that succeeds, or after an hour.',
  ],
  WARN0239: [
    'warning',
    'MON',
    'The manager was late: its thread did not run when it was due, and what it did not see then is no evidence.',
    'Give its host more processor time, or spread the clusters over several managers.',
  ],
  WARN0397: [
    'warning',
    'SRV',
    'Events of the event scheduler would write on a server that is read-only, and the manager may not stop them: the role of the primary cannot be moved, or a former primary gets errant transactions.',
    'Grant SUPER to the account of the manager as the detail has it, or give the events a definer without SUPER and READ_ONLY ADMIN.',
  ],
  WARN0270: [
    'warning',
    'SRV',
    'A replica has enabled events of the event scheduler that write on a read-only server, too: as soon as its scheduler runs they write transactions that no other server has.',
    'Disable them on that server as those of a replica (DISABLE ON SLAVE), without the binary log, or remove event_scheduler=ON from its file.',
  ],
  WARN0271: [
    'warning',
    'SRV',
    'A replica is read-only since its start by a statement alone: where its option files do not have read_only, its next start takes writes until the manager closes it.',
    'Add read_only = ON to the option files of every server, the primary too: the manager opens the one that is the primary.',
  ],
  WARN0273: [
    'warning',
    'SRV',
    'A replica of MySQL is read_only and not super_read_only: accounts with SUPER or CONNECTION_ADMIN may write to it, and what they write is on no other server.',
    'SET GLOBAL super_read_only = ON on it, and super_read_only = ON in its option files. Where it is intended, list it in db-servers-ignored-readonly.',
  ],
  WARN0398: [
    'warning',
    'CLUSTER',
    'The latest change of the primary left something undone that the manager does not repair.',
    'Do what the detail says; the finding closes with the next change of the primary that leaves nothing undone, or after a day.',
  ],
} as const satisfies Readonly<Record<string, Row>>
