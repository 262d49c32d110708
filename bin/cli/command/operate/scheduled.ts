// `switchover --at`, `--scheduled` and `--cancel`: the scheduled switchover of a cluster.
import type { ScheduledSwitchover } from '../../../../http/client/api/generated.js'
import { candidateForm } from '../../../../http/client/wire.js'
import { isoTime } from '../../../../lib/base/time.js'
import { call } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { momentForms, parseMoment } from '../../kit/moment.js'
import { EXIT, Exit } from '../../output/exit.js'
import { format, print } from '../../output/output.js'
import { paint, type Style } from '../../output/paint.js'
import { renderPreview } from './preview.js'

export interface ScheduleWish {
  readonly at: string
  readonly until?: string | undefined
  readonly candidate: string | undefined
}

export async function schedule(cluster: string, wish: ScheduleWish, { flags, session }: Context): Promise<void> {
  const from = momentOf('--at', wish.at, Date.now())
  const until = wish.until === undefined ? undefined : momentOf('--until', wish.until, from)
  const body = {
    ...candidateForm(wish.candidate),
    at: isoTime(from),
    ...(until === undefined ? {} : { until: isoTime(until) }),
  }
  const params = { cluster }
  const kept = await call(session(), 'POST /api/clusters/:cluster/actions/schedule-switchover', { params, body })
  print(await format(flags(), kept, renderScheduled))
}

export async function cancelScheduled(cluster: string, { flags, session }: Context): Promise<void> {
  const kept = await call(session(), 'POST /api/clusters/:cluster/actions/cancel-switchover', { params: { cluster } })
  print(await format(flags(), kept, renderScheduled))
}

export async function showScheduled(cluster: string, { flags, session }: Context): Promise<void> {
  const kept = await call(session(), 'GET /api/clusters/:cluster/scheduled-switchover', { params: { cluster } })
  print(await format(flags(), kept, renderScheduled))
}

function momentOf(flag: string, text: string, now: number): number {
  const at = parseMoment(text, now)
  if (at === undefined) throw new Exit(EXIT.usage, `${flag} ${text} is not a moment: write ${momentForms}`)
  return at
}

const styles: Readonly<Record<string, Style>> = {
  ...{ waiting: 'yellow', running: 'yellow', succeeded: 'green', failed: 'red', missed: 'red', cancelled: 'dim' },
}

export function renderScheduled(kept: ScheduledSwitchover | null): string {
  if (kept === null) return 'No switchover is scheduled.'
  const { phase, owner, from, until, candidate, message, plan, cancelledBy } = kept
  const isOpen = phase === 'waiting' || phase === 'running'
  return [
    `Scheduled switchover to ${candidate ?? 'the replica that is elected then'}: ${paint(styles[phase], phase)}${cancelledBy === undefined ? '' : ` by ${cancelledBy}`}`,
    `Requested by ${owner}; begins at ${localTime(from)}, no later than ${localTime(until)}.`,
    ...(message === undefined ? [] : [message]),
    ...(isOpen && plan
      ? [
          '',
          renderPreview(plan, true),
          'The plan is drawn up again before it begins. `switchover --cancel` takes it back.',
        ]
      : []),
  ].join('\n')
}

/** `2026-11-24 03:30:00 +0100`: in the zone of this machine. */
function localTime(iso: string): string {
  const at = new Date(iso)
  const offset = -at.getTimezoneOffset()
  const two = (value: number) => String(Math.floor(Math.abs(value))).padStart(2, '0')
  const local = new Date(at.getTime() + offset * 60_000).toISOString()
  const zone = offset === 0 ? 'UTC' : `${offset < 0 ? '-' : '+'}${two(offset / 60)}${two(offset % 60)}`
  return `${local.slice(0, 10)} ${local.slice(11, 19)} ${zone}`
}
