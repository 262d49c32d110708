// Which rows of a replica are repaired, and with what; and what such a repair would do. Pure.
import type { KeyValues, RepairPlan, RowDigest, TableChecksum } from '../../model/checksum/checksum.js'
import type { ServerId } from '../../model/server/server.js'

export interface RowRepair<T extends RowDigest> {
  /** Of the key, as text. */
  readonly id: string
  readonly key: KeyValues
  /** The replica has a row of this key: it is deleted first. */
  readonly present: boolean
  /** What the primary has; absent: nothing. */
  readonly row?: T
}

export interface JudgedRows<T extends RowDigest> {
  readonly repairs: readonly RowRepair<T>[]
  readonly equal: number
  /** The primary changed them between its two readings, or several rows share the key: they are left alone. */
  readonly left: number
}

export function judgeRows<T extends RowDigest>({
  before,
  replica,
  after,
}: {
  readonly before: readonly T[]
  readonly replica: readonly T[]
  readonly after: readonly T[]
}): JudgedRows<T> {
  const [early, own, late] = [byKey(before), byKey(replica), byKey(after)]
  const repairs: RowRepair<T>[] = []
  let [equal, left] = [0, 0]
  for (const [id, [first]] of new Map([...early, ...own, ...late])) {
    const [was = [], here = [], is = []] = [early.get(id), own.get(id), late.get(id)]
    if (!first || Math.max(was.length, here.length, is.length) > 1 || was[0]?.digest !== is[0]?.digest) left += 1
    else if (here[0]?.digest === is[0]?.digest) equal += 1
    else repairs.push({ id, key: first.key, present: here.length > 0, ...(is[0] ? { row: is[0] } : {}) })
  }
  return { repairs, equal, left }
}

function byKey<T extends RowDigest>(rows: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const id = JSON.stringify(row.key)
    groups.set(id, [...(groups.get(id) ?? []), row])
  }
  return groups
}

/** The keys that a checksum listed for a server. */
export const listedKeys = ({ differences }: TableChecksum, server: ServerId): readonly KeyValues[] =>
  differences.filter((part) => part.server === server).flatMap(({ rows }) => rows.map(({ key }) => key))

/** The plan of a repair, by what the latest checksum found. `unfit`: why the table cannot be repaired there. */
export function planRepair(
  found: TableChecksum,
  { server, name, primary, unfit }: { server: ServerId; name: string; primary: string; unfit?: string | undefined },
): RepairPlan {
  const { schema, table, job } = found
  const parts = found.differences.filter((part) => part.server === server)
  const rows = parts.flatMap((part) => part.rows)
  const count = (kind: string) => rows.filter((row) => row.kind === kind).length
  const unlisted = parts.filter((part) => (part.rowCount ?? Number.POSITIVE_INFINITY) > part.rows.length).length
  const missed = unlisted + (found.servers.find((one) => one.server === server)?.chunks ?? 0) - parts.length
  const refusal = unfit ?? (rows.length === 0 ? 'the latest checksum lists no row of it that differs there' : undefined)
  const head = { id: `repair/${schema}.${table}/${server}/${job}/${rows.length}`, schema, table, server, name }
  return {
    ...{ ...head, rows: rows.length, possible: refusal === undefined },
    ...(refusal === undefined ? {} : { refusal }),
    effect:
      `${rows.length} rows of ${schema}.${table} on ${name} become those of ${primary}: ${count('changed')} changed, ` +
      `${count('missing')} missing, ${count('extra')} that only ${name} has and that are deleted. Nothing is written to the ` +
      'primary or to a binary log; servers that replicate from it are not repaired with it.' +
      (missed > 0 ? ` ${missed} parts differ in more rows than are listed: compare and repair again for those.` : ''),
    steps: [
      `read each row on ${primary}, wait until ${name} has applied what ${primary} has, lock it on ${name}, read it on ${primary} again: one that changed meanwhile is left alone`,
      `delete what differs on ${name} and write what ${primary} has, at most 50 rows in a transaction, kept only if the rows are equal then`,
      `compare ${schema}.${table} again`,
    ],
  }
}
