// What one server says of itself, read when asked for: single-flight and cached for a moment by the cluster's actor.
import { z } from 'zod'
import type { LiveRead } from '../../actors/protocol/cluster.js'
import type { Grant } from '../../lib/access/grants.js'
import { ok } from '../../lib/base/result.js'
import { addressText } from '../../lib/model/server.js'
import { asked, serverNotFound, usual } from './refusals.js'
import { type ListTraits, route } from './route.js'
import { variablesSchema } from './schemas.js'
import { renderChannels, renderMasterStatus, renderProcesses, renderVariables } from './views/live.js'

interface Read {
  readonly what: LiveRead
  readonly summary: string
  readonly grant: Grant | readonly Grant[]
  readonly schema: z.ZodType
  readonly example: unknown
  /** A long list, in parts when asked. */
  readonly list?: ListTraits
  readonly render: (rows: unknown, url: string) => unknown
}

/** The row of `S/<word>`. */
const read = (word: string, { what, summary, grant, schema, example, list, render }: Read) =>
  route({
    methods: ['GET'],
    paths: [`/api/clusters/:cluster/servers/:server/${word}` as '/api/clusters/:cluster/servers/:server'],
    summary,
    grant,
    reply: { status: 200, type: 'json', schema, ...(list ? { list } : {}) },
    failures: { ...serverNotFound, ...asked, ...usual('sql-failed', 'sql-refused', 'sql-silent', 'sql-rejected') },
    example: { reply: example },
    answer: async ({ cluster, server }) => {
      const rows = await cluster.ask('read', { server: server.id, what })
      return rows.ok ? ok(render(rows.value, addressText(server))) : rows
    },
  })

export const serverReadRoutes = {
  'server.status': read('status', {
    what: 'status',
    summary: 'Global status, sorted by name.',
    grant: 'db-show-status',
    schema: variablesSchema,
    list: { fields: ['variableName'] },
    example: [{ variableName: 'UPTIME', value: '4711' }],
    render: renderVariables,
  }),
  'server.variables': read('variables', {
    what: 'variables',
    summary: 'Global variables, sorted by name.',
    grant: 'db-show-variables',
    schema: variablesSchema,
    list: { fields: ['variableName'] },
    example: [{ variableName: 'MAX_CONNECTIONS', value: '151' }],
    render: renderVariables,
  }),
  'server.processlist': read('processlist', {
    what: 'processlist',
    summary: 'Running threads, longest running first, bounded by monitoring-processlist-limit.',
    grant: ['db-show-process', 'db-logs'],
    list: { fields: ['user', 'host', 'db', 'command', 'state'] },
    schema: z.array(z.looseObject({ id: z.number(), user: z.string(), host: z.string(), command: z.string() })),
    example: [{ id: 7, user: 'app', host: '10.0.0.5:51234', command: 'Query' }],
    render: renderProcesses,
  }),
  'server.master-status': read('master-status', {
    what: 'source-status',
    summary: 'Where the binary log stands.',
    grant: ['db-replication', 'db-show-status'],
    schema: z.object({ file: z.string(), position: z.number(), binlogDoDB: z.string(), binlogIgnoreDB: z.string() }),
    example: { file: 'binlog.000002', position: 345, binlogDoDB: '', binlogIgnoreDB: '' },
    render: renderMasterStatus,
  }),
  'server.all-slaves-status': read('all-slaves-status', {
    what: 'replica-status',
    summary: 'Every replication channel with all columns.',
    grant: ['db-replication', 'db-show-status'],
    schema: z.array(z.looseObject({})),
    example: [{ masterHost: { String: 'db1', Valid: true }, secondsBehindMaster: { Int64: 0, Valid: true } }],
    render: renderChannels,
  }),
}
