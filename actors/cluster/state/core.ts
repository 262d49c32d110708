// What every part of a cluster's actor may use of it. A part that needs another part as well says so in its own type.
import type { Result } from '../../../lib/base/result.js'
import type { SqlTls } from '../../../lib/connect/sql/session.js'
import type { Command } from '../../../lib/model/work/command.js'
import type { ScriptQueue } from '../../../lib/notify/index.js'
import type { Orchestrator } from '../../../lib/orchestrator/index.js'
import type { ActorContext } from '../../protocol/actor.js'
import type { ClusterInit } from '../../protocol/cluster.js'
import type { Operations } from '../operations/operate.js'
import type { RenderView } from '../publish/publish.js'
import type { LiveReads } from '../reads/reads.js'
import type { JobBook } from '../services/jobs.js'
import type { Watch } from '../watch/watch.js'
import type { AnsweredProtocol } from './behaviour.js'
import type { ClusterState } from './state.js'

/** What bin/ gives a cluster actor besides its messages. */
export interface ClusterOutlets {
  readonly render: RenderView
  /** The orchestrator of the cluster by its settings. */
  readonly orchestrator: (init: ClusterInit, tls: SqlTls | undefined) => Orchestrator
}

/** The running actor as its parts see it: its state, its behaviour, and what has effects. */
export interface ClusterCore {
  readonly context: ActorContext
  readonly init: ClusterInit
  readonly outlets: ClusterOutlets
  readonly state: ClusterState
  readonly operations: Operations
  readonly watch: Watch
  readonly jobs: JobBook
  readonly reads: LiveReads
  readonly scripts: ScriptQueue
  readonly perform: (command: Command, signal: AbortSignal) => Promise<Result<string>>

  /** What the behaviour says to a message, at once. */
  ask<T extends keyof AnsweredProtocol & string>(
    type: T,
    payload: AnsweredProtocol[T]['in'],
  ): Result<AnsweredProtocol[T]['out']>

  /** Hands a message of the runtime to the behaviour. */
  tell<T extends keyof AnsweredProtocol & string>(type: T, payload: AnsweredProtocol[T]['in']): void
}
