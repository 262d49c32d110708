// The configuration repository as routes see it.

import type { Result } from '../../../lib/base/result.js'
import type { Commit } from '../../../lib/git/client/parse.js'
import type { Caller } from './caller.js'
import type { ChangesFace } from './changes.js'

/** One commit of its branch. */
export type CommitView = Commit

/** off: no repository is configured; waiting: a change of others waits for a decision. */
export type RepositoryState = 'off' | 'starting' | 'current' | 'waiting' | 'refused' | 'failed'

export interface IncomingView {
  /** The commit that holds it, the newest of the branch. */
  readonly commit: CommitView
  readonly changes: readonly {
    /** '' is the scope of the server. */
    readonly cluster: string
    readonly change: 'add' | 'remove' | 'edit'
    readonly settings: readonly string[]
  }[]
}

export interface RepositoryView {
  readonly state: RepositoryState
  readonly url: string
  /** The newest commit of the branch that is known here. */
  readonly head?: string
  /** When the repository last answered, milliseconds since 1970. */
  readonly answeredAt?: number
  readonly pushedAt?: number
  /** Why nothing is pushed. */
  readonly problem?: string
  /** Files that wait to be pushed. */
  readonly queued: readonly string[]
  /** What others changed and is not in force. */
  readonly incoming?: IncomingView
  /** Settings that were changed on both sides since both last agreed: what runs here was kept. */
  readonly conflicts: readonly string[]
  /** Files of which changes of others have no effect, and such that are not readable. */
  readonly remarks: readonly string[]
}

/** About which commit, and who decides. */
export interface Decision {
  /** Its id, or the first characters of it. */
  readonly commit: string
  readonly caller: Pick<Caller, 'user' | 'may'>
}

export interface RepositoryFace {
  view(): RepositoryView
  /** Commits, newest first. */
  log(skip: number, count: number): Promise<Result<readonly CommitView[]>>
  /** Compares with the repository and pushes now. */
  synchronise(): Promise<Result<RepositoryView>>
  /** Makes the changes of others, up to the commit, with `changes`. `wrong-state` when the repository has moved on since. */
  apply(changes: ChangesFace, decision: Decision): Promise<Result<void>>
  /** Gives the settings the values of a commit, secrets left out. `unknown-commit`. */
  rollBack(changes: ChangesFace, decision: Decision): Promise<Result<void>>
  noteRollBack(decision: Decision): void
  /** Both sides agree on what is here from now on: after `apply`, or to reject the changes of others. */
  settle(decision: Decision, verdict: 'applied' | 'rejected'): Promise<Result<RepositoryView>>
}
