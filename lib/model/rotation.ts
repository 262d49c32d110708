// New passwords for the accounts of a cluster: how far a rotation is, as data.
import type { ServerId } from './server.js'

/**
 * `admitting`: accounts come to accept the new password beside the old one. `adopting`: the settings take the new one.
 * `renewing`: replicas log in to their sources with it. `narrowing`: accounts stop accepting the old one.
 */
export const rotationPhases = ['admitting', 'adopting', 'renewing', 'narrowing', 'succeeded', 'stopped'] as const

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
  /** The replica that is being changed; `start`: it replicated, so it is started afterwards whatever happened. */
  readonly turn?: { readonly server: ServerId; readonly start: boolean }
  /** What it waits for just now. */
  readonly waitsFor?: string
  /** Why it stopped. */
  readonly message?: string
}

/** The old and the new password of an account name, in clear: it never leaves the process. */
export interface PasswordChange {
  readonly user: string
  readonly from: string
  readonly to: string
}

/** What changes; both are equal where one account serves both purposes. */
export interface LoginChanges {
  readonly monitor: PasswordChange
  readonly replication: PasswordChange
}

export const isRotating = (rotation: Pick<Rotation, 'phase'> | undefined): boolean =>
  rotation !== undefined && rotation.phase !== 'succeeded' && rotation.phase !== 'stopped'

/** Each account name once. */
export const changesOf = ({ monitor, replication }: LoginChanges): readonly PasswordChange[] =>
  monitor.user === replication.user ? [monitor] : [monitor, replication]
