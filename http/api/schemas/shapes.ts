// Shapes of what the API answers and takes, for the documents and for the specs that check the views against them.
// Objects are open: clients must pass over keys they do not know.
import * as z from 'zod'
import { fleetFlags, fleetStates, semiStates } from '../../../lib/model/fleet/row.js'
import { all, emptyObject, plainValue } from './fields.js'

const text = z.string()
const count = z.number().int().min(0)

export const nullText = z.object({ String: text, Valid: z.boolean() }).meta({ id: 'NullString' })
export const nullNumber = z.object({ Int64: z.number().int(), Valid: z.boolean() }).meta({ id: 'NullInt64' })

export const aliveSchema = z.object({ alive: z.enum(['running', 'starting', 'errors']) }).meta({ id: 'Alive' })

export const gtidSchema = z.object({ domainId: count, serverId: count, seqNo: count }).meta({ id: 'Gtid' })

export const crashSchema = z
  .object({
    URL: text,
    ElectedMasterURL: text,
    FailoverMasterLogFile: text,
    FailoverMasterLogPos: text,
    NewMasterLogFile: text,
    NewMasterLogPos: text,
    FailoverSemiSyncSlaveStatus: z.boolean(),
    FailoverIOGtid: z.array(gtidSchema),
    failoverIOGtidString: text,
    UnixTimestamp: count,
    Switchover: z.boolean(),
    LostGtid: text.optional(),
    Outcome: z.enum(['rejoined', 'diverged', 'superseded']).optional(),
    OutcomeTimestamp: count.optional(),
    ExtraGtid: text.optional(),
    TailFile: text.optional(),
  })
  .meta({ id: 'Crash' })

export const logLineSchema = z.object({ group: text, level: text, timestamp: text, text }).meta({ id: 'LogLine' })
export const logSchema = z.object({ buffer: z.array(logLineSchema), len: count, line: count }).meta({ id: 'Log' })

/** One line of the fleet: lib/model/fleet/row.ts */
export const fleetRowSchema = z
  .object({
    name: text,
    state: z.enum(fleetStates),
    primary: text,
    topology: text,
    mode: z.enum(['automatic', 'manual']),
    flags: z.array(z.enum(fleetFlags)),
    up: count,
    of: count,
    lag: z.number().nullable(),
    semi: z.enum(semiStates),
    loss: z.number().nullable(),
    errors: count,
    warnings: count,
    worst: text.nullable(),
    op: text.nullable(),
    at: z.number(),
    wps: z.number().nullable(),
    tags: z.array(text),
  })
  .meta({ id: 'FleetRow' })

/** A cluster that has no state to show: it is starting again, or was stopped after repeated crashes. */
export const absentClusterSchema = z.object({ name: text, unavailable: text }).meta({ id: 'AbsentCluster' })

export const backendSchema = z
  .object({
    ...all(text, ['host', 'port', 'status', 'prxName', 'prxStatus', 'prxConnections', 'prxByteIn', 'prxByteOut']),
    ...{ prxLatency: text, prxHostgroup: z.enum(['write', 'read']), prxMaintenance: z.boolean() },
    weight: z.number().optional(),
  })
  .meta({ id: 'Backend' })
const wanted = z.object({ host: text, port: text, state: text }).meta({ id: 'WantedBackend' })

export const queryRuleSchema = z
  .object({
    ...{ ruleId: count, active: count, userName: nullText, schemaName: nullText, digest: nullText },
    ...{ matchDigest: nullText, matchPattern: nullText, destinationHostgroup: nullNumber },
    ...{ mirrorHostgroup: nullNumber, multiplex: nullNumber, proxies: text.optional() },
  })
  .meta({ id: 'QueryRule' })

export const proxySchema = z
  .object({
    ...all(text, ['id', 'name', 'type', 'host', 'port', 'version', 'state', 'prevState', 'lastError', 'serviceName']),
    ...all(text, ['hostIPV6', 'datadir', 'slaposDatadir', 'agent', 'weight']),
    ...all(count, ['failCount', 'writePort', 'readPort', 'readWritePort', 'writerHostGroup', 'readerHostGroup']),
    ...all(count, ['tunnelPort', 'tunnelWritePort']),
    ...{ tunnel: z.boolean(), internalProxy: z.null(), shardProxy: z.null(), process: z.null(), Lock: emptyObject },
    queryRules: z.array(queryRuleSchema),
    backendsWrite: z.array(backendSchema),
    backendsRead: z.array(backendSchema),
    wantedWrite: z.array(wanted).optional(),
    wantedRead: z.array(wanted).optional(),
  })
  .meta({ id: 'Proxy' })

export const alertSchema = z
  .object({
    ...{ number: text.regex(/^(ERR|WARN)\d+$/), desc: text, from: text },
    ...{ hint: text.optional(), runbook: text.optional(), server: text.optional() },
  })
  .meta({ id: 'Alert' })
export const alertsSchema = z
  .object({ errors: z.array(alertSchema), warnings: z.array(alertSchema) })
  .meta({ id: 'Alerts' })

const planStep = z
  .looseObject({ text, blocksWrites: z.boolean(), server: text.optional(), expectedMs: z.number().optional() })
  .meta({ id: 'PlanStep' })

const planChange = z.object({ what: text, before: text.nullable(), after: text.nullable() }).meta({ id: 'PlanChange' })

const preview = {
  kind: text,
  possible: z.boolean(),
  unchecked: text.optional().describe('What could not be checked in time, and what to do.'),
  refusal: text.optional(),
  oldPrimary: text.optional(),
  newPrimary: text.optional(),
  steps: z.array(planStep),
  expectedBlockedMs: z.number().optional(),
  risks: z.array(text),
}

/** What a scheduled action would do. */
export const previewSchema = z.looseObject(preview).meta({ id: 'PlanPreview' })

export const planSchema = z
  .looseObject({
    id: text,
    cluster: text.nullable(),
    server: text.optional(),
    ...preview,
    judgement: z
      .enum(['possible', 'refused', 'unchecked'])
      .describe('`unchecked`: `possible` is false; it may be asked to run, and is refused where the check says so.'),
    pauseMs: z.number().nullable(),
    loss: z
      .object({ kind: z.enum(['none', 'at-most', 'at-least', 'unknown', 'removal']), text })
      .meta({ id: 'PlanLoss' }),
    undo: text.nullable(),
    changes: z.array(planChange).describe('Values now and then; a secret is masked.'),
    follows: z.array(text).describe('What else follows: files, restarts, who is concerned.'),
    lossy: z.boolean(),
    confirm: z.enum(['none', 'yes', 'name']),
  })
  .meta({ id: 'Plan' })

export const settingSchema = z
  .object({
    name: text,
    value: plainValue,
    origin: z.enum(['default', 'file', 'environment', 'flag', 'saved', 'runtime', 'rotated']),
    immutable: z.boolean(),
    replaces: text.optional(),
    given: text.optional(),
    acts: z.literal('restart').optional(),
    ofAll: z.literal(true).optional().describe('set at run time for all clusters'),
  })
  .meta({ id: 'Setting' })

const settingAt = z.object({ value: plainValue, origin: text }).meta({ id: 'SettingAt' })

export const settingChangeSchema = z
  .object({
    id: count,
    at: z.number(),
    user: text,
    cluster: text,
    name: text,
    action: z.enum(['set', 'switch', 'clear', 'undo']),
    before: settingAt,
    after: settingAt,
    undoes: count.optional(),
    along: z.record(z.string(), z.object({ before: settingAt, after: settingAt })).optional(),
  })
  .meta({ id: 'SettingChange' })

export const variablesSchema = z.array(z.object({ variableName: text, value: text })).meta({ id: 'Variables' })
export const messageSchema = z.object({ msg: text }).meta({ id: 'Message' })

export const nullFloat = z.object({ Float64: z.number(), Valid: z.boolean() }).meta({ id: 'NullFloat64' })

export const processSchema = z
  .object({
    ...{ id: z.number(), user: text, host: text, command: text, db: nullText, state: nullText, info: nullText },
    ...{ time: nullFloat, timeMs: nullFloat, progress: nullFloat, rowsSent: count, rowsExamined: count, url: text },
  })
  .meta({ id: 'Process' })

export const databaseTableSchema = z
  .looseObject({
    ...{ table_schema: text, table_name: text, engine: text },
    ...{ table_rows: count, data_length: count, index_length: count, table_crc: count },
    ...{ table_clusters: text, table_sync: text },
  })
  .meta({ id: 'DatabaseTable' })

export const metadataLockSchema = z
  .looseObject({
    ...{ threadId: count, lockMode: nullText, lockDuration: nullText, lockTimeMs: nullNumber },
    ...{ lockType: nullText, lockCatalog: nullText, lockSchema: nullText, lockName: nullText },
  })
  .meta({ id: 'MetadataLock' })

export const lockWaitSchema = z
  .object({
    ...{ waitingThread: count, waitingUser: text, waitingHost: text, waitingStatement: text, waitedMs: count },
    ...{ blockingThread: count, blockingUser: text, blockingHost: text, blockingStatement: text },
    ...{ blockingMs: count, blockingRows: count, lockMode: text, lockTable: text, lockIndex: text },
  })
  .meta({ id: 'LockWait' })

export const responseTimeSchema = z.looseObject({ time: text, count, total: text }).meta({ id: 'ResponseTime' })

export const statementSchema = z
  .looseObject({
    ...{ digest: text, query: text, digestText: text, shemaName: text, schemaName: text, lastSeen: text },
    planFullScan: text,
    ...{ planTmpDisk: count, planTmpMem: count, execCount: count, errCount: count, warnCount: count },
    ...{ execTimeTotal: text, execTimeMax: nullFloat, execTimeAvgMs: nullFloat },
    ...{ rowsSent: count, rowsSentAvg: count, rowsScanned: count, value: text },
  })
  .meta({ id: 'Statement' })

export const planRowSchema = z
  .looseObject({
    ...{ id: nullNumber, selectType: nullText, table: nullText, type: nullText, possibleKeys: nullText },
    ...{ key: nullText, keyLen: nullText, ref: nullText, rows: nullNumber, filtered: nullFloat, extra: nullText },
    // What was met, where the statement was run.
    ...{ rRows: nullFloat.optional(), rFiltered: nullFloat.optional() },
  })
  .meta({ id: 'PlanRow' })

export const killedSchema = z
  .object({ id: count, user: text, host: text, db: text, command: text, info: text })
  .meta({ id: 'KilledThread' })

export const topSchema = z
  .looseObject({
    id: text,
    url: text,
    header: z.object({
      graphs: z.array(z.object({ name: text, data: z.array(z.object({ name: text, value: count })) })),
    }),
    processlist: z.array(processSchema),
  })
  .meta({ id: 'Top' })

const share = z.number().min(0)

export const hostSchema = z
  .object({
    host: z.object({
      ...{ hostname: text, cpuCores: count, cpuPercent: share, memoryTotalBytes: count, memoryUsedBytes: count },
      ...{ memoryUsedPercent: share, diskPath: text, diskTotalBytes: count, diskUsedBytes: count },
      ...{ diskUsedPercent: share, diskError: text.optional() },
    }),
    process: z.object({
      ...{ pid: count, rssBytes: count, heapAllocBytes: count, heapSysBytes: count },
      ...{ goroutines: count, uptimeSeconds: count },
    }),
  })
  .meta({ id: 'HostFigures' })
