// Pages of findings of the job tables of databases.
import { cli, type Page, type Step, sql } from '../kit/page.js'

const rows: readonly Step[] = ['The rows of the table, and the jobs of the manager:', cli('job list')]

export const jobPages = {
  ERR00060: {
    means:
      'Orders for the job script of this host are written to the job table, and no script takes them: its copies, logs and statistics are not made. Replication and failover do not depend on it.',
    causes: [
      'The script dbjobs_new is not run on the host: no timer, no loop beside the container.',
      'The script runs and cannot log in to the database.',
      'The script hangs: its lock is held by a process that does not end.',
    ],
    check: [
      ...rows,
      'On the host, whether the script runs and what it says:',
      { kind: 'shell', text: 'ps -ef | grep dbjobs_new' },
    ],
    act: [
      'Install the timer of the script on the host, or let the manager run it over SSH:',
      cli('setting set scheduler-jobs-ssh true'),
      'An order that nothing takes within an hour is ended by the manager, with the reason in its result.',
    ],
    avoid: ['Do not drop the table to close the finding: a script that works writes the end of its work there.'],
  },
  ERR00102: {
    means:
      'The manager is logged in to the server and may not read its job table: orders for the script of its host cannot be written, and what the script did is not seen.',
    causes: [
      'The account of the monitor has no privileges on the schema of the job table.',
      'The table was made by other means and has other columns.',
      'The table is damaged.',
    ],
    check: ['The privileges of the account:', sql('SHOW GRANTS')],
    act: [
      'Grant the account all privileges on the schema, manager_schema unless scheduler-jobs-schema names another one:',
      sql('GRANT ALL ON manager_schema.* TO <account>'),
      'A table with other columns is moved aside; the manager makes a new one with its next order:',
      sql('RENAME TABLE manager_schema.jobs TO manager_schema.jobs_before'),
    ],
    avoid: ['Do not give the script of the host another account to get around it: the manager would not see its work.'],
  },
} satisfies Readonly<Record<string, Page>>
