// The cluster's log: as objects inside the cluster, as lines of text on their own.

import type { LogLine } from '../../../../actors/protocol/manager/log-line.js'
import { logTime } from '../../../../lib/base/time.js'
import type { ViewInput } from './input.js'

/** HttpLog: newest first. */
export const renderLogBuffer = (lines: readonly LogLine[]) => ({
  buffer: lines.map(({ group, level, at, text }) => ({ group, level, timestamp: logTime(at), text })),
  len: lines.length,
  line: lines.length,
})

/** `topology/logs`: one text per line, newest first. */
export const renderLogs = ({ log }: ViewInput) =>
  log.map(({ group, level, at, text }) => `${logTime(at)} [${group}] ${level} - ${text}`)
