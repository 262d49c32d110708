// What one server says of itself, read when asked for: by one statement for all who ask, kept for a moment, bounded.

import * as z from 'zod'
import type { ClusterProtocol, LiveRead } from '../../../../actors/protocol/cluster.js'
import type { ActorRef } from '../../../../actors/protocol/envelope.js'
import type { Grant } from '../../../../lib/access/grants.js'
import type { FailureCode } from '../../../../lib/base/failures.js'
import { ok, type Result } from '../../../../lib/base/result.js'
import { now } from '../../../../lib/base/time.js'
import { summariseSlow } from '../../../../lib/dialect/index.js'
import { addressText, type ServerId } from '../../../../lib/model/server/server.js'
import { aged } from '../../kit/age.js'
import { emptyBecause } from '../../kit/empty.js'
import { flag } from '../../kit/input.js'
import { asked, noCluster, serverNotFound } from '../../kit/refusals.js'
import { type ListTraits, type Route, route } from '../../kit/route.js'
import { plainValue } from '../../schemas/fields.js'
import {
  databaseTableSchema,
  lockWaitSchema,
  logSchema,
  metadataLockSchema,
  nullNumber,
  nullText,
  processSchema,
  responseTimeSchema,
  statementSchema,
  variablesSchema,
} from '../../schemas/shapes.js'
import { whole } from '../../schemas/whole.js'
import { withChecksums } from '../../views/cluster/checksums.js'
import { nullString } from '../../views/kit/null.js'
import {
  type Row,
  renderChannels,
  renderErrorLog,
  renderLocks,
  renderLockWaits,
  renderMasterStatus,
  renderProcesses,
  renderResponseTimes,
  renderSchemas,
  renderTables,
  renderVariables,
  renderVirtualTables,
} from '../../views/server/live.js'
import { renderStatements } from '../../views/server/statements.js'

interface Read {
  readonly what: LiveRead
  readonly summary: string
  readonly grant: Grant | readonly Grant[]
  readonly schema: z.ZodType
  readonly example: unknown
  /** A long list, in parts when asked. */
  readonly list?: ListTraits
  readonly render: (rows: readonly Row[], url: string) => object
}

const down = '503 -Not a Valid Server!'

/** What is read is not there: no plugin, no log file, a setting that forbids the read. The answer is empty, with the reason. */
const nothingToRead: ReadonlySet<FailureCode> = new Set<FailureCode>(['unsupported', 'file-unreadable'])

/** A server that is down, and one whose host does not answer. */
const unanswered: Route['failures'] = {
  ...{
    'sql-refused': [500, down],
    'sql-silent': [500, down],
    'sql-unresolved': [500, down],
    'sql-rejected': [500, down],
    'sql-key-unproven': [500, down],
  },
  ...{ 'sql-failed': [500], 'deadline-passed': [500] },
  ...{ 'ssh-unreachable': [500], 'ssh-rejected': [500], 'script-failed': [500] },
}

/** The row of `S/<word>`. */
const read = (word: string, { what, summary, grant, schema, example, list, render }: Read) =>
  route({
    methods: ['GET'],
    paths: [`/api/clusters/:cluster/servers/:server/${word}`],
    summary,
    grant,
    query: z.object({
      last: flag().optional().describe('Of a server that is down what was read last, with its `Age`.'),
    }),
    reply: { status: 200, type: 'json', schema, ...(list ? { list } : {}) },
    failures: { ...serverNotFound, ...asked, ...unanswered },
    example: { reply: example },
    answer: ({ cluster, server, query }) =>
      readFrom(cluster, { server: server.id, what, last: query.last === true }, (rows) =>
        render(rows, addressText(server)),
      ),
  })

interface Wish {
  readonly server: ServerId
  readonly what: LiveRead
  /** Of a server that is down what was read last. */
  readonly last: boolean
}

async function readFrom(
  cluster: ActorRef<ClusterProtocol>,
  { server, what, last }: Wish,
  render: (rows: readonly Row[]) => object,
): Promise<Result<object>> {
  const answer = await cluster.ask('read', { server, what, ...(last ? { last } : {}) })
  if (answer.ok) return ok(aged(render(answer.value.rows), now() - answer.value.at))
  const { code, message } = answer.failure
  return nothingToRead.has(code) ? ok(emptyBecause(render([]), message)) : answer
}

const logs = ['db-logs', 'db-show-logs'] as const

const statement = {
  ...{
    digest: '4a1e',
    query: 'SELECT 1',
    digestText: 'SELECT ?',
    shemaName: 'shop',
    schemaName: 'shop',
    lastSeen: '2026-11-21 07:40:12',
  },
  ...{
    planFullScan: '',
    planTmpDisk: 0,
    planTmpMem: 0,
    execCount: 3,
    errCount: 0,
    warnCount: 0,
    execTimeTotal: '0.600000',
  },
  ...{ execTimeMax: { Float64: 0.3, Valid: true }, execTimeAvgMs: { Float64: 200, Valid: true } },
  ...{ rowsSent: 3, rowsSentAvg: 1, rowsScanned: 3, value: '0.600000' },
}

const table = {
  ...{ table_schema: 'shop', table_name: 'orders', engine: 'InnoDB', table_rows: 1200 },
  ...{ data_length: 16384, index_length: 0, table_crc: 0, table_clusters: '', table_sync: '' },
}

export const serverReadRoutes = {
  'server.status': read('status', {
    what: 'status',
    summary: 'Global status, sorted by name.',
    grant: 'db-show-status',
    list: { fields: ['variableName'] },
    schema: variablesSchema,
    example: [{ variableName: 'UPTIME', value: '4711' }],
    render: renderVariables,
  }),
  'server.status-delta': read('status-delta', {
    what: 'status-delta',
    summary: 'Whole-number counters of the global status that changed, by how much, between the last two samples.',
    grant: 'db-show-status',
    list: { fields: ['variableName'] },
    schema: variablesSchema,
    example: [{ variableName: 'QUESTIONS', value: '112' }],
    render: renderVariables,
  }),
  'server.status-innodb': read('status-innodb', {
    what: 'engine-status',
    summary: "Figures of InnoDB's monitor, sorted by name; the latest deadlock as text.",
    grant: ['db-logs', 'db-show-status'],
    list: { fields: ['variableName'] },
    schema: variablesSchema,
    example: [{ variableName: 'HISTORY_LIST_LENGTH', value: '12' }],
    render: renderVariables,
  }),
  'server.variables': read('variables', {
    what: 'variables',
    summary: 'Global variables, sorted by name.',
    grant: 'db-show-variables',
    list: { fields: ['variableName'] },
    schema: variablesSchema,
    example: [{ variableName: 'MAX_CONNECTIONS', value: '151' }],
    render: renderVariables,
  }),
  'server.tables': read('tables', {
    what: 'tables',
    summary:
      'The 1000 largest tables. Of more than 1000 tables only those of InnoDB, by its statistics: none is opened.',
    grant: 'db-show-schema',
    list: { fields: ['table_schema', 'table_name', 'engine'] },
    schema: z.array(databaseTableSchema),
    example: [table],
    render: renderTables,
  }),
  'server.vtables': read('vtables', {
    what: 'tables',
    summary: 'The same tables by `schema.table`.',
    grant: 'db-show-schema',
    schema: z.record(z.string(), databaseTableSchema),
    example: { 'shop.orders': table },
    render: renderVirtualTables,
  }),
  'server.schema': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/schema'],
    summary:
      'The tables of the master as `tables` of that server gives them, with what the latest checksum of each found (`table_sync`: WA, PR, OK, ER, NA; empty: never compared); of a master that is down those that were read last, with `Age`.',
    grant: ['db-show-schema', 'cluster-sharding'],
    reply: {
      status: 200,
      type: 'json',
      schema: z.array(databaseTableSchema),
      list: { fields: ['table_schema', 'table_name', 'engine'] },
    },
    failures: { ...noCluster, ...asked, ...unanswered },
    example: { reply: [table] },
    answer: async ({ cluster }) => {
      const snapshot = await cluster.ask('snapshot', {})
      if (!snapshot.ok) return snapshot
      const { primary } = snapshot.value
      const found = await cluster.ask('read-checksums', {})
      return primary === undefined
        ? ok(emptyBecause([], 'the cluster has no master'))
        : readFrom(cluster, { server: primary, what: 'tables', last: true }, (rows) =>
            withChecksums(renderTables(rows), found.ok ? found.value : { tables: [], waiting: [] }),
          )
    },
  }),
  'server.schemas': read('schemas', {
    what: 'schemas',
    summary: 'Names of the schemas, those of the system aside.',
    grant: 'db-show-schema',
    list: {},
    schema: z.array(z.string()),
    example: ['shop'],
    render: renderSchemas,
  }),
  'server.processlist': read('processlist', {
    what: 'processlist',
    summary:
      'Running threads, longest running first, at most monitoring-processlist-limit; sleeping ones with monitoring-processlist-inactive.',
    grant: ['db-show-process', 'db-logs'],
    list: { fields: ['user', 'host', 'db', 'command', 'state'] },
    schema: z.array(processSchema),
    example: [whole(processSchema, { id: 7, user: 'app', host: '10.0.0.5:51234', command: 'Query' })],
    render: renderProcesses,
  }),
  'server.master-status': read('master-status', {
    what: 'source-status',
    summary: 'Current position of the binary log.',
    grant: ['db-replication', 'db-show-status'],
    schema: z.object({ file: z.string(), position: z.number(), binlogDoDB: z.string(), binlogIgnoreDB: z.string() }),
    example: { file: 'binlog.000002', position: 345, binlogDoDB: '', binlogIgnoreDB: '' },
    render: renderMasterStatus,
  }),
  'server.all-slaves-status': read('all-slaves-status', {
    what: 'replica-status',
    summary: 'Every replication channel with all columns.',
    grant: ['db-replication', 'db-show-status'],
    schema: z.array(z.record(z.string(), z.union([nullText, nullNumber, plainValue]))),
    example: [{ masterHost: { String: 'db1', Valid: true }, secondsBehindMaster: { Int64: 0, Valid: true } }],
    render: renderChannels,
  }),
  'server.meta-data-locks': read('meta-data-locks', {
    what: 'metadata-locks',
    summary: 'Metadata locks held (plugin METADATA_LOCK_INFO, or the performance schema of MySQL).',
    grant: logs,
    list: { fields: ['lockSchema', 'lockName', 'lockMode'] },
    schema: z.array(metadataLockSchema),
    example: [
      {
        ...{ threadId: 7, lockMode: nullString('MDL_SHARED_READ'), lockDuration: nullString('MDL_TRANSACTION') },
        ...{ lockTimeMs: { Int64: 12, Valid: true }, lockType: nullString('Table metadata lock') },
        ...{ lockCatalog: nullString('def'), lockSchema: nullString('shop'), lockName: nullString('orders') },
      },
    ],
    render: renderLocks,
  }),
  'server.lock-waits': read('lock-waits', {
    what: 'lock-waits',
    summary:
      'Sessions that wait for a row lock of InnoDB, each with the session that holds it; the longest wait first.',
    grant: logs,
    list: { fields: ['lockTable', 'waitingUser', 'blockingUser'] },
    schema: z.array(lockWaitSchema),
    example: [
      {
        ...{ waitingThread: 12, waitingUser: 'app', waitingHost: '10.0.0.5:51240', waitedMs: 4200 },
        ...{ waitingStatement: 'UPDATE orders SET note = 1 WHERE id = 7', lockMode: 'X', lockTable: '`shop`.`orders`' },
        ...{ blockingThread: 7, blockingUser: 'app', blockingHost: '10.0.0.5:51234', blockingStatement: '' },
        ...{ blockingMs: 61_000, blockingRows: 3, lockIndex: 'PRIMARY' },
      },
    ],
    render: renderLockWaits,
  }),
  'server.errorlog': read('errorlog', {
    what: 'error-log',
    summary: 'The latest monitoring-erreur-log-length lines of the error log, newest first, passwords masked.',
    grant: logs,
    list: { at: 'buffer', fields: ['level'] },
    schema: logSchema,
    example: {
      buffer: [
        {
          group: 'db1:3306',
          level: 'WARN',
          timestamp: '2026/11/21 07:40:12',
          text: 'Aborted connection 7 to db: shop',
        },
      ],
      len: 1,
      line: 1,
    },
    render: renderErrorLog,
  }),
  'server.slow-queries': read('slow-queries', {
    what: 'slow-queries',
    summary: 'The latest entries of the slow log, from its table or its file, newest first; times in seconds.',
    grant: logs,
    list: { fields: ['digest', 'shemaName'] },
    schema: z.array(statementSchema),
    example: [statement],
    render: renderStatements,
  }),
  'server.query-response-time': read('query-response-time', {
    what: 'response-times',
    summary: 'Statements by how long they took (plugin QUERY_RESPONSE_TIME, or the histogram of MySQL).',
    grant: logs,
    schema: z.array(responseTimeSchema),
    example: [{ time: '0.001000', count: 14, total: '0.004300' }],
    render: renderResponseTimes,
  }),
  'server.digest-statements-pfs': read('digest-statements-pfs', {
    what: 'digests',
    summary: 'The 100 digests of the performance schema that took most time; times in seconds, the average in ms.',
    grant: logs,
    list: { fields: ['digest', 'shemaName'] },
    schema: z.array(statementSchema),
    example: [statement],
    render: renderStatements,
  }),
  'server.digest-statements-slow': read('digest-statements-slow', {
    what: 'slow-queries',
    summary: 'The latest entries of the slow log by digest, those that took most time first.',
    grant: logs,
    list: { fields: ['digest', 'shemaName'] },
    schema: z.array(statementSchema),
    example: [statement],
    render: (rows) => renderStatements(summariseSlow(rows)),
  }),
}
