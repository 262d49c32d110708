// Findings of the job tables of databases: orders that no script takes, and tables that cannot be read.
import type { Row } from './row.js'

export const jobs = {
  ERR00060: [
    'warning',
    'SRV',
    'Too many orders wait in the job table of a server.',
    'Nothing runs the job script on its host: install its timer (dbjobs_new), or set scheduler-jobs-ssh.',
  ],
  ERR00102: [
    'warning',
    'SRV',
    'The job table of a server cannot be read, although the server answers.',
    'Grant the account of the monitor all privileges on the schema of scheduler-jobs-schema.',
  ],
} as const satisfies Readonly<Record<string, Row>>
