// What one command of an operation saw and a later one needs: the state a candidate had when it took over.
import type { GtidSet } from '../../model/server/gtid.js'
import type { ServerState } from '../../model/server/reading.js'
import type { ServerId } from '../../model/server/server.js'

export interface Noted {
  /** `now()` when it was read; in `stopped` and `followed` before it was asked for: a suspended manager gets its answer late. */
  readonly at: number
  readonly state: ServerState
  /** The server's own binary log coordinates, when they were read along. */
  readonly binlog?: { readonly file: string; readonly position: number }
}

/** Kept in memory only: without it, after a restart, commands read the servers again. */
export interface Notes {
  /** The state right after it was kept from receiving more; used once, and gone when it may receive again. */
  readonly stopped: Map<ServerId, Noted>
  /** The last state read while the server still followed its source. */
  readonly followed: Map<ServerId, Noted>
  /** The state right after it was cut from its source, before it was opened for writes. */
  readonly promoted: Map<ServerId, Noted>
  /** Servers whose freeze is held by their reserved session. */
  readonly frozen: Set<ServerId>
  /** Servers that were sent the order to take writes, and did not refuse. */
  readonly ordered: Set<ServerId>
  /** Servers whose disk is full: what waits for space there is ended rather than waited for. */
  readonly full: Set<ServerId>
  /** Addresses of a source, `server address`, at which a replica found no server, and when. */
  readonly unreached: Map<string, number>
  /** What a frozen server had executed when its successor was made to have the same. */
  readonly settled: Map<ServerId, GtidSet>
}

export const freshNotes = (): Notes => ({
  stopped: new Map(),
  followed: new Map(),
  promoted: new Map(),
  frozen: new Set(),
  ordered: new Set(),
  full: new Set(),
  unreached: new Map(),
  settled: new Map(),
})
