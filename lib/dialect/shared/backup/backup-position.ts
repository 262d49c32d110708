// The position of a copy, from what its program wrote. Pure.
import type { BackupPosition } from '../../../model/backup.js'

/** From the beginning and the end of a dump of mysqldump or mariadb-dump; undefined where it has no position. */
export function dumpPosition(text: string): BackupPosition | undefined {
  const place = /(?:MASTER|SOURCE)_LOG_FILE='([^']+)',\s*(?:MASTER|SOURCE)_LOG_POS=(\d+)/.exec(text)
  if (!place) return undefined
  return { gtid: dumpGtid(text), file: place[1] ?? '', offset: Number(place[2]) }
}

/**
 * MariaDB: GTIDs of a copy, with the domains of which the binary log of the source names none. A replica that was filled and has
 * logged nothing since shows them in `gtid_slave_pos` only; `applied` is that, read before the copy began.
 */
export function withApplied(gtids: string, applied: string): string {
  const domainOf = (gtid: string) => gtid.slice(0, gtid.indexOf('-'))
  const named = listed(gtids)
  const domains = new Set(named.map(domainOf))
  return [...named, ...listed(applied).filter((gtid) => !domains.has(domainOf(gtid)))].join()
}

const listed = (gtids: string): readonly string[] => gtids.split(',').filter((gtid) => gtid !== '')

/** MariaDB: the position of a replica; MySQL: the executed set, over several lines, after a `+` that newer releases write inside. */
function dumpGtid(text: string): string {
  const mariadb = [...text.matchAll(/SET GLOBAL gtid_slave_pos='([^']*)'/g)].at(-1)?.[1]
  if (mariadb !== undefined) return mariadb
  const mysql = /GTID_PURGED=(?:\/\*!\d+ '\+'\*\/)?\s*'\+?([^']*)'/.exec(text)?.[1]
  return mysql?.replace(/\s+/g, '') ?? ''
}

/** From the file `metadata` of mydumper, which names the server's own position first. */
export function metadataPosition(text: string): BackupPosition | undefined {
  const own = text.split(/SHOW (?:SLAVE|REPLICA) STATUS/)[0] ?? ''
  const file = /^\s*Log:\s*(\S+)/m.exec(own)?.[1]
  const offset = /^\s*Pos:\s*(\d+)/m.exec(own)?.[1]
  if (file === undefined || offset === undefined) return undefined
  const gtid = /^\s*GTID:[ \t]*((?:\S.*(?:\n(?=[0-9a-f]{8}-))?)*)/m.exec(own)?.[1] ?? ''
  return { gtid: gtid.replace(/\s+/g, ''), file, offset: Number(offset) }
}

/** Whether mydumper wrote its last line. */
export const isWholeMetadata = (text: string): boolean => /^Finished dump at:/m.test(text)

export interface PhysicalFacts {
  readonly toolVersion: string
  readonly position?: BackupPosition
  readonly lsn: { readonly from: string; readonly to: string }
}

/** From the two files that mariabackup and xtrabackup write beside a copy; undefined where one is not whole. */
export function physicalFacts(checkpoints: string, about: string): PhysicalFacts | undefined {
  const value = (text: string, name: string) => new RegExp(`^${name}\\s*=\\s*(.*)$`, 'm').exec(text)?.[1]?.trim()
  const from = value(checkpoints, 'from_lsn')
  const to = value(checkpoints, 'to_lsn')
  if (from === undefined || to === undefined) return undefined
  const position = binlogPosition(value(about, 'binlog_pos') ?? '')
  return { toolVersion: value(about, 'tool_version') ?? '', lsn: { from, to }, ...(position ? { position } : {}) }
}

/** `filename 'bin.000001', position '1079', GTID of the last change '0-1-5'`. */
export function binlogPosition(text: string): BackupPosition | undefined {
  const place = /filename '([^']+)', position '(\d+)'(?:, GTID of the last change '([^']*)')?/.exec(text)
  return place ? { file: place[1] ?? '', offset: Number(place[2]), gtid: place[3] ?? '' } : undefined
}
