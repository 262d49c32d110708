// Servers that hold the data of an earlier point of their cluster, as routes ask for them.
import type { Asker } from '../../../lib/access/index.js'
import type { Result } from '../../../lib/base/result.js'
import type { NewServer, NewServerPlan, NewServerWish } from '../../../lib/model/operation/recovery.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { JobTicket } from '../cluster.js'
import type { Caller } from './caller.js'

export interface NewServerRequest {
  readonly cluster: string
  readonly user: string
  readonly asker?: Asker | undefined
  readonly may: Caller['may']
  readonly wish: NewServerWish
  /** Id of the plan that was confirmed; always needed. */
  readonly plan?: string
  /** Answers when it holds the data, or is removed again; else when its job is asked for. */
  readonly wait: boolean
}

export interface NewServerTarget {
  readonly cluster: string
  readonly user: string
  readonly server: ServerId
}

export interface NewServersFace {
  list(cluster: string): Promise<Result<readonly NewServer[]>>
  /** Nothing is changed. */
  plan(cluster: string, wish: NewServerWish): Promise<Result<NewServerPlan>>
  begin(request: NewServerRequest): Promise<Result<JobTicket>>
  /** Answers when nothing is left of it. */
  remove(target: NewServerTarget): Promise<Result<void>>
  /** It is a server of the cluster like the others from now on. */
  attach(target: NewServerTarget): Promise<Result<void>>
}
