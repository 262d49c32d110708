// A named, graded condition of a snapshot. The registry of codes is findings.ts beside this file.
import type { FindingCode } from './findings.js'
import type { ServerId } from './server/server.js'

export interface Finding {
  readonly code: FindingCode
  /** The server it concerns; absent when it concerns the cluster. */
  readonly server?: ServerId
  /** Details for the sentence: names, figures, limits; never secrets. One line. */
  readonly detail: string
}

/** What identifies an open finding: the code, or `code@server`. */
export const findingKey = ({ code, server }: Finding): string => (server === undefined ? code : `${code}@${server}`)
