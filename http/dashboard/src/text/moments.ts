// Moments as people read them: the time of day here, the full moment with its zone on request.

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/** "19:43:07". */
export const renderClock = (at: number): string => clock.format(at)

const minute = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

/** Moments of an axis: "19:43", with seconds where minutes are too coarse, and the day at its beginning. */
export const renderTicks = (moments: readonly number[]): string[] =>
  moments.map((at) => {
    if (at % 60_000 !== 0) return renderClock(at)
    const text = minute.format(at)
    return text === '00:00' ? day.format(at) : text
  })

/** "19:43:07" today, else "23 Nov 19:43:07". */
export const renderMoment = (at: number, now: number): string =>
  new Date(at).toDateString() === new Date(now).toDateString()
    ? renderClock(at)
    : `${day.format(at)} ${renderClock(at)}`

/** "2026-11-24 19:43:07.120 +01:00": with the zone, sorts as text. */
export function renderFullMoment(at: number): string {
  const date = new Date(at)
  const offset = -date.getTimezoneOffset()
  const local = new Date(at + offset * 60_000).toISOString()
  const zone = `${offset < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(offset) / 60))}:${pad(Math.abs(offset) % 60)}`
  return `${local.slice(0, 10)} ${local.slice(11, 23)} ${zone}`
}

const pad = (value: number): string => String(value).padStart(2, '0')
