// What handlers ask the runtime to do: effects as plain values.
import type { Result } from '../../../../lib/base/result.js'
import type { GroupOrder } from '../../../../lib/decide/repair/group.js'
import type { RotationStep } from '../../../../lib/decide/upkeep/rotation.js'
import type { ServerRead } from '../../../../lib/dialect/index.js'
import type { EffectServer } from '../../../../lib/effect/index.js'
import type { ReadServer } from '../../../../lib/effect/reads/live-reads.js'
import type { RotationServer } from '../../../../lib/effect/rotation/accounts.js'
import type { ProxyNotice } from '../../../../lib/effect/rotation/proxies.js'
import type { ExplainRequest } from '../../../../lib/effect/statements/explain.js'
import type { KillRequest } from '../../../../lib/effect/statements/kill.js'
import type { ClusterEvent } from '../../../../lib/model/event.js'
import type { Finding } from '../../../../lib/model/finding.js'
import type { Command } from '../../../../lib/model/operation/command.js'
import type { Operation, Plan } from '../../../../lib/model/operation/operation.js'
import type { Preview, Work } from '../../../../lib/model/operation/preview.js'
import type { LoginChanges, Rotation } from '../../../../lib/model/operation/rotation.js'
import type { ServiceSpec } from '../../../../lib/model/operation/services.js'
import type { ProxyStateName } from '../../../../lib/model/server/proxy-state.js'
import type { SlowReading } from '../../../../lib/model/server/reading.js'
import type { ServerAddress, ServerId } from '../../../../lib/model/server/server.js'
import type { ServerAct } from '../../../../lib/model/server/server-act.js'
import type { StateName } from '../../../../lib/model/snapshot.js'
import type { Cookie } from '../../../../lib/store/index.js'
import type { ClusterProtocol, OperationTicket } from '../../../protocol/cluster.js'

/** What a handler asks the runtime to do; nothing else has effects. */
export type ActorCommand =
  | { readonly type: 'operate'; readonly operation: Operation; readonly plan: Plan }
  | { readonly type: 'emit'; readonly events: readonly ClusterEvent[] }
  | { readonly type: 'persist' }
  | { readonly type: 'publish' }
  /** A probe was answered, and nothing has changed. */
  | { readonly type: 'note-answer'; readonly server: ServerId }
  | { readonly type: 'probe-now' }
  /** Logs in on a server with the replication account: a plan waits for it. */
  | { readonly type: 'try-login'; readonly server: ServerId; readonly limitMs: number }
  /** One urgent command outside any operation. */
  | { readonly type: 'perform'; readonly command: Command }
  /** The settings, or TLS to databases, are others. `settled`: they describe what runs already. */
  | { readonly type: 'reconfigure'; readonly settled?: boolean }
  | { readonly type: 'notify-finding'; readonly finding: Finding; readonly opened: boolean }
  /** A finding has opened: its server is captured where it is a trigger. */
  | { readonly type: 'capture'; readonly finding: Finding }
  | { readonly type: 'notify-state'; readonly server: ServerId; readonly from: StateName; readonly to: StateName }
  | {
      readonly type: 'notify-proxy'
      readonly proxy: ServerAddress
      readonly from: ProxyStateName
      readonly to: ProxyStateName
    }
  | { readonly type: 'align-proxies' }
  /** Ends the running minor operation early, so that something urgent can begin. */
  | { readonly type: 'abort' }
  /** The reply to a request that waited for an operation, once every server was probed after it. */
  | { readonly type: 'reply-probed'; readonly reply: number; readonly result: Result<OperationTicket> }
  | DeferredCommand

/** Work whose outcome is the reply numbered `reply`. */
export type DeferredCommand = Request & { readonly reply: number }

/** What a handler has judged and leaves to the runtime, with everything that it needs as plain values. */
export type Request =
  /** One command outside any operation, then a probe; `value` is the reply when it succeeds. */
  | { readonly type: 'run-command'; readonly command: Command; readonly value: boolean | undefined }
  /** A server that may have been filled meanwhile is judged by what it shows from then on. */
  | { readonly type: 'end-maintenance'; readonly user: string; readonly server: ServerId }
  | { readonly type: 'act'; readonly user: string; readonly server: ServerId; readonly act: ServerAct }
  | ({ readonly type: 'kill'; readonly user: string; readonly server: EffectServer } & KillRequest)
  | { readonly type: 'run-statements'; readonly server: EffectServer; readonly statements: readonly string[] }
  | { readonly type: 'read-configuration'; readonly server: EffectServer }
  | ({ readonly type: 'read'; readonly isDelta: boolean } & ServerRequest)
  | { readonly type: 'read-busy'; readonly servers: readonly BusyRequest[] }
  | {
      readonly type: 'read-kept'
      readonly server: ServerId
      readonly what: 'error-log' | 'slow-queries'
      readonly rows: number
      readonly failure: Result<never>
    }
  | ({ readonly type: 'explain'; readonly server: EffectServer } & Omit<ExplainRequest, 'slowQueries'> & {
        readonly slowQueries: Result<ServerRequest>
      })
  | { readonly type: 'describe-service'; readonly service: ServiceSpec }
  | { readonly type: 'read-option-files'; readonly service: ServiceSpec }
  | { readonly type: 'read-job'; readonly id: number }
  | ({ readonly type: 'read-series' } & Input<'read-series'>)
  | ({ readonly type: 'read-recording' } & Input<'read-recording'>)
  | ({ readonly type: 'cancel-job' } & Input<'cancel-job'>)
  | ({ readonly type: 'begin-host-job' } & Input<'begin-host-job'>)
  | ({ readonly type: 'host-log' } & Input<'host-log'>)
  | ({ readonly type: 'ask-host-order' } & Input<'ask-host-order'>)
  | ({ readonly type: 'begin-backup' } & Input<'begin-backup'>)
  | ({ readonly type: 'begin-recovery' } & Input<'begin-recovery'>)
  | ({ readonly type: 'begin-benchmark' } & Input<'begin-benchmark'>)
  | ({ readonly type: 'begin-trials' } & Input<'begin-trials'>)
  | { readonly type: 'read-trials' }
  | { readonly type: 'change-cookies'; readonly server: ServerAddress; readonly set: Cookies; readonly clear: Cookies }
  | { readonly type: 'optimize'; readonly server: ServerId; readonly user: string; readonly wait: boolean }
  | ({ readonly type: 'run-service' } & Input<'run-service'>)
  | ({ readonly type: 'run-services' } & Input<'run-services'>)
  | { readonly type: 'plan-work'; readonly work: Work; readonly preview: Preview }
  | { readonly type: 'form-group'; readonly user: string; readonly dry: boolean; readonly judged: Result<GroupOrder> }
  | ({ readonly type: 'schedule-switchover' } & Input<'schedule-switchover'>)
  | ({ readonly type: 'cancel-switchover' } & Input<'cancel-switchover'>)
  | ({ readonly type: 'begin-roll' } & Input<'begin-roll'>)
  | ({ readonly type: 'cancel-roll' } & Input<'cancel-roll'>)
  | ({ readonly type: 'plan-cluster-recovery' } & Input<'plan-cluster-recovery'>)
  | ({ readonly type: 'begin-cluster-recovery' } & Input<'begin-cluster-recovery'>)
  | ({ readonly type: 'release-cluster-recovery' } & Input<'release-cluster-recovery'>)
  | ({ readonly type: 'plan-new-server' } & Input<'plan-new-server'>)
  | ({ readonly type: 'enter-new-server' } & Input<'enter-new-server'>)
  | ({ readonly type: 'make-new-server' } & Input<'make-new-server'>)
  | ({ readonly type: 'await-new-server' } & Input<'await-new-server'>)
  | ({ readonly type: 'unmake-new-server' } & Input<'unmake-new-server'>)
  | ({ readonly type: 'forget-new-server' } & Input<'forget-new-server'>)
  | ({ readonly type: 'search-logs' } & Input<'search-logs'>)
  | ({ readonly type: 'plan-return' } & Input<'plan-return'>)
  | ({ readonly type: 'begin-return' } & Input<'begin-return'>)
  | ({ readonly type: 'cancel-return' } & Input<'cancel-return'>)
  | ({ readonly type: 'read-divergence' } & Input<'read-divergence'>)
  | ({ readonly type: 'plan-divergence' } & Input<'plan-divergence'>)
  | ({ readonly type: 'settle-divergence' } & Input<'settle-divergence'>)
  | ({ readonly type: 'begin-checksum' } & Input<'begin-checksum'>)
  | ({ readonly type: 'plan-table-repair' } & Input<'plan-table-repair'>)
  | ({ readonly type: 'begin-table-repair' } & Input<'begin-table-repair'>)
  | ({ readonly type: 'begin-schema-scan' } & Input<'begin-schema-scan'>)
  | ({ readonly type: 'read-schema' } & Input<'read-schema'>)
  | ({ readonly type: 'read-checksums' } & Input<'read-checksums'>)
  | ({ readonly type: 'read-checksum' } & Input<'read-checksum'>)
  /** `granted`: a new session of the manager must be permitted to change accounts. */
  | ({
      readonly type: 'inspect-accounts'
      readonly servers: readonly EffectServer[]
      readonly granted: boolean
    } & Input<'permit-rotation'>)
  | ({ readonly type: 'rotate' } & RotationRequest)

type Input<T extends keyof ClusterProtocol> = ClusterProtocol[T]['in']
type Cookies = readonly Cookie[]

/** A read on request. */
export interface ServerRequest {
  readonly server: ServerId
  readonly what: ServerRead
  readonly from: Omit<ReadServer, 'readTail'>
  /** Counters of the latest slow probe. */
  readonly slow?: SlowReading
}

export interface BusyRequest {
  readonly url: string
  readonly status: ServerRequest
  /** A failure where a setting forbids it. */
  readonly processes: Result<ServerRequest>
}

/** One step of a rotation. */
export interface RotationRequest {
  readonly rotation: Rotation
  /** As they are to be now: reversed where the rotation settles what an earlier one left. */
  readonly logins: LoginChanges
  readonly step: Extract<RotationStep, { readonly type: 'admit' | 'narrow' | 'inform' | 'renew' }>
  /** Those whose accounts are changed. */
  readonly accounts: readonly RotationServer[]
  /** Where proxies log in. */
  readonly reached: ProxyNotice['servers']
}
