// The job script of databases' hosts: how tasks reach it, and who runs it.
import { cron } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { boolean, integer, oneOf, text } from '../../kit/shape.js'

export const jobSettings = {
  'scheduler-jobs-ssh': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'The manager runs the job script on the hosts over SSH: a task begins at once, its output is read line by line, and the database need not answer. Requires onpremise-ssh. Without it a task waits in the job table until the host runs the script itself (dbjobs_new of the configuration archive, every minute).',
  }),
  'scheduler-jobs-mode': setting({
    shape: oneOf(['sql', 'api']),
    default: 'sql',
    scope: 'cluster',
    apply: 'live',
    doc: 'Where a host that runs the job script itself finds its tasks. sql: in the job table of its database; api: the script asks the manager (MANAGER_JOBS_MODE=api, with MANAGER_URL and a login), so that the database need not answer.',
  }),
  'scheduler-jobs-schema': setting({
    shape: text(),
    default: 'manager_schema',
    scope: 'cluster',
    apply: 'live',
    doc: 'The schema of the table `jobs` in each database; scripts of hosts that were written for another name find the table where they expect it. No write to it is replicated.',
  }),
  'job-log-batch-size': setting({
    shape: integer({ min: 1, max: 1_000 }),
    default: 5,
    scope: 'cluster',
    apply: 'live',
    doc: 'Lines of its output that the job script sends at once.',
  }),
  'onpremise-ssh-db-job-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    doc: 'A script of this machine that is run on hosts over SSH in place of the delivered job script, with its environment: it works off the job table. Empty: the delivered one.',
  }),
  'scheduler-jobs-ssh-cron': setting({
    shape: cron(),
    default: '0 * * * * *',
    scope: 'cluster',
    apply: 'live',
    doc: 'When the manager runs the job script on the hosts for rows that others put into the job tables; requires scheduler-jobs-ssh and monitoring-scheduler.',
  }),
  'scheduler-jobs-exec-remote': setting({
    shape: text({ pattern: /^(analyze)?$/, allowed: 'analyze, or nothing' }),
    default: '',
    scope: 'cluster',
    apply: 'live',
    doc: 'Tasks that the job script does on the host where the manager could do them over SQL: analyze.',
  }),
  'scheduler-db-servers-logs': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Fetches the error log, the slow log, and those of audit and SQL errors from the hosts by schedule; each goes on empty there, and what was sent is kept there for eight days. Requires monitoring-scheduler.',
  }),
  'scheduler-db-servers-logs-cron': setting({
    shape: cron(),
    default: '0 0/10 * * * *',
    scope: 'cluster',
    apply: 'live',
    doc: 'When.',
  }),
  'scheduler-db-servers-logs-table-rotate': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'Sets the tables mysql.slow_log and mysql.general_log aside by schedule, where they hold rows; nothing of it is replicated. Requires monitoring-scheduler.',
  }),
  'scheduler-db-servers-logs-table-rotate-cron': setting({
    shape: cron(),
    default: '0 0 0/6 * * *',
    scope: 'cluster',
    apply: 'live',
    doc: 'When.',
  }),
  'scheduler-db-servers-logs-table-keep': setting({
    shape: integer({ min: 1 }),
    default: 12,
    scope: 'cluster',
    apply: 'live',
    jsonWas: ['schedulerDatabaseLogsTableKeep'],
    doc: 'Tables set aside that are kept of each log.',
  }),
  'scheduler-db-servers-analyze': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'Takes the statistics of all tables again by schedule, server by server; nothing of it is replicated. Requires monitoring-scheduler.',
  }),
  'scheduler-db-servers-analyze-cron': setting({
    shape: cron(),
    default: '0 0 4 2 * *',
    scope: 'cluster',
    apply: 'live',
    doc: 'When.',
  }),
} as const
