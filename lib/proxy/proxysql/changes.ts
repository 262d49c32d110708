// The statements that bring the groups of ProxySQL to the wanted state, and what still differs.
import type { ServerAddress } from '../../model/server/server.js'
import type { ProxyTarget } from '../kit/index.js'
import type { ServerRow } from './tables.js'

/** How the groups are filled. */
export interface Groups {
  readonly writer: number
  readonly reader: number
  /**
   * Both groups belong to the manager: it adds and removes servers (`proxysql-bootstrap`). Otherwise only the writer moves and
   * maintenance is set; which servers take reads is decided by the operator.
   */
  readonly own: boolean
  /** For rows that the manager writes. */
  readonly maxConnections: number
  readonly maxLagSeconds: number
  readonly compression: boolean
}

/** In the comment of a row that the manager closed, so that it opens none that an operator closed. */
export const MARK = '[closed by the manager]'

/** All rows of both groups as they should be, derived from the current ones. Rows of other groups are ignored. */
export const wantedRows = (
  target: ProxyTarget,
  groups: Groups,
  present: readonly ServerRow[],
): readonly ServerRow[] => {
  const filling = { target, groups, present }
  return [...wantedWriters(filling), ...wantedReaders(filling)]
}

interface Filling {
  readonly target: ProxyTarget
  readonly groups: Groups
  readonly present: readonly ServerRow[]
}

/**
 * Only the primary takes writes. While no server may, the rows stay and are closed hard, which ends their sessions. A
 * ProxySQL that checks read_only itself may reopen a row that it still finds open: the freeze at the same time closes it.
 */
function wantedWriters(filling: Filling): readonly ServerRow[] {
  const { primary } = filling.target
  const { members, foreign } = rowsOf('writer', filling)
  if (primary === undefined)
    return [...foreign, ...members.map((row): ServerRow => ({ ...row, status: 'OFFLINE_HARD' }))]
  const row = members.find((each) => isAt(each, primary)) ?? freshRow(primary, 'writer', filling)
  return [...foreign, open({ ...row, ...(filling.groups.own ? limits(filling.groups) : {}) })]
}

function wantedReaders(filling: Filling): readonly ServerRow[] {
  const { target, groups } = filling
  const { members, foreign } = rowsOf('reader', filling)
  const wanted = target.readers.flatMap((reader): readonly ServerRow[] => {
    const known = members.find((row) => isAt(row, reader))
    if (!groups.own) return known ? [tellOnly(known, reader.state)] : []
    if (reader.id === target.primary?.id && reader.state === 'drain') return []
    const row = { ...(known ?? freshRow(reader, 'reader', filling)), ...limits(groups) }
    return [reader.state === 'ready' ? reopen(row) : close(row)]
  })
  return [...foreign, ...wanted]
}

/** Rows of a group: those of the cluster, and those that the manager must not change. */
function rowsOf(group: 'writer' | 'reader', { target, groups, present }: Filling) {
  const rows = present.filter((row) => row.group === groups[group])
  const isForeign = (row: ServerRow) => !groups.own && !target.readers.some((member) => isAt(row, member))
  return { members: rows.filter((row) => !isForeign(row)), foreign: rows.filter(isForeign) }
}

/** In groups of the operator: maintenance is set and cleared, nothing else. */
function tellOnly(row: ServerRow, state: ProxyTarget['readers'][number]['state']): ServerRow {
  if (state === 'maint') return close(row)
  return row.comment.includes(MARK) ? open(row) : row
}

const isAt = (row: ServerAddress, { host, port }: ServerAddress): boolean =>
  row.port === port && row.host.toLowerCase() === host.toLowerCase()

const limits = ({ maxConnections, maxLagSeconds, compression }: Groups) => ({
  ...{ maxConnections, maxLag: maxLagSeconds, compression: compression ? 1 : 0 },
})

/** TLS is used where the other rows use it. */
const freshRow = (
  { host, port }: ServerAddress,
  group: 'writer' | 'reader',
  { groups, present }: Filling,
): ServerRow => ({
  ...{ group: groups[group], host, port, status: 'ONLINE', weight: 1, comment: '' },
  ...limits(groups),
  tls: present.some(({ tls }) => tls === 1) ? 1 : 0,
})

const open = (row: ServerRow): ServerRow => ({
  ...row,
  status: 'ONLINE',
  comment: row.comment.replaceAll(MARK, '').trim(),
})

/** A row that an operator closed softly stays so: the manager opens only what it closed itself. */
const reopen = (row: ServerRow): ServerRow =>
  row.status === 'OFFLINE_SOFT' && !row.comment.includes(MARK) ? row : open(row)

/** Sessions may finish their work, new ones go elsewhere. */
const close = (row: ServerRow): ServerRow =>
  row.status === 'OFFLINE_SOFT'
    ? row
    : { ...row, status: 'OFFLINE_SOFT', comment: `${row.comment.replaceAll(MARK, '')} ${MARK}`.trim() }

const columns: readonly [column: string, field: keyof ServerRow][] = [
  ['status', 'status'],
  ['weight', 'weight'],
  ['compression', 'compression'],
  ['max_connections', 'maxConnections'],
  ['max_replication_lag', 'maxLag'],
  ['use_ssl', 'tls'],
  ['comment', 'comment'],
]

/** Statements that bring `mysql_servers` to the wanted state; they have no effect before they are loaded to runtime. */
export function changesFor(
  wanted: readonly ServerRow[],
  present: readonly ServerRow[],
  groups: Groups,
): readonly string[] {
  const ours = inGroups(present, groups)
  const removed = ours.filter((row) => !find(wanted, row))
  return [
    ...removed.map((row) => `DELETE FROM mysql_servers WHERE ${isRow(row)}`),
    ...wanted.flatMap((row) => {
      const known = find(ours, row)
      if (!known) return [insert(row)]
      const changed = columns.filter(([, field]) => known[field] !== row[field])
      if (changed.length === 0) return []
      const assignments = changed.map(([column, field]) => `${column}=${literal(row[field])}`)
      return [`UPDATE mysql_servers SET ${assignments.join(', ')} WHERE ${isRow(row)}`]
    }),
  ]
}

function insert(row: ServerRow): string {
  const names = ['hostgroup_id', 'hostname', 'port', ...columns.map(([column]) => column)]
  const values = [row.group, row.host, row.port, ...columns.map(([, field]) => row[field])]
  return `INSERT INTO mysql_servers (${names.join(', ')}) VALUES (${values.map(literal).join(', ')})`
}

const isRow = ({ group, host, port }: ServerRow): string =>
  `hostgroup_id=${group} AND hostname=${literal(host)} AND port=${port}`

/** As SQLite reads it: a quote is doubled, a backslash is a backslash. */
export const literal = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`

/** What differs in ProxySQL, one phrase each; SHUNNED is ProxySQL's own verdict on a server that is configured ONLINE. */
export function differences(
  wanted: readonly ServerRow[],
  runtime: readonly ServerRow[],
  groups: Groups,
): readonly string[] {
  const ours = inGroups(runtime, groups)
  const extra = ours.filter((row) => !find(wanted, row) && row.status !== 'OFFLINE_HARD')
  return [
    ...extra.map((row) => `${nameOf(row, groups)} is ${row.status} instead of gone`),
    ...wanted.flatMap((row) => {
      const status = find(ours, row)?.status
      if (status === row.status || (status === 'SHUNNED' && row.status === 'ONLINE')) return []
      if (row.status === 'OFFLINE_HARD' && status === undefined) return []
      return [`${nameOf(row, groups)} is ${status ?? 'absent'} instead of ${row.status}`]
    }),
  ]
}

const inGroups = (rows: readonly ServerRow[], { writer, reader }: Groups): readonly ServerRow[] =>
  rows.filter(({ group }) => group === writer || group === reader)

const find = (rows: readonly ServerRow[], { group, host, port }: ServerRow): ServerRow | undefined =>
  rows.find((row) => row.group === group && isAt(row, { host, port }))

const nameOf = ({ group, host, port }: ServerRow, { writer }: Groups): string =>
  `${group === writer ? 'writer' : 'reader'} ${host}:${port} (group ${group})`
