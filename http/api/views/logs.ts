// The cluster's log: as objects inside the cluster, as lines of text on their own.
import type { LogLine, ViewInput } from './input.js'

/** HttpLog: newest first. */
export const renderLogBuffer = (lines: readonly LogLine[]) => ({ buffer: lines, len: lines.length, line: lines.length })

/** `topology/logs`: one text per line, newest first. */
export const renderLogs = ({ log }: ViewInput) =>
  log.map(({ group, level, timestamp, text }) => `${timestamp} [${group}] ${level} - ${text}`)
