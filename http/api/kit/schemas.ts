// Shapes of what the API answers and takes, for the documents and for the specs that check the views against them.
// Objects are open: clients must pass over keys they do not know.
import { z } from 'zod'

const text = z.string()
const count = z.number().int().min(0)

export const nullText = z.object({ String: text, Valid: z.boolean() }).meta({ id: 'NullString' })
export const nullNumber = z.object({ Int64: z.number().int(), Valid: z.boolean() }).meta({ id: 'NullInt64' })

export const aliveSchema = z.object({ alive: z.enum(['running', 'starting', 'errors']) }).meta({ id: 'Alive' })

export const gtidSchema = z.object({ domainId: count, serverId: count, seqNo: count }).meta({ id: 'Gtid' })

export const channelSchema = z
  .looseObject({
    connectionName: nullText,
    masterHost: nullText,
    masterPort: nullText,
    masterServerId: count,
    slaveIoRunning: nullText,
    slaveSqlRunning: nullText,
    secondsBehindMaster: nullNumber,
    lastIoError: nullText,
    lastSqlError: nullText,
    usingGtid: nullText,
  })
  .meta({ id: 'SlaveStatus' })

export const serverSchema = z
  .looseObject({
    id: text,
    name: text,
    host: text,
    port: text.regex(/^\d+$/),
    url: text,
    state: text,
    prevState: text,
    dbVersion: z.looseObject({ flavor: text, major: count, minor: count, release: count }),
    failCount: count,
    prefered: z.boolean(),
    ignored: z.boolean(),
    isMaintenance: z.boolean(),
    isVirtualMaster: z.boolean(),
    isSlave: z.boolean(),
    readOnly: z.enum(['ON', 'OFF', '']),
    replications: z.array(channelSchema),
    replicationHealth: text,
    replicationTags: text,
    currentGtid: z.array(gtidSchema),
    slaveGtid: z.array(gtidSchema),
    semiSyncMasterStatus: z.boolean(),
    semiSyncSlaveStatus: z.boolean(),
  })
  .meta({ id: 'Server' })

export const crashSchema = z
  .looseObject({
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
  })
  .meta({ id: 'Crash' })

export const logLineSchema = z.object({ group: text, level: text, timestamp: text, text }).meta({ id: 'LogLine' })
export const logSchema = z.object({ buffer: z.array(logLineSchema), len: count, line: count }).meta({ id: 'Log' })

const percent = text.regex(/^\d{1,3}\.\d{5}$/)

export const clusterSchema = z
  .looseObject({
    name: text,
    topology: text,
    config: z.looseObject({}),
    dbServers: z.array(text),
    proxyServers: z.array(text),
    failoverCounter: count,
    failoverLastTime: count,
    isDown: z.boolean(),
    isFailable: z.boolean(),
    isHealthy: z.boolean(),
    healthFaults: z.array(text),
    isProvision: z.boolean(),
    activePassiveStatus: z.enum(['A', 'S']),
    monitorSpin: text,
    uptime: percent,
    uptimeFailable: percent,
    uptimeSemisync: percent,
    log: logSchema,
  })
  .meta({ id: 'Cluster' })

/** One line of the fleet. */
export const briefSchema = z
  .object({
    name: text,
    topology: text,
    failoverMode: text,
    isPaused: z.boolean(),
    isObserved: z.boolean(),
    primary: text,
    isDown: z.boolean(),
    isHealthy: z.boolean(),
    isFailable: z.boolean(),
    fault: text,
    servers: count,
    answering: count,
    lag: z.number().nullable(),
    errors: count,
    warnings: count,
    worst: z.object({ number: text, desc: text }).nullable(),
    operation: z.object({ id: text, kind: text }).nullable(),
  })
  .meta({ id: 'Brief' })

/** A cluster that has no state to show: it is starting again, or was stopped after repeated crashes. */
export const absentClusterSchema = z.object({ name: text, unavailable: text }).meta({ id: 'AbsentCluster' })

export const backendSchema = z
  .looseObject({ host: text, port: text, status: text, prxConnections: text })
  .meta({ id: 'Backend' })
export const proxySchema = z
  .looseObject({
    id: text,
    name: text,
    type: text,
    host: text,
    port: text,
    state: text,
    backendsWrite: z.array(backendSchema),
    backendsRead: z.array(backendSchema),
  })
  .meta({ id: 'Proxy' })

export const alertSchema = z
  .looseObject({ number: text.regex(/^(ERR|WARN)\d+$/), desc: text, from: text, runbook: text.optional() })
  .meta({ id: 'Alert' })
export const alertsSchema = z
  .object({ errors: z.array(alertSchema), warnings: z.array(alertSchema) })
  .meta({ id: 'Alerts' })

const gtidSet = z.record(text, z.array(z.tuple([count, count])))

export const operationSchema = z
  .looseObject({
    id: text,
    kind: z.enum(['failover', 'switchover', 'rejoin', 'repair']),
    owner: text,
    reason: text,
    startedAt: z.number(),
    deadlineAt: z.number(),
    phase: z.enum(['running', 'succeeded', 'rolled-back', 'failed']),
    result: z.enum(['running', 'succeeded', 'succeeded-with-losses', 'undone', 'failed']),
    losses: z.array(z.looseObject({ command: text, message: text })),
    steps: z.array(z.looseObject({ state: text })),
  })
  .meta({ id: 'Operation' })

export const explainSchema = z
  .looseObject({
    wouldFailOver: z.boolean(),
    primaryDead: z.boolean(),
    evidence: z.enum(['none', 'weak', 'conclusive']),
    rows: z.array(
      z.looseObject({ rule: text, code: text, state: z.enum(['clear', 'closed', 'waiting', 'off']), sentence: text }),
    ),
    ranking: z.array(z.looseObject({ server: text, eligible: z.boolean(), reason: text, received: gtidSet })),
    loss: z.looseObject({ kind: z.enum(['none', 'at-most', 'at-least', 'unknown']), reason: text }),
    servers: z.record(text, text),
    operation: operationSchema.nullable(),
    lastOperation: operationSchema.nullable(),
  })
  .meta({ id: 'FailoverVerdict' })

export const ticketSchema = z.object({ operation: operationSchema }).meta({ id: 'OperationTicket' })

export const planSchema = z
  .looseObject({
    kind: text,
    possible: z.boolean(),
    refusal: text.optional(),
    steps: z.array(z.looseObject({ text, expectedMs: z.number().optional(), blocksWrites: z.boolean() })),
    expectedBlockedMs: z.number().optional(),
    risks: z.array(text),
  })
  .meta({ id: 'PlanPreview' })

export const settingSchema = z
  .object({
    name: text,
    value: z.unknown(),
    origin: z.enum(['default', 'file', 'environment', 'flag', 'saved', 'runtime', 'rotated']),
    immutable: z.boolean(),
    replaces: text.optional(),
    given: text.optional(),
    acts: z.literal('restart').optional(),
  })
  .meta({ id: 'Setting' })

const settingAt = z.object({ value: z.union([z.boolean(), z.number(), z.string()]), origin: text })

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
  .looseObject({ id: z.number(), user: text, host: text, command: text })
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

export const responseTimeSchema = z.looseObject({ time: text, count, total: text }).meta({ id: 'ResponseTime' })

export const statementSchema = z
  .looseObject({
    ...{ digest: text, query: text, digestText: text, shemaName: text, lastSeen: text, planFullScan: text },
    ...{ planTmpDisk: count, planTmpMem: count, execCount: count, errCount: count, warnCount: count },
    ...{ execTimeTotal: z.number(), execTimeMax: nullFloat, execTimeAvgMs: nullFloat },
    ...{ rowsSent: count, rowsSentAvg: count, rowsScanned: count, value: text },
  })
  .meta({ id: 'Statement' })

export const planRowSchema = z
  .looseObject({
    ...{ id: nullNumber, selectType: nullText, table: nullText, type: nullText, possibleKeys: nullText },
    ...{ key: nullText, keyLen: nullText, ref: nullText, rows: nullNumber, filtered: nullFloat, extra: nullText },
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
      graphs: z.array(z.object({ name: text, data: z.array(z.object({ name: text, value: z.number() })) })),
    }),
    processlist: z.array(processSchema),
  })
  .meta({ id: 'Top' })

export const queryRuleSchema = z
  .looseObject({
    ...{ ruleId: count, active: count, userName: nullText, schemaName: nullText, digest: nullText },
    ...{ matchDigest: nullText, matchPattern: nullText, destinationHostgroup: nullNumber },
    ...{ mirrorHostgroup: nullNumber, multiplex: nullNumber, proxies: text },
  })
  .meta({ id: 'QueryRule' })

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
