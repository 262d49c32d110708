// Which conditions are alerts, and which are silenced now. Pure.
import { SECOND } from '../../base/time.js'
import { nextTime } from '../../decide/upkeep/timetable.js'
import type { AlertCondition, AlertSilence } from '../../model/alert.js'
import type { Settings } from '../../settings/index.js'

/** Whether the settings make the finding an alert; the state of a server always is one. */
export function isTriggered(
  { code, severity }: Pick<AlertCondition, 'code' | 'severity'>,
  triggers: readonly string[],
): boolean {
  return triggers.some((trigger) => trigger === severity || (/^[A-Z]/.test(trigger) && code.startsWith(trigger)))
}

/** The silence that covers a condition of a cluster now; undefined when none does. */
export const findSilence = (
  silences: readonly AlertSilence[],
  { code, server }: Pick<AlertCondition, 'code' | 'server'>,
  { cluster, now }: { readonly cluster: string; readonly now: number },
): AlertSilence | undefined =>
  silences.find(
    (silence) =>
      (silence.cluster === '' || silence.cluster === cluster) &&
      silence.startsAt <= now &&
      now < silence.endsAt &&
      (silence.codes.length === 0 || silence.codes.some((start) => code.startsWith(start))) &&
      (silence.servers.length === 0 || (server !== undefined && silence.servers.includes(server))),
  )

export type BlackoutSettings = Pick<
  Settings,
  'monitoring-scheduler' | 'scheduler-alert-disable' | 'scheduler-alert-disable-cron' | 'scheduler-alert-disable-time'
>

/** When the scheduled window without alerts that holds now ends, milliseconds since the epoch; undefined outside of one. */
export function blackoutUntil(settings: BlackoutSettings, now: number): number | undefined {
  if (!settings['monitoring-scheduler'] || !settings['scheduler-alert-disable']) return undefined
  const lasts = settings['scheduler-alert-disable-time'] * SECOND
  const began = lastBegin(settings['scheduler-alert-disable-cron'], now, lasts)
  return began === undefined ? undefined : began + lasts
}

/** The latest begin of a pattern within the time before `now`. */
function lastBegin(pattern: string, now: number, within: number): number | undefined {
  let began: number | undefined
  let at = nextTime(pattern, now - within)
  // A pattern that begins again before the window has ended prolongs it: the latest of a few begins counts.
  for (let tries = 0; at !== undefined && at <= now && tries < 100; tries++) {
    began = at
    at = nextTime(pattern, at)
  }
  return began
}
