// Moments as people write them on the command line, in the zone of this machine. Pure: `now` is an argument.
import { DAY, HOUR, MINUTE, parseTime } from '../../../lib/base/time.js'

export const momentForms = '22:30, 2026-11-24T22:30 (local time), 2026-11-24T22:30:00Z, +90m, +2h or +1d'

const units: Readonly<Record<string, number>> = { m: MINUTE, h: HOUR, d: DAY }

/** Milliseconds since the epoch; undefined for a text of no known form. A time of day is its next occurrence. */
export function parseMoment(text: string, now: number): number | undefined {
  const [, count, unit] = /^\+(\d{1,6})([mhd])$/.exec(text) ?? []
  if (count !== undefined && unit !== undefined) return now + Number(count) * (units[unit] ?? 0)
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(text) ?? []
  if (hours !== undefined && minutes !== undefined) return nextTimeOfDay(Number(hours), Number(minutes), now)
  if (!/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/.test(text)) return undefined
  return parseTime(text.replace(' ', 'T'))
}

function nextTimeOfDay(hours: number, minutes: number, now: number): number | undefined {
  if (hours > 23 || minutes > 59) return undefined
  const day = new Date(now)
  day.setHours(hours, minutes, 0, 0)
  if (day.getTime() <= now) day.setDate(day.getDate() + 1)
  return day.getTime()
}
