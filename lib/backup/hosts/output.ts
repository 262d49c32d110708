// What the job script and its tools write, understood line by line. Pure.
import type { BackupPosition } from '../../model/backup.js'

/** A line of the script to the reader of its output; `state` 2 comes with the port and certificate of its listener. */
export type ScriptSign =
  | { readonly state: 1 }
  | { readonly state: 2; readonly port: number; readonly certificate: string }
  | { readonly state: 3 | 5; readonly bytes?: number }

/** Undefined for a line of output. */
export function parseSign(line: string): ScriptSign | undefined {
  const [matched, state, first = '', second = ''] = /^@manager state ([1235])(?: (\S*))?(?: (\S*))?$/.exec(line) ?? []
  if (matched === undefined) return undefined
  if (state === '1') return { state: 1 }
  if (state === '2') return { state: 2, port: Number(first), certificate: second }
  return { state: state === '3' ? 3 : 5, ...bytesOf(first) }
}

/** `port certificate`, the result of a row in state 2. */
export function parseListener(text: string): { readonly port: number; readonly certificate: string } | undefined {
  const [, port, certificate] = /^(\d+) (\S+)$/.exec(text.trim()) ?? []
  return port === undefined || certificate === undefined ? undefined : { port: Number(port), certificate }
}

/** The bytes that the script counted, from its last line. */
export const countedBytes = (lines: readonly string[]): number | undefined =>
  bytesOf(/^bytes: (\d+)$/.exec(lines.findLast((line) => line.startsWith('bytes: ')) ?? '')?.[1] ?? '').bytes

const bytesOf = (text: string): { readonly bytes?: number } => (/^\d+$/.test(text) ? { bytes: Number(text) } : {})

/**
 * The position of a physical copy by the output of its tool: `MySQL binlog position: filename 'binlog.000002', position
 * '342', GTID of the last change '0-1-4'`. Later versions write `binlog` without `MySQL`; without GTID that part is missing.
 */
export function parsePosition(lines: readonly string[]): BackupPosition | undefined {
  for (const line of lines.toReversed()) {
    const [, file, offset, gtid = ''] =
      /binlog position: filename '([^']*)', position '(\d+)'(?:, GTID of the last change '([^']*)')?/.exec(line) ?? []
    if (file !== undefined && offset !== undefined)
      return { file, offset: Number(offset), gtid: gtid.replace(/\s/g, '') }
  }
  return undefined
}
