// A cluster as clients read it.
import * as z from 'zod'
import { backupSchema } from './backup.js'
import { all, count, emptyList, emptyObject, flag, number, plainValue, text } from './fields.js'
import { operationRecord } from './operation.js'
import { crashSchema, logSchema } from './shapes.js'

/** Of the time; a full hundred only when nothing was missed. */
const percent = text.regex(/^\d{1,3}\.\d{5}$/)
const shares = all(percent, ['uptime', 'uptimeFailable', 'uptimeSemisync'])

const tag = z.object({ id: count, name: text, category: text }).meta({ id: 'Tag' })

export const variableDifference = z
  .object({
    variableName: text,
    diffValues: z.array(z.object({ serverName: text, variableValue: text })),
  })
  .meta({ id: 'VariableDifference' })

export const clusterSchema = z
  .object({
    ...all(text, ['LastDelayStatPrint', 'name', 'tenant', 'workingDir', 'topology', 'monitorSpin']),
    ...all(flag, [
      'isLostMajority',
      'isSplitBrain',
      'isFailedArbitrator',
      'inBinlogBackup',
      'isGitPull',
      'isGitPush',
      'isExportPush',
      'isGettingSlowLog',
      'canInitNodes',
      'canConnectVault',
      'isPostgres',
      'cleanReplication',
      'haveDBTLSOldCert',
      'isAlertDisable',
      'haveDBTLSCert',
      'UseWhitelist',
      'UseBlacklist',
      'inLogicalBackup',
      'inPhysicalBackup',
      'inResticBackup',
      'isValidBackup',
      'isDown',
      'isMasterDown',
      'isClusterDown',
      'isAllDbUp',
      'isFailable',
      'isHealthy',
      'isProvision',
      'isNotMonitoring',
      'isCapturing',
      'isNeedDatabasesRestart',
      'isNeedDatabasesRollingRestart',
      'isNeedDatabasesReprov',
      'isNeedDatabasesRollingReprov',
      'isNeedDatabasesConfigChange',
      'isNeedProxyRestart',
      'isNeedProxiesRestart',
      'isNeedProxiesReprov',
      'isNeedProxiesConfigChange',
      'inRollingRestart',
      'inRollingReprov',
      'inRollingOptimize',
    ]),
    ...all(count, [
      'SlavesConnected',
      'failoverCounter',
      'failoverLastTime',
      'waitingFailover',
      'waitingSwitchover',
      'waitingRejoin',
    ]),
    ...shares,
    activePassiveStatus: z.enum(['A', 'S']),
    /** Settings by their JSON keys, secrets masked. */
    config: z.record(text, plainValue),
    configurator: z.object({
      ...all(z.array(tag), ['configTags', 'configPrxTags']),
      ...all(z.array(text), ['dbServersTags', 'proxyServersTags']),
    }),
    ...all(z.array(text), ['dbServers', 'proxyServers', 'healthFaults']),
    ...all(z.array(crashSchema), ['dbServersCrashes', 'failoverHistory']),
    stateMachine: z.object(all(flag, ['discovered', 'inFailover', 'inSchemaMonitor'])),
    operation: operationRecord.nullable(),
    lastOperation: operationRecord.nullable(),
    slaHistory: z.array(
      z.object(all(z.number().int(), ['firsttime', 'lasttime', 'uptime', 'uptimeFailable', 'uptimeSemisync'])).meta({
        id: 'AvailabilityPeriod',
        description: 'a closed period: its bounds in seconds since the epoch, and its seconds in each state',
      }),
    ),
    apiUsers: z.record(
      text,
      z.object({ user: text, grants: z.record(text, flag), roles: z.record(text, flag) }).meta({ id: 'ClusterUser' }),
    ),
    workLoad: z.object({
      ...all(number, ['dbTableSize', 'dbIndexSize', 'connections', 'qps', 'cpuThreadPool', 'cpuUserStats']),
      BusyTime: text,
    }),
    traffic: z.object({
      ...{ on: flag, written: count, failed: count },
      ...{ server: text.optional(), at: number.optional(), failure: text.optional() },
    }),
    log: logSchema,
    diffVariables: z.array(variableDifference),
    backupList: z.record(text, backupSchema),
    backupStat: z.object(all(count, ['total_size', 'total_file_count', 'total_blob_count'])),
    ...all(z.record(text, text), ['topologyType', 'monitorType', 'diskType']),
    ...all(z.record(text, flag), ['fsType', 'vmType']),
    SlavesOldestMasterFile: z.object({ Prefix: text, Suffix: number, OldestTimestamp: text }),
    ...all(logSchema, ['logTask', 'sqlErrorLog', 'sqlGeneralLog']),
    ...all(emptyList, ['agents', 'Whitelist', 'Blacklist']),
    ...all(emptyObject, ['jobResults', 'sstAvailablePorts', 'VersionsMap']),
  })
  .meta({ id: 'Cluster' })
