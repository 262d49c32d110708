// What it means that a best-effort command of a change of the primary failed: a row for each that may be one.
import type { FindingCode } from '../findings.js'
import type { CommandType } from '../operation/command.js'

export interface Consequence {
  /** What it means for users; of a loss it is said with the error. */
  readonly means: string
  /** The change falls short of what was asked for: it succeeds with losses. */
  readonly loses: boolean
  /** Findings that are open while it is so. */
  readonly findings: readonly FindingCode[]
  /** Who puts it right; nobody has to where nothing is missing. */
  readonly repairs: 'manager' | 'operator' | 'nobody'
}

/** Absent: no plan takes its failure. A new command that may be best effort needs its row here. */
export const consequences: Readonly<Partial<Record<CommandType, Consequence>>> = {
  'run-script': {
    means: 'What the script does was not done: an address that it moves may still lead to the old primary.',
    loses: true,
    findings: ['WARN0398'],
    repairs: 'operator',
  },
  fence: {
    means: 'The old primary could not be closed. It is closed as soon as it answers, before anything else.',
    loses: false,
    findings: ['ERR00063'],
    repairs: 'manager',
  },
  'stop-receiving': {
    means: 'A replica that is not needed for the election still received; it is repointed all the same.',
    loses: false,
    findings: [],
    repairs: 'nobody',
  },
  repoint: {
    means: 'A server does not follow the new primary, or not with the TLS files of the settings.',
    loses: true,
    findings: ['ERR00064', 'ERR00196'],
    repairs: 'manager',
  },
  'start-replication': {
    means: 'A server does not follow its source.',
    loses: true,
    findings: ['ERR00064'],
    repairs: 'manager',
  },
  unfreeze: {
    means: 'The old primary may still be locked, or not be closed: reads there may wait.',
    loses: true,
    findings: ['WARN0235'],
    repairs: 'manager',
  },
  'route-writes': {
    means: 'A proxy does not send writes to the new primary.',
    loses: true,
    findings: ['ERR00050', 'ERR00106'],
    repairs: 'manager',
  },
  'set-semi-sync': {
    means:
      'Commits are not acknowledged by a replica as intended: a crash of the new primary can lose acknowledged writes.',
    loses: true,
    findings: ['WARN0060', 'WARN0231'],
    repairs: 'manager',
  },
  'set-events': {
    means: 'The event scheduler is not switched as intended: events do not run on the new primary.',
    loses: true,
    findings: ['WARN0398'],
    repairs: 'operator',
  },
  'enable-events': {
    means: 'Events that were enabled on the old primary are disabled on the new one and do not run.',
    loses: true,
    findings: ['WARN0398'],
    repairs: 'operator',
  },
  'end-sessions': {
    means: 'Sessions of clients stay on the old primary, where their writes are refused until they connect again.',
    loses: true,
    findings: ['WARN0398'],
    repairs: 'operator',
  },
  'mark-primary': {
    means: 'The new primary has no transaction of its own before the first write of a client.',
    loses: false,
    findings: [],
    repairs: 'nobody',
  },
  'record-crash': {
    means:
      'The record of the change in the journal stays as it was planned, without the exact position of the new primary.',
    loses: false,
    findings: [],
    repairs: 'nobody',
  },
}
