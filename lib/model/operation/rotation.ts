// A password rotation for the accounts of a cluster: its progress as data.
import type { Asker } from '../../access/index.js'
import type { ServerId } from '../server/server.js'

/**
 * `admitting`: accounts accept the new password in addition to the old one. `adopting`: the settings take the new one.
 * `renewing`: replicas log in to their sources with it. `informing`: proxies log in to the servers with it. `narrowing`:
 * accounts stop accepting the old one.
 */
export const rotationPhases = [
  'admitting',
  'adopting',
  'renewing',
  'informing',
  'narrowing',
  'succeeded',
  'cancelled',
  'stopped',
] as const

export type RotationPhase = (typeof rotationPhases)[number]

export interface Rotation {
  readonly id: string
  readonly owner: string
  /** Absent: begun by an older version, which did not keep it. */
  readonly asker?: Asker
  readonly startedAt: number
  readonly endedAt?: number
  readonly phase: RotationPhase
  /** Account names whose password changes. */
  readonly users: readonly string[]
  /** Replicas whose source definition has the new password. */
  readonly renewed: readonly ServerId[]
  /** Names of proxies that log in to the servers with the new password. */
  readonly informed?: readonly string[]
  /** The replica that is being changed; `start`: it replicated, so it is started afterwards whatever happened. */
  readonly turn?: { readonly server: ServerId; readonly start: boolean }
  /** What it waits for now. */
  readonly waitsFor?: string
  /** Why it stopped, or what it deferred. */
  readonly message?: string
  readonly cancelledBy?: string
  /** Why it is not permitted to go on: the manager cancelled it. */
  readonly revoked?: string
  /** Cancelled before anything used the new passwords: they are removed from the accounts. */
  readonly back?: true
  /**
   * First everything is set to the passwords in force, and leftovers of an earlier rotation are removed: an account
   * with two passwords cannot take a third. From `renewing` to `narrowing`, then it starts again without this flag.
   */
  readonly settling?: true
}

/** The old and the new password of an account name, in clear: it never leaves the process. */
export interface PasswordChange {
  readonly user: string
  readonly from: string
  readonly to: string
  /** The rotation is reverted: `to` is the former password. */
  readonly back?: true
}

/** Accounts that change; both are equal where one account serves both purposes. */
export interface LoginChanges {
  readonly monitor: PasswordChange
  readonly replication: PasswordChange
}

export const isRotating = (rotation: Pick<Rotation, 'phase'> | undefined): boolean =>
  rotation !== undefined && !['succeeded', 'cancelled', 'stopped'].includes(rotation.phase)

/** Each account name once. */
export const changesOf = ({ monitor, replication }: LoginChanges): readonly PasswordChange[] =>
  monitor.user === replication.user ? [monitor] : [monitor, replication]

/** The reverse: the old passwords in place of the new ones. */
export const reversed = ({ monitor, replication }: LoginChanges): LoginChanges => ({
  monitor: reversedChange(monitor),
  replication: reversedChange(replication),
})

const reversedChange = ({ user, from, to }: PasswordChange): PasswordChange => ({
  user,
  from: to,
  to: from,
  back: true,
})
