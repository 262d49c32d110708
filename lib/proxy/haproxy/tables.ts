// Reads HAProxy's tables by the names in their header lines: the columns differ between versions.
import { SECOND } from '../../base/time.js'
import type { ProxyProcess } from '../kit/index.js'

export type TableRow = Readonly<Record<string, string>>

/** `show stat`: comma-separated, fields quoted when they need it. */
export const parseStat = (text: string): readonly TableRow[] =>
  parseTable(text, '# pxname', (line) => splitCsv(line.replace(/^# /, '')))

/** `show info`: in a container every process may have the same number. */
export function parseProcess(text: string): ProxyProcess {
  const [, id] = /^Pid: (\d+)$/m.exec(text) ?? []
  const [, seconds] = /^Uptime_sec: (\d+)$/m.exec(text) ?? []
  return {
    ...(id === undefined ? {} : { id }),
    ...(seconds === undefined ? {} : { upMs: Number(seconds) * SECOND }),
  }
}

/** `show servers state`: blank-separated. */
export const parseServersState = (text: string): readonly TableRow[] =>
  parseTable(text, '# be_id', (line) => line.replace(/^# /, '').trim().split(/\s+/))

/** Rows from the header line on to the first empty line. */
function parseTable(text: string, header: string, split: (line: string) => readonly string[]): readonly TableRow[] {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith(header))
  if (start < 0) return []
  const names = split(lines[start] ?? '')
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => line.trim() === '')
  return rest.slice(0, end < 0 ? undefined : end).map((line) => {
    const fields = split(line)
    return Object.fromEntries(names.map((name, index) => [name, fields[index] ?? '']))
  })
}

/** A quoted field may hold commas and doubled quotes. */
const splitCsv = (line: string): readonly string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
  )

/** One server of `show servers state`. */
export interface HaproxyServer {
  readonly backend: string
  readonly name: string
  readonly host: string
  readonly port: number
  /** The administrative state, whatever its health: bits of `srv_admin_state` (maintenance 0x23, drain 0x18). */
  readonly adminState: 'ready' | 'drain' | 'maint'
}

const MAINTENANCE = 0x23
const DRAIN = 0x18

export function serverOf(row: TableRow): HaproxyServer {
  const admin = Number(row.srv_admin_state ?? 0)
  return {
    backend: row.be_name ?? '',
    name: row.srv_name ?? '',
    host: row.srv_addr ?? '',
    port: Number(row.srv_port ?? 0),
    adminState: (admin & MAINTENANCE) !== 0 ? 'maint' : (admin & DRAIN) !== 0 ? 'drain' : 'ready',
  }
}
