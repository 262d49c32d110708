// What kind of cluster a run is about.

/** How the host starts a server that died: not at all, closed or open for writes, or as a replica that takes back its tail. */
export type Init = 'none' | 'closed' | 'open' | 'replica'

/** What the cluster promises about acknowledged writes; asynchronous clusters are observed. */
export type Policy = 'observed' | 'semi-sync' | 'lossless'

export interface Scene {
  readonly semiSync: boolean
  readonly policy: Policy
  /** A server that starts receives nothing before the manager starts its replication. */
  readonly stopped: boolean
  /** Manager and, after the first move of the role, replicas reach each server through a gate. */
  readonly gated: boolean
  /** Every server and the manager has a network of its own, and each direction between two of them can be cut. */
  readonly meshed: boolean
  /** What can be done to the disks of the servers: to sync slowly, or to be full. */
  readonly disks?: 'slow' | 'small'
  readonly init: Init
}
