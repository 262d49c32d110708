// Values of a chart as text, by their unit.
import { renderBytes, renderDuration, renderShort } from '../../text/numbers.js'

export type ChartUnit = 'count' | 'bytes' | 'bytes-per-second' | 'ms' | 'per-second' | 'percent'

const renderers: Readonly<Record<ChartUnit, (value: number) => string>> = {
  count: renderShort,
  bytes: renderBytes,
  'bytes-per-second': (value) => `${renderBytes(value)}/s`,
  ms: renderDuration,
  'per-second': (value) => `${renderShort(value)}/s`,
  percent: (value) => `${Number(value.toPrecision(4))} %`,
}

export const renderValue = (unit: ChartUnit | undefined, value: number): string => renderers[unit ?? 'count'](value)
