// New passwords for the accounts of a cluster: how far a rotation is, as data.
import type { ServerId } from '../server/server.js'

/**
 * `admitting`: accounts come to accept the new password beside the old one. `adopting`: the settings take the new one.
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
  /** What it waits for just now. */
  readonly waitsFor?: string
  /** Why it stopped, or what it left for later. */
  readonly message?: string
  readonly cancelledBy?: string
  /** Cancelled before anything used the new passwords: accounts lose them again. */
  readonly back?: true
  /**
   * Everything comes to use the passwords in force first, and what an earlier rotation left beside them goes: an account
   * that keeps two passwords has no room for the new one. From `renewing` to `narrowing`, then it begins anew without it.
   */
  readonly settling?: true
}

/** The old and the new password of an account name, in clear: it never leaves the process. */
export interface PasswordChange {
  readonly user: string
  readonly from: string
  readonly to: string
  /** A rotation goes back: accounts take `to` for their former password. */
  readonly back?: true
}

/** What changes; both are equal where one account serves both purposes. */
export interface LoginChanges {
  readonly monitor: PasswordChange
  readonly replication: PasswordChange
}

export const isRotating = (rotation: Pick<Rotation, 'phase'> | undefined): boolean =>
  rotation !== undefined && !['succeeded', 'cancelled', 'stopped'].includes(rotation.phase)

/** Each account name once. */
export const changesOf = ({ monitor, replication }: LoginChanges): readonly PasswordChange[] =>
  monitor.user === replication.user ? [monitor] : [monitor, replication]

/** The way back: the old passwords in place of the new ones. */
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
