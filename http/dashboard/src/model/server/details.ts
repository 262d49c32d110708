// What the server object of the interface says beyond the list of servers: logs, threads, plugins, what its host is to do.
import { type Fields, fieldsOf, listOf, numberOf, present, textOf } from '../wire.js'

export interface Details {
  readonly hostname?: string
  readonly serverId?: number
  readonly uuid?: string
  readonly binaryLog?: string
  readonly binaryLogPosition?: string
  readonly binaryLogFiles?: number
  readonly binaryLogBytes?: number
  readonly relayLogBytes?: number
  readonly binaryLogReaders?: number
  readonly replicationWords: readonly string[]
  readonly failedProbes?: number
  readonly longQuerySeconds?: number
  readonly logOutput?: string
  readonly isSlowLogOn?: boolean
  readonly isCapturing: boolean
  readonly hasMetadataLocks: boolean
  readonly hasResponseTimes: boolean
  readonly hasPerformanceSchema: boolean
  readonly isEventSchedulerOn?: boolean
}

/** The member of `topology/servers` that a page names by id, name or address. */
export const findMember = (reply: unknown, name: string): Fields | undefined =>
  listOf(reply).find((wire) => [wire.id, wire.name, wire.url].includes(name))

export function readDetails(wire: Fields): Details {
  const files = Object.values(fieldsOf(wire.binaryLogFiles)).flatMap((size) => numberOf(size) ?? [])
  const seconds = Number(textOf(wire.longQueryTime) ?? Number.NaN)
  return present<Details>({
    hostname: textOf(wire.hostname),
    serverId: numberOf(wire.serverId) || undefined,
    uuid: textOf(wire.uuid),
    binaryLog: textOf(wire.binaryLogFile),
    binaryLogPosition: textOf(wire.binaryLogPos),
    binaryLogFiles: numberOf(wire.binaryLogFilesCount) || undefined,
    binaryLogBytes: files.length === 0 ? undefined : files.reduce((sum, size) => sum + size, 0),
    relayLogBytes: numberOf(wire.relayLogSize) || undefined,
    binaryLogReaders: numberOf(wire.binlogDumpThreads),
    replicationWords: (textOf(wire.replicationTags) ?? '').split(' ').filter(Boolean),
    failedProbes: numberOf(wire.failCount) || undefined,
    longQuerySeconds: Number.isNaN(seconds) ? undefined : seconds,
    logOutput: textOf(wire.logOutput),
    isSlowLogOn: wire.slowQueryLog === 'ON' ? true : wire.slowQueryLog === 'OFF' ? false : undefined,
    isCapturing: wire.slowQueryCapture === true || wire.IsInSlowQueryCapture === true,
    hasMetadataLocks: wire.haveMetaDataLocksLog === true,
    hasResponseTimes: wire.haveQueryResponseTimeLog === true,
    hasPerformanceSchema: wire.havePFS === true,
    isEventSchedulerOn: typeof wire.eventScheduler === 'boolean' ? wire.eventScheduler : undefined,
  })
}
