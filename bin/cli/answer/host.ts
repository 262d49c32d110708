// Load, memory and disk of the manager's host as a table.
import type { HostFigures } from '../../../actors/protocol/manager/face.js'
import { type Column, renderTable } from '../output/table.js'

interface Row {
  readonly what: string
  readonly used: string
  readonly of?: string
  readonly percent?: number
  readonly detail: string
}

const columns: readonly Column<Row>[] = [
  { title: 'resource', isKey: true, text: ({ what }) => what },
  { title: 'used', align: 'right', text: ({ used }) => used },
  { title: 'of', align: 'right', text: ({ of = '-' }) => of },
  {
    title: 'percent',
    align: 'right',
    text: ({ percent }) => (percent === undefined ? '-' : percent.toFixed(1)),
    style: ({ percent = 0 }) => (percent >= FULL ? 'red' : percent >= HIGH ? 'yellow' : undefined),
  },
  { title: 'detail', text: ({ detail }) => detail },
]

/** Percent from which on a figure is coloured. */
const HIGH = 80
const FULL = 95

export function renderHost({ host, process }: HostFigures): string {
  const rows: readonly Row[] = [
    {
      ...{ what: 'processors', used: ((host.cpuPercent / 100) * host.cpuCores).toFixed(2), of: String(host.cpuCores) },
      ...{ percent: host.cpuPercent, detail: host.hostname },
    },
    {
      ...{ what: 'memory', used: bytes(host.memoryUsedBytes), of: bytes(host.memoryTotalBytes) },
      ...{ percent: host.memoryUsedPercent, detail: host.hostname },
    },
    {
      ...{ what: 'disk', used: bytes(host.diskUsedBytes), of: bytes(host.diskTotalBytes) },
      ...{ percent: host.diskUsedPercent, detail: host.diskError ?? host.diskPath },
    },
    {
      ...{ what: 'manager', used: bytes(process.rssBytes), of: bytes(host.memoryTotalBytes) },
      ...{
        percent: (process.rssBytes / host.memoryTotalBytes) * 100,
        detail: `process ${process.pid}, up ${duration(process.uptimeSeconds)}`,
      },
    },
    { what: 'heap', used: bytes(process.heapAllocBytes), of: bytes(process.heapSysBytes), detail: 'of the manager' },
  ]
  return renderTable(columns, rows)
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** `1444175872` → `1.4 GB`. */
export function bytes(value: number): string {
  const power = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3))
  return `${(value / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

/** Seconds in the two largest units that they fill: `1 d 2 h`. */
export function duration(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds) % 60, 's'],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  if (first < 0) return '0 s'
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}
