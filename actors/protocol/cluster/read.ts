// Messages that read: what the manager knows, what a server answers, what would be done.
import type { VariableDiff } from '../../../lib/decide/findings/variable-diff.js'
import type { Rows, ServerRead } from '../../../lib/dialect/index.js'
import type { LiveAnswer } from '../../../lib/effect/reads/live-reads.js'
import type { Series, SeriesSpan } from '../../../lib/metrics/series/index.js'
import type { Job } from '../../../lib/model/operation/job.js'
import type { Preview, Work } from '../../../lib/model/operation/preview.js'
import type { Roll } from '../../../lib/model/operation/roll.js'
import type { ServerConfiguration } from '../../../lib/model/server/configuration.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { Snapshot } from '../../../lib/model/snapshot.js'
import type { FailoverVerdict } from '../../../lib/model/verdict.js'
import type { Usage } from '../../../lib/price/index.js'

export interface JobReport {
  readonly job: Job
  readonly log: readonly string[]
}

/** Reads that go to the database on request (single-flight, kept for a moment, bounded). */
export type LiveRead = ServerRead | 'status-delta'

/** What one server is busy with. */
export interface Busy {
  readonly server: ServerId
  readonly url: string
  /** Active sessions, as `processlist` reads them. */
  readonly processes: Rows
  /** Counters that changed, by lower-case name: per second, between the last two samples. */
  readonly rates: Readonly<Record<string, number>>
}

/** Series at equal steps. */
export interface SeriesRequest {
  readonly names: readonly string[]
  /** Absent: of the cluster as a whole and of each server. */
  readonly server?: ServerId
  /** Only servers whose name in carbon one of these patterns fits, and nothing of the cluster as a whole. */
  readonly hosts?: readonly string[]
  readonly span: SeriesSpan
}

export interface SeriesReply {
  readonly series: readonly Series[]
}

export type ReadMessages = {
  snapshot: { in: object; out: Snapshot }
  /** What is accounted of the cluster now. */
  usage: { in: object; out: Usage }
  explain: { in: object; out: FailoverVerdict }
  'plan-switchover': { in: { candidate?: ServerId }; out: Preview }
  'plan-failover': { in: object; out: Preview }
  /** What other work would do; nothing is changed. */
  'plan-work': { in: { work: Work }; out: Preview }
  /** The latest run, running or ended. */
  roll: { in: object; out: Roll | undefined }
  /** How a service is run, as text for people. */
  'describe-service': { in: { service: ServerId }; out: string }
  /** The option files that a database starts on, as text, where its orchestrator reaches them. */
  'read-option-files': { in: { service: ServerId }; out: string }
  /** A job with the lines of its log. */
  job: { in: { id: number }; out: JobReport }
  /** `last`: of a server that is down, what was read last, where that is kept. */
  read: { in: { server: ServerId; what: LiveRead; last?: boolean }; out: LiveAnswer }
  /** What every server that answers is busy with, or this one. */
  'read-busy': { in: { server?: ServerId }; out: readonly Busy[] }
  /** Answers when every database answers and nothing is wrong, or `deadline-passed` with what is missing. */
  'wait-databases': { in: { seconds: number }; out: void }
  /** The plan of a sampled statement of the digest; with `run` it runs, when it only reads, and the plan has measured figures. */
  'explain-statement': {
    in: { server: ServerId; source: 'performance-schema' | 'slow-log'; digest: string; schema?: string; run: boolean }
    out: Rows
  }
  /** Variables in which replicas differ from the primary, as of the last slow polls. */
  'diff-variables': { in: object; out: readonly VariableDiff[] }
  /** What was kept of the past, in points of equal distance. */
  'read-series': { in: SeriesRequest; out: SeriesReply }
  /** What was recorded of the cluster's messages within the range, as a gzip file; milliseconds since the epoch. */
  'read-recording': { in: { from?: number; until?: number }; out: Uint8Array }
  /** The configuration that a server reports, read again. */
  'read-configuration': { in: { server: ServerId }; out: ServerConfiguration }
}
