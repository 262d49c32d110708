// The cluster's recent log: a bounded ring of lines that the API and the dashboard show, newest first.

import type { ClusterEvent, LogLevel } from '../../../lib/model/event.js'

export interface LogLine {
  readonly group: string
  readonly level: LogLevel
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly text: string
}

/** Lines kept per cluster. */
export const LOG_LENGTH = 200

export const appendLog = (log: readonly LogLine[], events: readonly ClusterEvent[]): readonly LogLine[] => {
  const lines = events
    .filter(({ level }) => level !== 'DEBUG')
    .map(({ cluster, level, at, text }) => ({ group: cluster, level, at, text }))
  return [...lines.reverse(), ...log].slice(0, LOG_LENGTH)
}
