// What clusters ask the main thread before a step of work that a user asked for: whether that user still may have it.
import path from 'node:path'
import type { Asker } from '../../lib/access/index.js'

export interface PermitQuestion {
  readonly type: 'asked'
  /** Unique among all clusters. */
  readonly id: string
  readonly cluster: string
  readonly asker: Asker
}

export interface PermitAnswer {
  readonly type: 'answered'
  readonly id: string
  /** Why it is not permitted any more; absent: it is. */
  readonly refusal?: string
}

export type PermitMessage = PermitQuestion | PermitAnswer

/** Why it is not permitted any more; undefined: it is. */
export type JudgeAsker = (asker: Asker, cluster: string) => string | undefined

/** The channel of a manager, by its working directory; a cluster's own directory is in it. */
export const permitChannel = (workingDirectory: string): string => `permits of ${path.resolve(workingDirectory)}`
