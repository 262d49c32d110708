// A point in time as options name it, as the query of the API.
import type { Input } from '../../../../http/client/api/types.js'
import { parseTime, SECOND } from '../../../../lib/base/time.js'
import { EXIT, Exit } from '../../output/exit.js'

export interface PointOptions {
  readonly end?: boolean
  readonly time?: string
  readonly gtid?: string
  readonly before?: string
  readonly ofFile?: string
  readonly position?: string
  readonly backup?: string
}

export type Point = NonNullable<Input<'GET /api/clusters/:cluster/recovery'>['query']>

/** The end of what is stored is the point of an empty query. */
export function pointOf({ end, before, gtid, time, ofFile, position, backup }: PointOptions): Point {
  const points = [end || undefined, before, gtid, time, ofFile].filter((each) => each !== undefined)
  if (points.length !== 1)
    throw new Exit(EXIT.usage, 'Name one point: --end, --before, --gtid, --time, or --of-file with --position.')
  if ((ofFile === undefined) !== (position === undefined))
    throw new Exit(EXIT.usage, '--of-file and --position belong together.')
  return {
    ...(before === undefined ? {} : { gtid: before, before: true }),
    ...(gtid === undefined ? {} : { gtid }),
    ...(time === undefined ? {} : { time: secondsOf(time, '--time') }),
    ...(ofFile === undefined ? {} : { file: ofFile, position: position ?? '' }),
    ...(backup === undefined ? {} : { backup }),
  }
}

export function secondsOf(text: string, option: string): string {
  if (/^\d+$/.test(text)) return text
  const at = parseTime(text)
  if (at === undefined)
    throw new Exit(EXIT.usage, `${option} ${text}: neither Unix seconds nor a time like 2026-11-22T15:04:59Z.`)
  return String(Math.floor(at / SECOND))
}
