// What clusters and the main thread say to each other about heavy jobs: who wants to run one, who does, who may.
import path from 'node:path'
import type { Grant, Want } from '../../lib/decide/backup/slots.js'

/** A cluster states all of it each time, so that a lost message costs nothing. */
export interface SlotStatement {
  readonly type: 'stated'
  readonly cluster: string
  readonly wants: readonly Want[]
  readonly holds: readonly number[]
}

export interface SlotAnswer {
  readonly type: 'granted'
  readonly grants: readonly Grant[]
  /** Heavy jobs of all clusters, and the limit; 0: none. */
  readonly running: number
  readonly limit: number
}

export type SlotMessage = SlotStatement | SlotAnswer

/** The channel of a manager, by its working directory; a cluster's own directory is in it. */
export const slotChannel = (workingDirectory: string): string => `job slots of ${path.resolve(workingDirectory)}`
