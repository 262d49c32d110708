// Numbers as people read them: counts, bytes, durations; never more digits than anyone compares.

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const whole = new Intl.NumberFormat('en-US')

/** 1234567 → "1,234,567". */
export const renderCount = (value: number): string => whole.format(Math.round(value))

/** 1234567 → "1.23M": three digits that matter. */
export function renderShort(value: number): string {
  const size = Math.abs(value)
  if (size < 1_000) return size < 10 && !Number.isInteger(value) ? value.toFixed(1) : String(Math.round(value))
  for (const [unit, one] of [
    ['k', 1e3],
    ['M', 1e6],
    ['G', 1e9],
    ['T', 1e12],
  ] as const)
    if (Number((size / one).toPrecision(3)) < 1_000) return `${Number((value / one).toPrecision(3))}${unit}`
  return value.toExponential(2)
}

/** 1536 → "1.5 KiB". */
export function renderBytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  let left = value
  let unit = 0
  while (Math.abs(left) >= 1_024 && unit < units.length - 1) {
    left /= 1_024
    unit++
  }
  return `${unit === 0 || Math.abs(left) >= 100 ? Math.round(left) : Number(left.toPrecision(2))} ${units[unit]}`
}

/** Milliseconds → "340 ms", "4.2 s", "3 min 5 s", "2 h 10 min", "3 d 4 h". */
export function renderDuration(ms: number): string {
  if (ms < 0) return `−${renderDuration(-ms)}`
  if (ms < SECOND) return `${Math.round(ms)} ms`
  if (ms < 10 * SECOND) return `${Number((ms / SECOND).toFixed(1))} s`
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`
  if (ms < HOUR) return two(ms, [MINUTE, 'min'], [SECOND, 's'])
  if (ms < DAY) return two(ms, [HOUR, 'h'], [MINUTE, 'min'])
  return two(ms, [DAY, 'd'], [HOUR, 'h'])
}

/** Milliseconds in one unit, as an age is read: "now", "12 s", "4 min", "3 h", "9 d". */
export function renderAge(ms: number): string {
  if (ms < SECOND) return 'now'
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`
  return `${Math.floor(ms / DAY)} d`
}

type Unit = readonly [ms: number, name: string]

function two(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rounded = Math.round(ms / small) * small
  const whole = Math.floor(rounded / large)
  const rest = Math.round((rounded - whole * large) / small)
  return rest === 0 ? `${whole} ${largeName}` : `${whole} ${largeName} ${rest} ${smallName}`
}
