// Jobs on database hosts: how they run and over which ports they send.
import { setting } from '../kit.js'
import { cron, list } from '../list-shape.js'
import { boolean, integer, oneOf } from '../shape.js'

const portItem = { pattern: /^\d{1,5}$/, allowed: 'ports' }

export const jobSettings = {
  'scheduler-jobs-ssh': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'Runs the job script over SSH.',
  }),
  'scheduler-jobs-ssh-cron': setting({
    shape: cron(),
    default: '0 * * * * *',
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'When.',
  }),
  'scheduler-jobs-mode': setting({
    shape: oneOf(['sql', 'api']),
    default: 'sql',
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'How the job script learns its tasks: by a table, or by the API.',
  }),
  'scheduler-jobs-exec-remote': setting({
    shape: list(),
    default: [],
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'Tasks that always run on the database host.',
  }),
  'scheduler-db-servers-receiver-ports': setting({
    shape: list(portItem),
    default: ['4444'],
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'Ports on which databases receive a restore.',
  }),
  'scheduler-db-servers-sender-ports': setting({
    shape: list(portItem),
    default: [],
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'Ports on which backup streams are taken; empty: any free one.',
  }),
  'scheduler-db-servers-receiver-use-ssl': setting({
    shape: boolean(),
    default: false,
    scope: 'server',
    apply: 'restart',
    json: 'schedulerDbServersReceiverUseSSL',
    used: false,
    doc: 'Encrypts streams.',
  }),
  'job-log-batch-size': setting({
    shape: integer({ min: 1, unit: 'lines' }),
    default: 5,
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'Log lines a job sends at a time.',
  }),
}
