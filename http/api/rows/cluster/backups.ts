// Backups: begun as jobs, listed with their records.
import * as z from 'zod'
import { ok, type Result } from '../../../../lib/base/result.js'
import { DAY } from '../../../../lib/base/time.js'
import type { BackupKind } from '../../../../lib/model/backup.js'
import { flag } from '../../kit/input.js'
import { planWork } from '../../kit/plan/planned.js'
import { asked, noCluster, notStated, serverNotFound, usual } from '../../kit/refusals.js'
import { type Context, route } from '../../kit/route.js'
import { backupSchema } from '../../schemas/backup.js'
import { jobLocation } from './services.js'

/** `wait=true` answers when the job has ended; `full=true` makes no incremental backup. */
const backupQuery = z.object({ wait: flag().optional(), full: flag().optional() })

const failures = {
  ...asked,
  ...usual('backup-refused', 'backup-failed', 'wrong-state', 'operation-running', 'observing', 'unsupported'),
  ...usual(
    'other-manager',
    'job-cancelled',
    'job-interrupted',
    'transfer-failed',
    'transfer-stalled',
    'checksum-differs',
  ),
  ...usual('place-failed', 'no-key', 'host-task-failed', 'script-failed', 'file-unreadable', 'file-unwritable'),
  ...notStated,
}

type BackupContext = Pick<
  Context<{ readonly cluster: string }, z.output<typeof backupQuery>, unknown>,
  'cluster' | 'params' | 'query' | 'caller'
>

interface Wish {
  readonly kind: BackupKind
  readonly server?: string
}

/** A job, begun. */
async function begin(
  { cluster, params, query, caller }: BackupContext,
  { kind, server }: Wish,
): Promise<Result<{ readonly cluster: string; readonly job: number }>> {
  const { wait = false, full = false } = query
  const order = { kind, full, ...(server === undefined ? {} : { server }) }
  const ticket = await cluster.ask('begin-backup', { user: caller.user, order, wait }, { deadlineMs: 24 * DAY })
  return ticket.ok ? ok({ cluster: params.cluster, job: ticket.value.job.id }) : ticket
}

const initiated = { status: 200, type: 'text', text: 'Backup initiated successfully', location: jobLocation } as const

const exampleStart = { reply: initiated.text }

/** The row of `S/actions/backup-<kind>`. */
const ofServer = (kind: BackupKind, summary: string) =>
  route({
    methods: ['GET', 'POST'],
    paths: [`/api/clusters/:cluster/servers/:server/actions/backup-${kind}`],
    summary,
    grant: 'db-backup',
    query: backupQuery,
    reply: initiated,
    failures: { ...serverNotFound, ...failures },
    example: exampleStart,
    plan: ({ cluster, server }) => planWork(cluster, { type: 'backup', kind, server: server.id }),
    answer: (context) => begin(context, { kind, server: context.server.id }),
  })

/** The row of `C/actions/backup-<kind>`: the source is chosen. */
const ofCluster = (kind: BackupKind) =>
  route({
    cli: `cluster backup-${kind}`,
    methods: ['GET', 'POST'],
    paths: [`/api/clusters/:cluster/actions/backup-${kind}`],
    summary: `Make a ${kind} backup of the best source: db-servers-backup-hosts, else a slave, else the master.`,
    grant: 'db-backup',
    query: backupQuery,
    reply: initiated,
    failures: { ...noCluster, ...failures },
    example: exampleStart,
    plan: ({ cluster }) => planWork(cluster, { type: 'backup', kind }),
    answer: (context) => begin(context, { kind }),
  })

const exampleRecord = {
  ...{ id: 1795246812, startTime: '2026-11-21T01:00:12.345Z', endTime: '2026-11-21T01:04:52.001Z' },
  ...{ backupMethod: 1, backupTool: 'mysqldump', toolVersion: '10.11.19', backupStrategy: 1, source: 'db2:3306' },
  ...{
    dest: 'shop/db2_3306/1795246812',
    place: 'directory',
    places: ['directory'],
    size: 123456789,
    rawSize: 987654321,
  },
  ...{ compressed: true, compression: 'zstd', encrypted: false, encryptionAlgo: '', encryptionKey: '' },
  ...{ checksum: '', retentionDays: 0, binLogFileName: 'binlog.000007', binLogFilePos: 4711, binLogUuid: '0-1-93' },
  ...{ completed: true, previous: 0 },
} as const

export const backupRoutes = {
  'backup.list': route({
    cli: 'cluster backups',
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/backups'],
    summary: 'The backups that there are, oldest first, each with its record and its latest proof.',
    grant: 'cluster-show-backups',
    reply: {
      status: 200,
      type: 'view',
      schema: z.array(
        z
          .object({
            ...{ id: z.string(), short_id: z.string(), time: z.iso.datetime(), tree: z.string() },
            ...{ paths: z.array(z.string()), hostname: z.string(), username: z.string() },
            ...{ uid: z.number().int(), gid: z.number().int(), tags: z.array(z.string()), backup: backupSchema },
          })
          .meta({ id: 'StoredBackup' }),
      ),
    },
    failures: { ...noCluster, ...asked },
    example: {
      reply: [
        {
          ...{ id: '1795246812', short_id: '95246812', time: '2026-11-21T01:00:12.345Z', tree: '5f70bf18…' },
          ...{ paths: ['shop/db2_3306/1795246812'], hostname: 'db2', username: '', uid: 0, gid: 0 },
          ...{ tags: ['shop', 'logical', 'mysqldump', 'full', '10.11.19-MariaDB'], backup: exampleRecord },
        },
      ],
    },
    answer: ({ manager, params }) => manager.view(params.cluster, 'backups'),
  }),
  'backup.logical': ofCluster('logical'),
  'backup.physical': ofCluster('physical'),
  'backup.master': route({
    cli: 'cluster master-physical-backup',
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/master-physical-backup'],
    summary: 'Make a physical backup of the master.',
    grant: 'db-backup',
    query: backupQuery,
    reply: initiated,
    failures: { 'unknown-cluster': [400, 'No cluster found'], ...failures, ...usual('no-primary') },
    example: exampleStart,
    plan: ({ cluster }) => planWork(cluster, { type: 'backup', kind: 'physical', server: 'primary' }),
    answer: (context) => begin(context, { kind: 'physical', server: 'primary' }),
  }),
  'server.backup-logical': ofServer('logical', 'Make a logical backup of the server.'),
  'server.backup-physical': ofServer('physical', 'Make a physical backup of the server.'),
  'server.backup': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/servers/:server/:port/backup'],
    summary: 'Make a physical backup of the server on that port.',
    grant: 'db-backup',
    acts: true,
    query: backupQuery,
    reply: initiated,
    failures: { ...serverNotFound, ...failures },
    example: exampleStart,
    answer: (context) => begin(context, { kind: 'physical', server: context.server.id }),
  }),
}
