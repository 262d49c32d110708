// What a decision reads: the snapshot, the settings, the memory and the time. Nothing else exists for lib/decide.
import type { Memory } from '../../model/memory.js'
import type { BareSnapshot } from '../../model/snapshot.js'

/** The settings that decisions read, by the names users know; a structural part of all settings. Times in the unit of the setting. */
export interface DecideSettings {
  /** The manager does nothing on its own. */
  readonly 'monitoring-pause': boolean
  /** Seconds between two passes, and the passes that work waits for a state before it gives up. */
  readonly 'monitoring-ticker': number
  readonly 'monitoring-wait-retry': number
  readonly 'failover-mode': string
  /** Most failovers until the count is reset; 0 for no limit. */
  readonly 'failover-limit': number
  /** Seconds without a failover after which the count begins anew; 0 for never. */
  readonly 'failcount-reset-time': number
  readonly 'failover-switch-to-prefered': boolean
  /** Least seconds between two failovers. */
  readonly 'failover-time-limit': number
  /** Seconds; -1 switches the rule off. */
  readonly 'failover-max-slave-delay': number
  readonly 'failover-at-sync': boolean
  readonly 'failover-restart-unsafe': boolean
  readonly 'failover-readonly-state': boolean
  readonly 'failover-event-scheduler': boolean
  readonly 'failover-event-status': boolean
  readonly 'failover-pre-script': string
  readonly 'failover-post-script': string
  readonly 'failover-falsepositive-ping-counter': number
  readonly 'failover-falsepositive-heartbeat': boolean
  /** Seconds. */
  readonly 'failover-falsepositive-heartbeat-timeout': number
  readonly 'failover-falsepositive-external': boolean
  readonly 'check-replication-errant-trx': boolean
  readonly 'check-replication-state': boolean
  readonly 'check-replication-filters': boolean
  readonly 'check-binlog-filters': boolean
  readonly 'check-grants': boolean
  readonly 'monitoring-check-grants': boolean
  readonly 'monitoring-variable-diff': boolean
  readonly 'force-slave-readonly': boolean
  readonly 'force-slave-heartbeat': boolean
  readonly 'force-slave-gtid-mode': boolean
  readonly 'force-slave-gtid-mode-strict': boolean
  readonly 'force-slave-semisync': boolean
  readonly 'force-slave-idempotent': boolean
  readonly 'force-slave-strict': boolean
  readonly 'force-sync-binlog': boolean
  readonly 'force-sync-innodb': boolean
  readonly 'force-binlog-row': boolean
  readonly 'force-binlog-annotate': boolean
  readonly 'force-binlog-compress': boolean
  readonly 'force-binlog-slowqueries': boolean
  readonly 'force-binlog-checksum': boolean
  /** Seconds. */
  readonly 'force-slave-heartbeat-time': number
  /** '' leaves it alone. */
  readonly 'force-slave-parallel-mode': string
  readonly 'switchover-at-equal-gtid': boolean
  readonly 'switchover-at-sync': boolean
  readonly 'switchover-lower-release': boolean
  /** Seconds; 0: the limit of a failover. */
  readonly 'switchover-max-slave-delay': number
  /** Milliseconds that the freeze waits for running writes. */
  readonly 'switchover-wait-kill': number
  /** Seconds: a write running longer is an offender … */
  readonly 'switchover-wait-write-query': number
  /** … and so long the switchover waits for the last of them. */
  readonly 'switchover-wait-trx': number
  readonly 'replication-source-name': string
  readonly 'replication-active-passive': boolean
  readonly 'replication-multi-master': boolean
  readonly 'replication-multi-master-ring': boolean
  readonly 'replication-multi-tier-slave': boolean
  readonly 'replication-master-slave-never-relay': boolean
  /** A regular expression; '' for none. */
  readonly 'replication-restart-on-sqlerror-match': string
  readonly autorejoin: boolean
  readonly 'autorejoin-script': string
  readonly 'autorejoin-backup-binlog': boolean
}

export interface Situation {
  readonly snapshot: BareSnapshot
  readonly settings: DecideSettings
  readonly memory: Memory
  /** Milliseconds since the epoch; every age is counted from here. */
  readonly now: number
}
